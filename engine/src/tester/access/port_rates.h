// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Rates of ports with a limit, over any second. Thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "tester/ports.h"

namespace tester {

class PortRates {
 public:
  explicit PortRates(const Ports& ports);

  struct Excess {
    uint16_t port;
    std::string text;  // "port "p1" has sent 1200 frames within a second; allowed are 1000"
  };
  // Reads the counters of ports. Returns ports that have sent more than allowed in the second
  // before `now_ns`, or on average since the look before it, with a tenth more for late frames.
  // Their frames then count no more, but nothing is admitted there for the time that these frames
  // should have taken.
  std::vector<Excess> Look(uint64_t now_ns);
  // RESOURCE_EXHAUSTED, with a message that starts with `where`, unless `frames` frames of `bytes`
  // bytes with FCS may leave a port now. A start asks with 0: it is refused after an excess only.
  void Admit(uint16_t port, uint64_t frames, uint64_t bytes, uint64_t now_ns,
             std::string_view where);

 private:
  struct Sample {
    uint64_t at_ns;
    uint64_t packets;
    uint64_t bytes;
  };
  struct Limited {
    uint16_t port;
    RateLimit limit;
    std::deque<Sample> samples;    // of a second, and the one before it
    uint64_t closed_until_ns = 0;  // it has sent too much
  };
  // Frames that left a port in a period.
  struct Sent {
    uint64_t since_ns;
    uint64_t time_ns;
    uint64_t packets;
    uint64_t bits;

    std::string TimeText() const;
  };
  // In the second before `now_ns`, and since the look before it.
  std::array<Sent, 2> SentBy(Limited& limited, uint64_t now_ns) const;

  const Ports& ports_;
  std::mutex mutex_;
  std::vector<Limited> limited_;
};

}  // namespace tester
