// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Writes the frames of a stream. Frame k is a function of k alone: a frame that a driver refused is
// written again later, with the same bytes except for the signature's time. Writing costs only the
// changing bytes; all others, the version bit included, are in the buffer already.
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

// The progress of writing a stream; used by the sender only. Any run may follow any other; the run
// that continues the last one is cheapest.
struct Cursor {
  OrderPlace order;
  EditorPlaces editors;
};

class Frames {
 public:
  explicit Frames(const FramesPlan& plan);
  // Frames of one start of a replay: they are read from a file.
  explicit Frames(std::shared_ptr<ReplayFeed> feed);

  // The sum of every frame's signature (wire::SignatureSum); 0 without signatures.
  uint16_t signature_sum() const { return signature_sum_; }
  // The source of replayed frames, or null. The functions below do not apply to these.
  ReplayFeed* feed() const { return feed_.get(); }

  // The template of all frames of a version; null if they have several.
  const Template* Only(uint8_t version) const {
    const auto& templates = Templates(version);
    return templates.size() == 1 ? templates.data() : nullptr;
  }
  // Picks the template of each frame of a run: `chosen` has room for run.count.
  void Choose(Cursor& cursor, const FrameRun& run, const Template** chosen) const;
  // Makes the frames of a run. `frames` hold the chosen templates already.
  void Write(Cursor& cursor, const FrameRun& run, const Template* const* chosen,
             uint8_t* const* frames) const;

 private:
  const std::vector<Template>& Templates(uint8_t version) const {
    return templates_[templates_[1].empty() ? 0 : version];
  }
  void AddTemplates(const FramesPlan& plan, bool version);

  uint16_t signature_sum_ = 0;
  std::shared_ptr<ReplayFeed> feed_;
  std::array<std::vector<Template>, 2> templates_;  // by version; without version only the first
  Order order_;
  Edits edits_;
  std::vector<Checksum> crcs_;
};

}  // namespace tester
