// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The next flow to open, and its time.
#pragma once

#include <cstdint>

#include "base/huge_array.h"
#include "responder/flows/addresses.h"

namespace tester::machine {

class Opener {
 public:
  // `keeps`: flows end, and only then are there again.
  Opener(const Opening& opening, bool keeps);

  // Opens flows from `start_us` to `end_us`; 0: without end.
  void Begin(uint64_t start_us, uint64_t end_us);
  // Whether a flow is due and may be opened. `put_off` grows by due flows without a free
  // connection: the first of them is opened late, the others are not opened.
  bool IsDue(uint64_t now_us, uint64_t& put_off);
  // The number of the next one. Only when it is due.
  uint32_t Take();
  // A flow has ended, or could not be opened because it exists already.
  void Ended(uint32_t number, bool failed);
  // Whether no flow will be opened any more.
  bool Over(uint64_t now_us) const;

 private:
  uint64_t DueUs() const;
  // The number of flows due between `due_us` and `now_us`.
  uint64_t DueBy(uint64_t due_us, uint64_t now_us) const;
  // The next flow that was never opened; where flows are not kept, the next one in turn.
  uint32_t Fresh();
  bool HasRoom() const;

  const Opening& opening_;
  const bool keeps_;
  uint64_t opened_ = 0;
  uint64_t origin_ = 0;  // openings from here on are counted by the rate, from
  uint64_t origin_us_ = 0;
  uint64_t end_us_ = UINT64_MAX;
  uint64_t put_off_ = 0;  // flows that wait now
  uint32_t open_ = 0;
  uint32_t lost_ = 0;   // connections that are not opened again
  uint32_t fresh_ = 0;  // flows below this number were opened
  uint32_t first_ = 0;  // begin of the ended flows, a ring
  uint32_t over_ = 0;
  HugeArray<uint32_t> ring_;
};

}  // namespace tester::machine
