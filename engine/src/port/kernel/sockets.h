// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The kernel sockets of a port. DPDK's drivers hide them, but the kernel counts frames without room
// on them, so the engine finds its own descriptors and reads the counts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "port/kernel/transmit_ring.h"

namespace tester {

// Sockets of AF_XDP and AF_PACKET that this process holds.
std::vector<int> PacketSockets();

class PortSockets {
 public:
  // Descriptors that are not in `before` belong to the port that has just been opened. Sets options
  // that DPDK's drivers leave alone and the running kernel knows. Several AF_PACKET sockets get the
  // flows of the interface by turns. INTERNAL.
  // `ring`: of a socket of net_af_packet.
  static PortSockets Since(const std::vector<int>& before, const PacketRing& ring);

  // An interface that was down leaves an error, which would replace the next frame to send.
  void ForgetErrors() const;
  // Frames that arrived and found no room, since the sockets were opened. Not thread safe.
  uint64_t ReadDropped();
  // Frames that the driver has taken, and the kernel has not sent.
  std::optional<uint64_t> Held() const;

 private:
  std::vector<int> xdp_;
  std::vector<int> packet_;
  std::vector<TransmitRing> transmit_rings_;
  // Reading PACKET_STATISTICS sets the kernel's count back to 0.
  uint64_t packet_drops_ = 0;
};

}  // namespace tester
