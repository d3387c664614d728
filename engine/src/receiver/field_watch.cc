// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/field_watch.h"

#include <algorithm>
#include <utility>

#include "receiver/header_structure.h"
#include "wire/bytes.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr size_t kLoadedBytes = 8;
constexpr size_t kMacsBits = 8 * wire::kMacsBytes;
constexpr size_t kTagBits = size_t{wire::kVlanTagBytes} * 8;

// At most FieldExpectation::kMostBits from any bit on; eight bytes are there.
uint64_t LoadBits(const uint8_t* frame, size_t bit, uint32_t bits) {
  return wire::Load64(frame + bit / 8) << bit % 8 >> (64 - bits);
}

void CountWrong(FieldCounts& counts, uint64_t arrived, uint64_t sent, uint64_t sequence) {
  if (counts.wrong.Get() == 0) counts.first_sequence.Set(sequence);
  counts.wrong.Add(1);
  if (arrived == FieldCounts::Example::kUnknown) counts.absent.Add(1);
  for (FieldCounts::Example& example : counts.examples) {
    if (example.frames.Get() == 0) {
      example.arrived.Set(arrived);
      example.sent.Set(sent);
    }
    if (example.arrived.Get() != arrived || example.sent.Get() != sent) continue;
    example.frames.Add(1);
    return;
  }
}

}  // namespace

ExpectedFields::ExpectedFields(std::vector<FieldExpectation> expectations,
                               const FramesPlan& contents)
    : expectations_(std::move(expectations)), order_(contents.order, contents.frames.size()) {
  size_t end = 0;
  for (const FieldExpectation& expected : expectations_) {
    end = std::max<size_t>(end, expected.field.bit_end());
    auto& by = changed_.emplace_back();
    for (const Editor& editor : contents.editors) {
      if (!editor.field.Overlaps(expected.field)) continue;
      by.push_back(editors_.size());
      editors_.push_back(editor);
      end = std::max<size_t>(end, editor.field.bit_end());
    }
  }
  const wire::HeaderWalk first(contents.frames.front(), contents.frames.front().size());
  sent_tags_ = first.tags();
  for (const auto& expected : expectations_)
    locations_.push_back(LocationOf(expected.field, first));
  for (const auto& frame : contents.frames) {
    const wire::HeaderWalk walk(frame, frame.size());
    std::vector<uint8_t> mask(walk.end_of_headers());
    for (const BitRange& bits : Structure(walk)) SetBits(mask, bits, true);
    Template made{.headers = {frame.begin(), frame.begin() + static_cast<ptrdiff_t>((end + 7) / 8)},
                  .bytes = frame.size(),
                  .shape = FramePattern(frame, std::move(mask)),
                  .values = {}};
    for (const auto& expected : expectations_) {
      made.values.push_back(expected.field.Read(frame.data()));
    }
    templates_.push_back(std::move(made));
  }
}

ExpectedFields::FieldLocation ExpectedFields::LocationOf(const Field& field,
                                                         const wire::HeaderWalk& walk) const {
  const size_t byte = field.bit_offset() / 8;
  FieldLocation location{.kind = {}, .number = 0, .bit = field.bit_offset()};
  for (const wire::Header& header : walk.headers()) {
    if (byte < header.at.begin || byte >= header.at.end()) continue;
    location.kind = header.kind;
    location.bit = field.bit_offset() - header.at.begin * 8;
    location.number =
        static_cast<size_t>(std::ranges::count_if(walk.headers(), [&](const auto& other) {
          return other.kind == header.kind && other.at.begin < header.at.begin;
        }));
  }
  return location;
}

ExpectedFields::ValueCursor ExpectedFields::Begin() const {
  return {.editors = std::vector<EditorPlace>(editors_.size())};
}

size_t ExpectedFields::FrameOf(ValueCursor& cursor, uint64_t sequence) const {
  if (templates_.size() == 1) return 0;
  uint16_t frame = 0;
  order_.Choose(cursor.order, sequence, 1, &frame);
  return frame;
}

uint64_t ExpectedFields::Sent(ValueCursor& cursor, size_t index, size_t frame,
                              uint64_t sequence) const {
  const Template& sent = templates_[frame];
  if (changed_[index].empty()) return sent.values[index];
  cursor.headers.assign(sent.headers.begin(), sent.headers.end());
  for (const size_t by : changed_[index]) {
    uint64_t value = 0;
    editors_[by].Fill(cursor.editors[by], sequence, 1, &value);
    editors_[by].field.Write(value, cursor.headers.data());
  }
  return expectations_[index].field.Read(cursor.headers.data());
}

bool ExpectedFields::HasTheSameHeaders(const SignedFrame& seen, size_t frame) const {
  const Template& sent = templates_[frame];
  return seen.bytes == sent.bytes && seen.end == sent.bytes && seen.frame.size() == sent.bytes &&
         sent.shape.Matches(seen.frame.data());
}

uint64_t ExpectedFields::ReadInPlace(const SignedFrame& seen, size_t index) const {
  const Field& field = expectations_[index].field;
  return LoadBits(seen.frame.data(), field.bit_offset(), field.bits());
}

std::optional<uint64_t> ExpectedFields::Find(const SignedFrame& seen, const wire::HeaderWalk& walk,
                                             size_t index) const {
  const FieldLocation& location = locations_[index];
  const uint32_t bits = expectations_[index].field.bits();
  size_t bit = location.bit;
  if (location.kind) {
    size_t before = location.number;
    const auto found = std::ranges::find_if(walk.headers(), [&](const wire::Header& header) {
      return header.kind == location.kind && before-- == 0;
    });
    if (found == walk.headers().end() || bit + bits > found->at.size * 8) return std::nullopt;
    bit += found->at.begin * 8;
  } else {
    bit += walk.tags() * kTagBits;
    if (bit < kMacsBits + sent_tags_ * kTagBits) return std::nullopt;
    bit -= sent_tags_ * kTagBits;
  }
  if (bit / 8 + kLoadedBytes > seen.frame.size()) return std::nullopt;
  return LoadBits(seen.frame.data(), bit, bits);
}

FieldWatch::FieldWatch(std::shared_ptr<const ExpectedFields> fields)
    : fields_(std::move(fields)), cursor_(fields_->Begin()) {}

void FieldWatch::Look(const SignedFrame& seen, uint64_t sequence, bool numbered) {
  using Example = FieldCounts::Example;
  const size_t frame = numbered ? fields_->FrameOf(cursor_, sequence) : 0;
  const bool in_place = fields_->HasTheSameHeaders(seen, frame);
  std::optional<wire::HeaderWalk> walk;
  if (!in_place) walk.emplace(seen.frame, std::min(seen.end, seen.frame.size()));
  for (size_t i = 0; i < fields_->expectations().size(); ++i) {
    const FieldRelation& relation = fields_->expectations()[i].relation;
    FieldCounts& counts = counts_[i];
    if (!numbered && relation.of_sent) {
      counts.unknown.Add(1);
      continue;
    }
    counts.compared.Add(1);
    const uint64_t sent = numbered ? fields_->Sent(cursor_, i, frame, sequence) : Example::kUnknown;
    const std::optional<uint64_t> arrived =
        in_place ? fields_->ReadInPlace(seen, i) : fields_->Find(seen, *walk, i);
    if (arrived && relation.Holds(*arrived, sent)) continue;
    CountWrong(counts, arrived.value_or(Example::kUnknown), sent, sequence);
  }
}

}  // namespace tester
