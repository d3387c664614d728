// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// When the frames of one start of a stream are due, and when it is over. Immutable: an update of
// the rate makes a new schedule that goes on where the old one leaves off.
#pragma once

#include <cstdint>

#include "generator/rate.h"

namespace tester {

class Schedule {
 public:
  // From start_ns. 0 for duration_ns or max_packets: no such limit.
  Schedule(const Rate& rate, uint64_t start_ns, uint64_t duration_ns, uint64_t max_packets);

  // The same until from_ns, with `rate` afterwards; the first frame of the new rate is due at
  // from_ns. `from_ns` is one that ChangeNs has given.
  Schedule Updated(const Rate& rate, uint64_t from_ns) const;

  // The same, but over at end_ns; what is due before is sent until grace_ns later.
  Schedule EndedAt(uint64_t end_ns, uint64_t grace_ns) const;

  // The earliest instant from which Updated can change the rate, now_ns or later.
  uint64_t ChangeNs(uint64_t now_ns) const;

  // How many frames are due at now_ns and before.
  uint64_t Due(uint64_t now_ns) const;

  // When frame k is due; UINT64_MAX when it never is.
  uint64_t DueNs(uint64_t k) const;

  // True once nothing remains to be sent of the frames that are `owed`: all were, or the stream is
  // hopelessly late.
  bool Over(uint64_t now_ns, uint64_t sent, uint64_t owed) const;

  // The next instant at which there is a frame to send or the stream is over.
  uint64_t NextEventNs(uint64_t sent) const;

 private:
  struct Segment {
    uint64_t from_ns;
    uint64_t base;  // frames due before from_ns
    Rate rate;
  };

  uint64_t Unlimited(uint64_t now_ns) const;
  void SetLimits();

  Segment current_;
  // Holds from next_.from_ns on; UINT64_MAX when there is none.
  Segment next_{UINT64_MAX, 0, {}};
  uint64_t start_ns_;
  uint64_t end_ns_;  // exclusive
  uint64_t max_packets_;
  uint64_t total_ = UINT64_MAX;  // frames due before end_ns_, at most max_packets_
  uint64_t give_up_ns_;
};

}  // namespace tester
