// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What the frames of a stream contain. Frame k is a function of k alone, so what a driver refused
// is written again, later and the same; only a signature tells when it was.
// A frame costs what changes in it; what does not is in its buffer already, the version bit
// included.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "generator/burst.h"
#include "generator/checksums.h"
#include "generator/edits.h"
#include "generator/order.h"
#include "generator/template.h"
#include "plan/job.h"
#include "replay/feed.h"

namespace tester {

// How far the writing of a stream has come: the sender's own. Any run may follow any other; the one
// that continues the last one costs least.
struct Cursor {
  OrderPlace order;
  EditorPlaces editors;
};

class Frames {
 public:
  explicit Frames(const StreamPlan& plan);
  // Those of one start of a replay, which are read and not made.
  explicit Frames(std::shared_ptr<ReplayFeed> feed);

  // Of every frame's signature, see wire::SignatureSum; 0 without.
  uint16_t signature_sum() const { return signature_sum_; }
  // Where the frames come from if they are not made: nothing below is for these.
  ReplayFeed* feed() const { return feed_.get(); }

  // What all frames of a version are made from; null where not all are made from the same.
  const Template* Only(uint8_t version) const {
    const auto& templates = Templates(version);
    return templates.size() == 1 ? templates.data() : nullptr;
  }
  // What each frame of a run is made from: `chosen` holds run.count.
  void Choose(Cursor& cursor, const Run& run, const Template** chosen) const;
  // Makes the frames of a run from what was chosen for them, which is at `frames` already.
  void Write(Cursor& cursor, const Run& run, const Template* const* chosen,
             uint8_t* const* frames) const;

 private:
  const std::vector<Template>& Templates(uint8_t version) const {
    return templates_[templates_[1].empty() ? 0 : version];
  }
  void AddTemplates(const StreamPlan& plan, bool version);

  uint16_t signature_sum_ = 0;
  std::shared_ptr<ReplayFeed> feed_;
  std::array<std::vector<Template>, 2> templates_;  // by version; without, there is but the first
  Order order_;
  Edits edits_;
  std::vector<Checksum> crcs_;
};

}  // namespace tester
