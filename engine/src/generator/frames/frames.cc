// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/frames.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wire/bytes.h"
#include "wire/signature.h"

namespace tester {
namespace {

size_t ShortestOf(const FramesPlan& plan) {
  size_t shortest = SIZE_MAX;  // a replay has no frames of its own
  for (const auto& frame : plan.frames) shortest = std::min(shortest, frame.size());
  return shortest;
}

// Sets the version bit, and updates the checksums that cover it.
void SetVersion(const FramesPlan& plan, std::vector<uint8_t>& frame) {
  uint8_t* const at = frame.data();
  plan.version->field.Write(1, at);
  for (const auto& coverage : plan.version->coverage) {
    const Checksum& checksum = plan.checksums[coverage.checksum];
    if (checksum.kind == Checksum::Kind::kCrc32c) continue;
    uint64_t sum = SumOf(checksum, at);
    for (const ShiftedColumn& share : SharesOf(plan.version->field, 0, checksum, coverage.weight)) {
      sum += uint64_t{1} << share.shift;
    }
    wire::Store16(at + checksum.offset, ChecksumOf(checksum, sum));
  }
}

}  // namespace

Frames::Frames(const FramesPlan& plan)
    : order_(plan.order, plan.frames.size()),
      edits_(plan.editors, plan.checksums, ShortestOf(plan)) {
  std::ranges::copy_if(plan.checksums, std::back_inserter(crcs_), [](const Checksum& checksum) {
    return checksum.kind == Checksum::Kind::kCrc32c;
  });
  AddTemplates(plan, false);
  if (plan.version) AddTemplates(plan, true);
  if (plan.signature) signature_sum_ = templates_[0].front().signature_sum;
}

Frames::Frames(std::shared_ptr<ReplayFeed> feed)
    : feed_(std::move(feed)), order_({}), edits_({}, {}, 0) {}

void Frames::AddTemplates(const FramesPlan& plan, bool version) {
  for (std::vector<uint8_t> frame : plan.frames) {
    if (version) SetVersion(plan, frame);
    Template made = MakeTemplate(frame, plan.signature, plan.stream_id);
    made.unedited = edits_.Unedited(frame.data());
    templates_[version ? 1 : 0].push_back(std::move(made));
  }
}

void Frames::Choose(Cursor& cursor, const FrameRun& run, const Template** chosen) const {
  std::array<uint16_t, kBurst> indices;
  order_.Choose(cursor.order, run.first, run.count, indices.data());
  const Template* const templates = Templates(run.version).data();
  for (uint16_t i = 0; i < run.count; ++i) chosen[i] = templates + indices[i];
}

void Frames::Write(Cursor& cursor, const FrameRun& run, const Template* const* chosen,
                   uint8_t* const* frames) const {
  if (!edits_.empty()) {
    edits_.Write(cursor.editors, run, chosen, Only(run.version) != nullptr, frames);
  }
  const Template& any = templates_[0].front();
  if (any.signature) {
    const wire::SignatureWriter writer(any.signature_id, any.signature_sum, run.now_ns);
    for (uint16_t i = 0; i < run.count; ++i) {
      writer.Write(frames[i] + chosen[i]->SignatureOffset(), run.sequence + i);
    }
  }
  for (const auto& crc : crcs_) {
    for (uint16_t i = 0; i < run.count; ++i) WriteCrc(crc, frames[i], chosen[i]->image.bytes());
  }
}

}  // namespace tester
