// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of a stream that arrive on other ports than expected: their number on each port, how many
// of them are damaged, and how many others arrive behind a later frame, as copies do.
#pragma once

#include <array>
#include <cstdint>

#include "base/counter.h"

namespace tester {

// One writer; any thread may read. Ports have the tester's numbers.
class Misrouted {
 public:
  static constexpr uint32_t kPorts = 64;  // at most

  void Add(uint32_t port, uint64_t sequence) {
    PortArrivals& arrivals = ports_[port];
    arrivals.frames.Add(1);
    if (sequence < arrivals.next) {
      arrivals.behind.Add(1);
    } else {
      arrivals.next = sequence + 1;
    }
  }

  void AddDamaged(uint32_t port) {
    ports_[port].damaged.Add(1);
    ports_[port].frames.Add(1);
  }

  uint64_t frames() const {
    uint64_t sum = 0;
    for (uint32_t port = 0; port < kPorts; ++port) sum += On(port);
    return sum;
  }
  // Frames that arrived on this port.
  uint64_t On(uint32_t port) const { return ports_[port].frames.Get(); }
  // Frames of these that are not as they were sent.
  uint64_t DamagedOn(uint32_t port) const { return ports_[port].damaged.Get(); }
  // The others whose sequence number is not higher than an earlier one.
  uint64_t BehindOn(uint32_t port) const { return ports_[port].behind.Get(); }

 private:
  struct PortArrivals {
    Counter frames;
    Counter damaged;
    Counter behind;
    uint64_t next = 0;  // beyond the highest sequence number; the writer's
  };

  std::array<PortArrivals, kPorts> ports_{};
};

}  // namespace tester
