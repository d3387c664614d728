// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The law of a replay: a frame is due when its feed says so, and not known to be due before it was
// read. A feed that cannot keep up makes its frames late, not fewer.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "generator/laws/law_place.h"
#include "replay/feed.h"

namespace tester {

class Replayed {
 public:
  explicit Replayed(std::shared_ptr<const ReplayFeed> feed) : feed_(std::move(feed)) {}

  // Unknown, as the file is not read here.
  static uint64_t MostDue(uint64_t /*window_ns*/) { return 0; }
  LawPlace Begin() const;
  // Moves on while the frame is due in [0, elapsed_ns], at most `most` frames.
  void PassDue(LawPlace& place, uint64_t elapsed_ns, uint64_t most) const;
  // Moves on from a frame that was read.
  void Step(LawPlace& place) const;

 private:
  void Look(LawPlace& place) const;

  std::shared_ptr<const ReplayFeed> feed_;
};

}  // namespace tester
