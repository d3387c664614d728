// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/device.h"

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf_pool_ops.h>

#include <algorithm>

#include "error.h"
#include "port/eal.h"
#include "text.h"

namespace tester {
namespace {

// For net_af_xdp 2048 buffers wait for frames from the kernel, as many for the kernel to send, and
// as many are on their way through the engine; the other drivers copy or hold fewer.
constexpr unsigned kSharedBuffers = 8192;
constexpr unsigned kReceiveBuffers = 8192;
constexpr unsigned kSendBuffers = 4096;
constexpr unsigned kCachedBuffers = 512;  // RTE_MEMPOOL_CACHE_MAX_SIZE
constexpr uint16_t kDescriptors = 2048;

void Check(int result, const std::string& device, const char* what, Code code = Code::kInternal) {
  if (result >= 0) return;
  const std::string complaints = TakeEalComplaints();
  throw Error(code, Cat(device, ": ", what, ": ", rte_strerror(-result),
                        complaints.empty() ? "" : ": ", complaints));
}

// Without hugepages DPDK lets no buffer cross a page of 4 KiB, so all begin at the same place of
// one and compete for the same few lines of the cache: half of the time goes there. No device that
// needs contiguous memory works without hugepages, but AF_XDP, whose buffers are in the shared
// pool, may.
unsigned PoolFlags(bool shared) {
  return shared || rte_eal_has_hugepages() != 0 ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
}

// As rte_pktmbuf_pool_create, which takes no flags.
rte_mempool* CreatePool(const std::string& name, unsigned buffers, uint16_t room, unsigned flags) {
  const auto element = static_cast<unsigned>(sizeof(rte_mbuf) + kPrivateBytes + room);
  rte_mempool* pool = rte_mempool_create_empty(name.c_str(), buffers, element, kCachedBuffers,
                                               sizeof(rte_pktmbuf_pool_private),
                                               static_cast<int>(rte_socket_id()), flags);
  if (pool == nullptr) return nullptr;
  rte_pktmbuf_pool_private about{};
  about.mbuf_data_room_size = room;
  about.mbuf_priv_size = kPrivateBytes;
  rte_pktmbuf_pool_init(pool, &about);
  if (rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), nullptr) != 0 ||
      rte_mempool_populate_default(pool) < 0) {
    rte_mempool_free(pool);
    return nullptr;
  }
  rte_mempool_obj_iter(pool, rte_pktmbuf_init, nullptr);
  return pool;
}

rte_mempool* MakePool(const std::string& name, unsigned buffers, uint32_t max_frame_bytes,
                      bool shared) {
  const uint32_t room = RTE_PKTMBUF_HEADROOM + std::max<uint32_t>(2048, max_frame_bytes + 64);
  rte_mempool* pool = CreatePool(name, buffers, static_cast<uint16_t>(room), PoolFlags(shared));
  if (pool == nullptr) {
    throw Error(Code::kResourceExhausted,
                Cat("no memory for ", buffers, " buffers of ", room, " bytes for port ", name, " (",
                    rte_strerror(rte_errno), "); give more with --memory"));
  }
  return pool;
}

}  // namespace

std::string DriverOf(uint16_t device) {
  rte_eth_dev_info info{};
  return rte_eth_dev_info_get(device, &info) == 0 ? info.driver_name : "";
}

Device Device::Probe(const std::string& arguments) {
  TakeEalComplaints();
  Check(rte_dev_probe(arguments.c_str()), arguments, "DPDK has no such device", Code::kNotFound);
  uint16_t id = kNone;
  const std::string name = arguments.substr(0, arguments.find(','));
  Check(rte_eth_dev_get_port_by_name(name.c_str(), &id), arguments, "it is no network device",
        Code::kNotFound);
  return Device(id);
}

Device::~Device() {
  if (id_ == kNone) return;
  // Promiscuous mode is a flag of the kernel's interface and would outlive us.
  rte_eth_promiscuous_disable(id_);
  rte_eth_dev_info info{};
  rte_eth_dev_info_get(id_, &info);
  rte_eth_dev_stop(id_);
  rte_eth_dev_close(id_);
  if (info.device != nullptr) rte_dev_remove(info.device);
  rte_mempool_free(tx_pool_);
  if (rx_pool_ != tx_pool_) rte_mempool_free(rx_pool_);
}

void Device::MakePools(const std::string& name, uint32_t max_frame_bytes, bool shared) {
  if (shared) {
    rx_pool_ = tx_pool_ = MakePool(name, kSharedBuffers, max_frame_bytes, true);
    return;
  }
  rx_pool_ = MakePool(name + ".rx", kReceiveBuffers, max_frame_bytes, false);
  tx_pool_ = MakePool(name + ".tx", kSendBuffers, max_frame_bytes, false);
}

void Device::Start(const std::string& name, uint32_t max_frame_bytes) {
  rte_eth_dev_info info{};
  Check(rte_eth_dev_info_get(id_, &info), name, "information");
  // net_af_xdp sends without a copy only what is in the buffers that it receives into.
  MakePools(name, max_frame_bytes, std::string(info.driver_name) == "net_af_xdp");
  rte_eth_conf conf{};
  // Everything sent comes from one pool, with one reference and in one piece.
  conf.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
  Check(rte_eth_dev_configure(id_, 1, 1, &conf), name, "configuration");
  uint16_t rx_descriptors = kDescriptors;
  uint16_t tx_descriptors = kDescriptors;
  Check(rte_eth_dev_adjust_nb_rx_tx_desc(id_, &rx_descriptors, &tx_descriptors), name, "queues");
  const auto socket = static_cast<unsigned>(std::max(0, rte_eth_dev_socket_id(id_)));
  Check(rte_eth_rx_queue_setup(id_, 0, rx_descriptors, socket, nullptr, rx_pool_), name,
        "receive queue");
  rte_eth_txconf tx_conf = info.default_txconf;
  tx_conf.offloads = conf.txmode.offloads;
  Check(rte_eth_tx_queue_setup(id_, 0, tx_descriptors, socket, &tx_conf), name, "send queue");
  Check(rte_eth_dev_start(id_), name, "start");
  const int promiscuous = rte_eth_promiscuous_enable(id_);
  if (promiscuous != -ENOTSUP) Check(promiscuous, name, "promiscuous mode");
}

}  // namespace tester
