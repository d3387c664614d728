// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// An ethdev from a DPDK device string to "started", with the buffers it needs.
#pragma once

#include <rte_mempool.h>

#include <cstdint>
#include <string>
#include <utility>

namespace tester {

// Bytes of an mbuf's private area; a cache line, so that the data stays aligned.
inline constexpr uint16_t kPrivateBytes = 64;

// Stops and closes the device, and frees its buffers, at its end.
class Device {
 public:
  // "net_null0,size=64", "0000:03:00.0". NOT_FOUND.
  static Device Probe(const std::string& arguments);
  // Wraps an existing ethdev (rte_eth_from_rings).
  explicit Device(uint16_t id) : id_(id) {}
  ~Device();
  Device(Device&& other) noexcept
      : id_(std::exchange(other.id_, kNone)),
        queues_(other.queues_),
        tx_pool_(other.tx_pool_),
        rx_pool_(other.rx_pool_),
        frees_to_one_pool_(other.frees_to_one_pool_) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device& operator=(Device&&) = delete;

  struct Setup {
    uint16_t queues = 1;        // to receive, and as many to send
    uint32_t buffer_bytes = 0;  // of a frame with its FCS, or of a slot of the driver's ring
    uint16_t mtu = 0;           // 0: DPDK's 1500
  };
  // `name` names the pools. FAILED_PRECONDITION (it has fewer queues), RESOURCE_EXHAUSTED,
  // INTERNAL.
  void Start(const std::string& name, const Setup& setup);

  uint16_t id() const { return id_; }
  uint16_t queues() const { return queues_; }
  rte_mempool* tx_pool() const { return tx_pool_; }
  bool shared_pool() const { return tx_pool_ == rx_pool_; }
  // Whether it sends buffers of other pools than its own without copying them.
  bool takes_buffers() const { return !shared_pool() && !frees_to_one_pool_; }

 private:
  static constexpr uint16_t kNone = UINT16_MAX;

  void MakePools(const std::string& name, const Setup& setup, const std::string& driver);

  uint16_t id_;
  uint16_t queues_ = 0;
  rte_mempool* tx_pool_ = nullptr;
  rte_mempool* rx_pool_ = nullptr;
  bool frees_to_one_pool_ = false;  // RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE
};

std::string DriverOf(uint16_t device);

// Whether its driver has an interrupt for changes of the link.
bool TellsOfLinks(uint16_t device);

}  // namespace tester
