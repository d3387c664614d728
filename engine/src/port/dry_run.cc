// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/dry_run.h"

#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <thread>

#include "base/text.h"

namespace tester {
namespace {

constexpr char kLoopback[] = "lo";
constexpr int kLoopbackIndex = 1;  // in every namespace

// From and to the zero address, with the EtherType for local experiments (IEEE Std 802).
constexpr std::array<uint8_t, 60> kFrame = [] {
  std::array<uint8_t, 60> frame{};
  frame[12] = 0x88;
  frame[13] = 0xb5;
  return frame;
}();

bool BringUp(int fd) {
  ifreq request{};
  static_assert(sizeof kLoopback <= sizeof request.ifr_name);
  for (size_t i = 0; i < sizeof kLoopback; ++i) request.ifr_name[i] = kLoopback[i];
  request.ifr_flags = IFF_UP;
  return ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
}

// Sends like the sockets of ports: without a queue of the kernel.
bool Prepare(int fd) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = kLoopbackIndex;
  const int bypass = 1;
  return BringUp(fd) &&
         ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
         ::setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &bypass, sizeof bypass) == 0;
}

std::string Failed(const char* what) { return Cat(what, ": ", std::strerror(errno)); }

// The calling thread is in the new namespace from then on, which lasts as long as the socket.
int OpenElsewhere(std::string& fault) {
  if (::unshare(CLONE_NEWNET) != 0) {
    fault = Failed("no network namespace for rehearsals");
    return -1;
  }
  const int fd = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (fd >= 0 && Prepare(fd)) return fd;
  fault = Failed("no socket for rehearsals");
  if (fd >= 0) ::close(fd);
  return -1;
}

}  // namespace

DryRun::DryRun() {
  std::thread([this] { socket_ = OpenElsewhere(fault_); }).join();
}

DryRun::~DryRun() {
  if (socket_ >= 0) ::close(socket_);
}

bool DryRun::Go() const {
  return ::send(socket_, kFrame.data(), kFrame.size(), MSG_DONTWAIT) ==
         static_cast<ssize_t>(kFrame.size());
}

}  // namespace tester
