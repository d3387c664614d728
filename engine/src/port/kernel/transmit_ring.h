// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The ring between a port and its socket: frames that the driver has taken, and the kernel has not
// sent. It is mapped once more, to be read only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tester {

// The rings of a socket of net_af_packet: one to receive, and one of the same shape to send.
struct PacketRing {
  uint32_t slot_bytes = 0;
  uint32_t slots = 0;
};

class TransmitRing {
 public:
  TransmitRing() = default;  // of a port without
  // The ring of an AF_PACKET socket (TPACKET_V2).
  TransmitRing(int socket, PacketRing ring);
  // The ring of an AF_XDP socket with a memory of its own.
  explicit TransmitRing(int socket);
  ~TransmitRing();
  TransmitRing(TransmitRing&& other) noexcept;
  TransmitRing& operator=(TransmitRing&& other) noexcept;

  // Frames that were taken and not sent yet. Nothing where the kernel does not say. Makes the
  // kernel continue with waiting frames, which it otherwise does only with the next frame.
  std::optional<uint64_t> Held() const;

 private:
  struct Mapping {
    void* start = nullptr;
    size_t bytes = 0;
    const std::byte* at(size_t offset) const {
      return static_cast<const std::byte*>(start) + offset;
    }
  };

  static Mapping Map(int socket, uint64_t offset, size_t bytes);
  uint64_t Count() const;

  int socket_ = -1;
  PacketRing packets_;
  Mapping sent_;       // the ring of AF_PACKET, or what AF_XDP is to send
  Mapping completed_;  // by AF_XDP
  size_t sent_at_ = 0;
  size_t completed_at_ = 0;
};

}  // namespace tester
