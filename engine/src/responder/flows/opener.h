// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Which flow is opened next, and when.
#pragma once

#include <cstdint>

#include "base/mapped.h"
#include "responder/flows/addresses.h"

namespace tester::machine {

class Opener {
 public:
  // `keeps`: flows end, and only then are there again.
  Opener(const Opening& opening, bool keeps);

  // From when on it opens, and until when: 0, for ever.
  void Begin(uint64_t start_us, uint64_t end_us);
  // Whether one is due, and may be opened. `put_off` grows by those that are due and have no
  // connection: the first of them is opened late, the others are not opened.
  bool IsDue(uint64_t now_us, uint64_t& put_off);
  // The number of the next one. Only when it is due.
  uint32_t Take();
  // One that has been opened has ended; or could not be opened, as one that is there already.
  void Ended(uint32_t number, bool failed);
  // No flow will be opened any more.
  bool Over(uint64_t now_us) const;

 private:
  uint64_t DueUs() const;
  // How many are due from the time when the first of them is.
  uint64_t DueBy(uint64_t due_us, uint64_t now_us) const;
  // The next one that was never opened; where none is kept, the next one.
  uint32_t Fresh();
  bool HasRoom() const;

  const Opening& opening_;
  const bool keeps_;
  uint64_t opened_ = 0;
  uint64_t origin_ = 0;  // openings from here on are counted by the rate, from
  uint64_t origin_us_ = 0;
  uint64_t end_us_ = UINT64_MAX;
  uint64_t put_off_ = 0;  // those that wait now
  uint32_t open_ = 0;
  uint32_t lost_ = 0;   // connections that are not opened again
  uint32_t fresh_ = 0;  // so many were opened, from the first one on
  uint32_t first_ = 0;  // of those that are over, a ring
  uint32_t over_ = 0;
  Mapped<uint32_t> ring_;
};

}  // namespace tester::machine
