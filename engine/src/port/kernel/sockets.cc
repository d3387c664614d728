// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/sockets.h"

#include <dirent.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/text.h"

#ifndef SOL_XDP
#define SOL_XDP 283
#endif

// net_af_packet puts every socket into a fanout group, whose number is made of the numbers of the
// process and of the interface. So two testers of a network namespace may make one number, and the
// kernel refuses the second group. A port with one socket needs no group, and one with several has
// its own (ShareFlows).
extern "C" int setsockopt(int fd, int level, int option, const void* value,
                          socklen_t bytes) noexcept {
  if (level == SOL_PACKET && option == PACKET_FANOUT) return 0;
  return static_cast<int>(::syscall(SYS_setsockopt, fd, level, option, value, bytes));
}

namespace tester {
namespace {

// XDP_MAX_TX_SKB_BUDGET of Linux 6.17: how many frames one system call sends, 32 before.
constexpr int kXdpMaxTxSkbBudget = 9;
constexpr int kFramesPerSend = 256;

int DomainOf(int fd) {
  int domain = -1;
  socklen_t length = sizeof domain;
  return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 ? domain : -1;
}

// On a kernel without the option the port works without it.
void Set(int fd, int level, int option, int value) {
  static_cast<void>(::setsockopt(fd, level, option, &value, sizeof value));
}

// Makes a fanout group of the sockets, with a number that the kernel chooses: a frame arrives at
// the socket of its flow. Neither does the kernel put fragments together, nor does it give frames
// of a flow to another socket while that one is full, as a group of net_af_packet would.
void ShareFlows(const std::vector<int>& sockets) {
  int group = (PACKET_FANOUT_HASH | PACKET_FANOUT_FLAG_UNIQUEID) << 16;
  for (const int fd : sockets) {
    socklen_t length = sizeof group;
    if (::syscall(SYS_setsockopt, fd, SOL_PACKET, PACKET_FANOUT, &group, length) != 0 ||
        ::getsockopt(fd, SOL_PACKET, PACKET_FANOUT, &group, &length) != 0) {
      throw Error(Code::kInternal, Cat("PACKET_FANOUT: ", std::strerror(errno)));
    }
    group &= ~(PACKET_FANOUT_FLAG_UNIQUEID << 16);
  }
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

std::vector<int> PacketSockets() {
  std::vector<int> sockets;
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir("/proc/self/fd"));
  if (!directory) return sockets;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (entry->d_name[0] == '.') continue;
    const int fd = std::atoi(entry->d_name);
    const int domain = DomainOf(fd);
    if (domain == AF_XDP || domain == AF_PACKET) sockets.push_back(fd);
  }
  return sockets;
}

PortSockets PortSockets::Since(const std::vector<int>& before, const PacketRing& ring) {
  PortSockets sockets;
  for (const int fd : PacketSockets()) {
    if (std::find(before.begin(), before.end(), fd) != before.end()) continue;
    if (DomainOf(fd) == AF_XDP) {
      sockets.xdp_.push_back(fd);
      Set(fd, SOL_XDP, kXdpMaxTxSkbBudget, kFramesPerSend);
      sockets.transmit_rings_.emplace_back(fd);
      continue;
    }
    sockets.packet_.push_back(fd);
    sockets.transmit_rings_.emplace_back(fd, ring);
    // Frames that others send on the interface have not arrived on it.
    Set(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
  }
  if (sockets.packet_.size() > 1) ShareFlows(sockets.packet_);
  return sockets;
}

std::optional<uint64_t> PortSockets::Held() const {
  std::optional<uint64_t> held;
  for (const TransmitRing& ring : transmit_rings_) {
    if (const auto frames = ring.Held()) held = held.value_or(0) + *frames;
  }
  return held;
}

void PortSockets::ForgetErrors() const {
  for (const int fd : packet_) {
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  }
}

uint64_t PortSockets::ReadDropped() {
  uint64_t dropped = 0;
  for (const int fd : xdp_) {
    xdp_statistics statistics{};
    socklen_t length = sizeof statistics;
    if (::getsockopt(fd, SOL_XDP, XDP_STATISTICS, &statistics, &length) == 0) {
      dropped += statistics.rx_dropped + statistics.rx_ring_full;
    }
  }
  for (const int fd : packet_) {
    tpacket_stats statistics{};
    socklen_t length = sizeof statistics;
    if (::getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &statistics, &length) == 0) {
      packet_drops_ += statistics.tp_drops;
    }
  }
  return dropped + packet_drops_;
}

}  // namespace tester
