// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What the frames of a stream contain. Frame k is a function of k alone, so what a driver refused
// is written again, later and the same; only a signature tells when it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generator/template.h"
#include "plan/job.h"

namespace tester {

// The most frames that are written at once.
inline constexpr uint16_t kBurst = 64;

// Consecutive frames of a stream that leave at one instant.
struct Run {
  uint64_t first;     // number of the first one
  uint16_t count;     // 1 to kBurst
  uint64_t sequence;  // of the first one in its signature: other than `first` after an update
  uint64_t now_ns;
  uint8_t version;  // 0 or 1
};

// How far the writing of a stream has come: the sender's own. Any run may follow any other; the one
// that continues the last one costs least.
class Cursor {};

class Frames {
 public:
  explicit Frames(const StreamPlan& plan);

  const std::vector<Template>& templates() const { return templates_; }
  // Of every frame's signature, see wire::SignatureSum; 0 without.
  uint16_t signature_sum() const { return templates_.front().signature_sum; }

  // The template that each frame of a run is made from: `chosen` holds run.count.
  void Choose(Cursor& cursor, const Run& run, const Template** chosen) const;
  // Makes the frames of a run from their templates, which are at `frames` already.
  void Write(Cursor& cursor, const Run& run, uint8_t* const* frames) const;

 private:
  std::vector<Template> templates_;
};

}  // namespace tester
