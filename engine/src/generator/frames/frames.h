// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Writes the frames of a stream. Frame k is a function of k alone, so a frame that a driver refused
// is written again later and is the same; only a signature tells when that was. Writing costs only
// the bytes that change; all others, the version bit included, are in the buffer already.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/burst.h"
#include "base/order.h"
#include "generator/frames/checksums.h"
#include "generator/frames/edits.h"
#include "generator/frames/frames_plan.h"
#include "generator/frames/template.h"
#include "replay/feed.h"

namespace tester {

// How far the writing of a stream has come; used by the sender only. Any run may follow any other;
// the one that continues the last one costs least.
struct Cursor {
  OrderPlace order;
  EditorPlaces editors;
};

class Frames {
 public:
  explicit Frames(const FramesPlan& plan);
  // Those of one start of a replay, which are read and not made.
  explicit Frames(std::shared_ptr<ReplayFeed> feed);

  // The sum of every frame's signature (wire::SignatureSum); 0 without signatures.
  uint16_t signature_sum() const { return signature_sum_; }
  // Where the frames come from if they are not made: nothing below is for these.
  ReplayFeed* feed() const { return feed_.get(); }

  // The template of all frames of a version; null if they have several.
  const Template* Only(uint8_t version) const {
    const auto& templates = Templates(version);
    return templates.size() == 1 ? templates.data() : nullptr;
  }
  // Picks the template of each frame of a run: `chosen` has room for run.count.
  void Choose(Cursor& cursor, const Run& run, const Template** chosen) const;
  // Makes the frames of a run from what was chosen for them, which is at `frames` already.
  void Write(Cursor& cursor, const Run& run, const Template* const* chosen,
             uint8_t* const* frames) const;

 private:
  const std::vector<Template>& Templates(uint8_t version) const {
    return templates_[templates_[1].empty() ? 0 : version];
  }
  void AddTemplates(const FramesPlan& plan, bool version);

  uint16_t signature_sum_ = 0;
  std::shared_ptr<ReplayFeed> feed_;
  std::array<std::vector<Template>, 2> templates_;  // by version; without, there is but the first
  Order order_;
  Edits edits_;
  std::vector<Checksum> crcs_;
};

}  // namespace tester
