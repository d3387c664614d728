// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames.h"

#include <algorithm>
#include <utility>

#include "wire/checksum.h"
#include "wire/signature.h"

namespace tester {
namespace {

std::vector<OrderRun> RunsOf(const StreamPlan& plan) {
  if (!plan.order.empty()) return plan.order;
  std::vector<OrderRun> runs;
  for (size_t i = 0; i < plan.frames.size(); ++i) {
    runs.push_back({.frame = static_cast<uint16_t>(i), .packets = 1});
  }
  return runs;
}

// Sets the version bit, and what covers it.
void SetVersion(const StreamPlan& plan, std::vector<uint8_t>& frame) {
  const uint64_t one = 1;
  uint8_t* const at = frame.data();
  plan.version->field.Write(&one, 1, &at);
  for (const auto& coverage : plan.version->coverage) {
    const Checksum& checksum = plan.checksums[coverage.checksum];
    if (checksum.kind == Checksum::Kind::kCrc32c) continue;
    const uint16_t factor = Factor(plan.version->field, checksum, coverage.weight);
    WriteSum(checksum, uint64_t{SumOf(checksum, at)} + factor, at);
  }
}

}  // namespace

Frames::Frames(const StreamPlan& plan) : order_(RunsOf(plan)) {
  AddEditors(plan);
  AddTemplates(plan, false);
  if (plan.version) AddTemplates(plan, true);
  if (plan.signature) signature_sum_ = templates_[0].front().signature_sum;
}

Frames::Frames(std::shared_ptr<ReplayFeed> feed)
    : feed_(std::move(feed)), order_(std::vector<OrderRun>{}) {}

void Frames::AddEditors(const StreamPlan& plan) {
  for (const auto& editor : plan.editors) edits_.push_back({.editor = editor, .parts = {}});
  for (size_t i = 0; i < plan.checksums.size(); ++i) {
    const Checksum& checksum = plan.checksums[i];
    if (checksum.kind == Checksum::Kind::kCrc32c) {
      crcs_.push_back(checksum);
      continue;
    }
    bool changes = false;
    for (auto& edit : edits_) {
      for (const auto& coverage : edit.editor.coverage) {
        if (coverage.checksum != i) continue;
        const uint16_t factor = Factor(edit.editor.field, checksum, coverage.weight);
        if (factor == 0) continue;
        edit.parts.push_back({.column = static_cast<uint8_t>(summed_.size()), .factor = factor});
        changes = true;
      }
    }
    if (changes) summed_.push_back(checksum);
  }
}

void Frames::AddTemplates(const StreamPlan& plan, bool version) {
  for (std::vector<uint8_t> frame : plan.frames) {
    if (version) SetVersion(plan, frame);
    Template made = MakeTemplate(frame, plan.signature, plan.id);
    for (size_t column = 0; column < summed_.size(); ++column) {
      uint64_t sum = SumOf(summed_[column], frame.data());
      for (const auto& edit : edits_) {
        const uint64_t value = edit.editor.field.Read(frame.data());
        for (const Part& part : edit.parts) {
          if (part.column == column) sum += uint64_t{wire::Negative(value)} * part.factor;
        }
      }
      made.sums[column] = wire::Fold(sum);
    }
    templates_[version ? 1 : 0].push_back(std::move(made));
  }
}

void Frames::Choose(Cursor& cursor, const Run& run, const Template** chosen) const {
  std::array<uint16_t, kBurst> indices;
  order_.Choose(cursor.order, run.first, run.count, indices.data());
  const Template* const templates = Templates(run.version).data();
  for (uint16_t i = 0; i < run.count; ++i) chosen[i] = templates + indices[i];
}

void Frames::WriteEdits(Cursor& cursor, const Run& run, const Template* const* chosen,
                        uint8_t* const* frames) const {
  std::array<uint64_t, kBurst> values;
  std::array<SumColumn, kMaxChecksums> sums;
  for (size_t column = 0; column < summed_.size(); ++column) {
    if (const Template* only = Only(run.version)) {
      std::fill_n(sums[column].data(), run.count, only->sums[column]);
    } else {
      for (uint16_t i = 0; i < run.count; ++i) sums[column][i] = chosen[i]->sums[column];
    }
  }
  for (size_t e = 0; e < edits_.size(); ++e) {
    const Edit& edit = edits_[e];
    edit.editor.Fill(cursor.editors[e], run.first, run.count, values.data());
    edit.editor.field.Write(values.data(), run.count, frames);
    for (const Part& part : edit.parts) {
      AddToSums(values.data(), run.count, edit.editor.field.bits(), part.factor, sums[part.column]);
    }
  }
  for (size_t column = 0; column < summed_.size(); ++column) {
    WriteSums(summed_[column], sums[column], run.count, frames);
  }
}

void Frames::Write(Cursor& cursor, const Run& run, const Template* const* chosen,
                   uint8_t* const* frames) const {
  if (!edits_.empty()) WriteEdits(cursor, run, chosen, frames);
  const Template& any = templates_[0].front();
  if (any.signature) {
    const wire::SignatureWriter writer(any.signature_id, any.signature_sum, run.now_ns);
    for (uint16_t i = 0; i < run.count; ++i) {
      writer.Write(frames[i] + chosen[i]->SignatureOffset(), run.sequence + i);
    }
  }
  for (const auto& crc : crcs_) {
    for (uint16_t i = 0; i < run.count; ++i) WriteCrc(crc, frames[i], chosen[i]->bytes.size());
  }
}

}  // namespace tester
