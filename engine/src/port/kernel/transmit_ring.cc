// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/transmit_ring.h"

#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#ifndef SOL_XDP
#define SOL_XDP 283
#endif

namespace tester {
namespace {

uint32_t Load(const std::byte* at) {
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(at), __ATOMIC_ACQUIRE);
}

}  // namespace

TransmitRing::Mapping TransmitRing::Map(int socket, uint64_t offset, size_t bytes) {
  void* const start =
      ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, socket, static_cast<off_t>(offset));
  return start == MAP_FAILED ? Mapping{} : Mapping{.start = start, .bytes = bytes};
}

TransmitRing::TransmitRing(int socket, PacketRing ring) : socket_(socket), packets_(ring) {
  const size_t bytes = size_t{ring.slot_bytes} * ring.slots;
  Mapping both = Map(socket, 0, 2 * bytes);
  if (both.start == nullptr) return;
  // The first ring is the one to receive.
  ::munmap(both.start, bytes);
  sent_ = {.start = static_cast<std::byte*>(both.start) + bytes, .bytes = bytes};
}

TransmitRing::TransmitRing(int socket) : socket_(socket) {
  xdp_mmap_offsets offsets{};
  socklen_t length = sizeof offsets;
  if (::getsockopt(socket, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &length) != 0) return;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  sent_at_ = offsets.tx.producer;
  completed_at_ = offsets.cr.producer;
  if (sent_at_ + sizeof(uint32_t) > page || completed_at_ + sizeof(uint32_t) > page) return;
  sent_ = Map(socket, XDP_PGOFF_TX_RING, page);
  completed_ = Map(socket, XDP_UMEM_PGOFF_COMPLETION_RING, page);
}

TransmitRing::~TransmitRing() {
  for (const Mapping& mapping : {sent_, completed_}) {
    if (mapping.start != nullptr) ::munmap(mapping.start, mapping.bytes);
  }
}

TransmitRing::TransmitRing(TransmitRing&& other) noexcept { *this = std::move(other); }

TransmitRing& TransmitRing::operator=(TransmitRing&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(packets_, other.packets_);
  std::swap(sent_, other.sent_);
  std::swap(completed_, other.completed_);
  std::swap(sent_at_, other.sent_at_);
  std::swap(completed_at_, other.completed_at_);
  return *this;
}

std::optional<uint64_t> TransmitRing::Held() const {
  if (sent_.start == nullptr || (packets_.slots == 0 && completed_.start == nullptr)) {
    return std::nullopt;
  }
  if (Count() == 0) return 0;
  ::sendto(socket_, nullptr, 0, MSG_DONTWAIT, nullptr, 0);
  return Count();
}

uint64_t TransmitRing::Count() const {
  if (packets_.slots == 0) {
    // Read before the total that includes it.
    const uint32_t completed = Load(completed_.at(completed_at_));
    return uint32_t{Load(sent_.at(sent_at_)) - completed};
  }
  uint64_t held = 0;
  for (uint32_t slot = 0; slot < packets_.slots; ++slot) {
    // Its first word is the status.
    const uint32_t status = Load(sent_.at(size_t{slot} * packets_.slot_bytes));
    if ((status & (TP_STATUS_SEND_REQUEST | TP_STATUS_SENDING)) != 0) ++held;
  }
  return held;
}

}  // namespace tester
