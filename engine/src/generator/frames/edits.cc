// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/edits.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wire/checksum.h"

namespace tester {
namespace {

constexpr uint32_t kHalf = Window::kMostBits;

bool IsWide(const Field& field) { return field.bits() > kHalf; }

// Leaves the high bits, and puts the low ones into the next column.
TESTER_COLUMN_LOOP void Halve(size_t count, Column* values) {
  for (size_t i = 0; i < count; ++i) {
    values[1][i] = values[0][i] & 0xffffffff;
    values[0][i] >>= kHalf;
  }
}

}  // namespace

Edits::Edits(std::vector<Editor> editors, const std::vector<Checksum>& checksums, size_t bytes)
    : editors_(std::move(editors)) {
  if (editors_.empty()) return;
  for (size_t e = 0; e < editors_.size(); ++e) AddFields(e);
  for (size_t i = 0; i < checksums.size(); ++i) {
    if (checksums[i].kind != Checksum::Kind::kCrc32c) AddChecksum(i, checksums[i]);
  }
  for (const auto& summed : summed_) fields_.push_back(summed.checksum.field());
  windows_ = MakeWindows(fields_, bytes);
}

void Edits::AddFields(size_t editor) {
  const Field& field = editors_[editor].field;
  if (IsWide(field)) {
    fields_.emplace_back(field.bit_offset(), field.bits() - kHalf);
    fields_.emplace_back(field.bit_end() - kHalf, kHalf);
  } else {
    fields_.push_back(field);
  }
  editor_of_.resize(fields_.size(), editor);
}

void Edits::AddChecksum(size_t number, const Checksum& checksum) {
  Summed summed{.checksum = checksum, .shares = {}};
  for (size_t column = 0; column < editor_of_.size(); ++column) {
    for (const auto& coverage : editors_[editor_of_[column]].coverage) {
      if (coverage.checksum != number) continue;
      std::ranges::copy(SharesOf(fields_[column], column, checksum, coverage.weight),
                        std::back_inserter(summed.shares));
    }
  }
  if (!summed.shares.empty()) summed_.push_back(std::move(summed));
}

uint64_t Edits::SumWithout(const Summed& summed, const uint8_t* frame) const {
  uint64_t sum = SumOf(summed.checksum, frame);
  for (const ShiftedColumn& share : summed.shares) {
    sum += wire::Negative(fields_[share.column].Read(frame) << share.shift);
  }
  return wire::Fold(sum);
}

std::vector<uint64_t> Edits::Unedited(const uint8_t* frame) const {
  std::vector<uint64_t> sums;
  for (const auto& summed : summed_) sums.push_back(SumWithout(summed, frame));
  for (const auto& window : windows_) sums.push_back(window.Unedited(frame));
  return sums;
}

void Edits::Write(EditorPlaces& places, const FrameRun& run, const Template* const* chosen,
                  bool same, uint8_t* const* frames) const {
  std::array<Column, kMostColumns> columns;
  size_t sum = 0;
  const auto add_up = [&](const std::vector<ShiftedColumn>& terms, Column& sums) {
    AddUp(terms, columns.data(), same ? chosen[0]->unedited[sum] : 0, run.count, sums);
    for (uint16_t k = 0; !same && k < run.count; ++k) sums[k] += chosen[k]->unedited[sum];
    ++sum;
  };
  Column* next = columns.data();
  for (size_t e = 0; e < editors_.size(); ++e) {
    editors_[e].Fill(places[e], run.first, run.count, next->data());
    const bool is_wide = IsWide(editors_[e].field);
    if (is_wide) Halve(run.count, next);
    next += is_wide ? 2 : 1;
  }
  for (const auto& summed : summed_) {
    add_up(summed.shares, *next);
    MakeChecksums(summed.checksum, run.count, *next++);
  }
  for (size_t w = 0; w < windows_.size(); w += kWindowsAtOnce) {
    std::array<Column, kWindowsAtOnce> words;
    const size_t at_once = std::min(kWindowsAtOnce, windows_.size() - w);
    for (size_t i = 0; i < at_once; ++i) add_up(windows_[w + i].fields, words[i]);
    StoreWindows({&windows_[w], at_once}, words.data(), run.count, frames);
  }
}

}  // namespace tester
