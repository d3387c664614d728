// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/streams/validate_fields.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "plan/refuse.h"
#include "wire/signature.h"

namespace tester {
namespace {

constexpr int kMostFieldValues = 256;
constexpr size_t kMostNameBytes = 128;

FieldComparison ComparisonOf(const v1::ExpectedField& field, std::string_view where) {
  switch (field.comparison()) {
    case v1::ExpectedField::COMPARISON_EQUAL:
      return FieldComparison::kEqual;
    case v1::ExpectedField::COMPARISON_NOT_EQUAL:
      return FieldComparison::kNotEqual;
    case v1::ExpectedField::COMPARISON_LESS:
      return FieldComparison::kLess;
    case v1::ExpectedField::COMPARISON_AT_MOST:
      return FieldComparison::kAtMost;
    case v1::ExpectedField::COMPARISON_GREATER:
      return FieldComparison::kGreater;
    case v1::ExpectedField::COMPARISON_AT_LEAST:
      return FieldComparison::kAtLeast;
    default:
      Refuse(where, "comparison ", static_cast<int>(field.comparison()), " is none that there is");
  }
}

void CheckFits(uint64_t value, const Field& field, std::string_view where) {
  if (value > field.mask()) {
    Refuse(where, "the value ", value, "; a field of ", field.bits(), " bits has at most ",
           field.mask());
  }
}

FieldRelation RelationToSent(const v1::ExpectedField::Sent& sent, FieldComparison comparison,
                             const Field& field, std::string_view where) {
  FieldRelation relation{.comparison = comparison, .of_sent = true};
  relation.difference = sent.difference();
  const auto most = static_cast<int64_t>(field.mask());
  if (sent.difference() > most || sent.difference() < -most) {
    Refuse(where, "a difference of ", sent.difference(), "; a field of ", field.bits(),
           " bits allows ", -most, " to ", most);
  }
  if (sent.rewritten_size() > kMostFieldValues) {
    Refuse(where, sent.rewritten_size(), " rewritten values; at most ", kMostFieldValues);
  }
  for (const auto& rewrite : sent.rewritten()) {
    CheckFits(rewrite.sent(), field, where);
    CheckFits(rewrite.arrives(), field, where);
    if (!relation.rewritten.emplace(rewrite.sent(), rewrite.arrives()).second) {
      Refuse(where, "the sent value ", rewrite.sent(), " is rewritten twice");
    }
  }
  return relation;
}

FieldRelation RelationToValues(const v1::ExpectedField& in, FieldComparison comparison,
                               const Field& field, std::string_view where) {
  const bool equality =
      comparison == FieldComparison::kEqual || comparison == FieldComparison::kNotEqual;
  if (in.values().values_size() < 1 ||
      in.values().values_size() > (equality ? kMostFieldValues : 1)) {
    Refuse(where, in.values().values_size(), " values; ", equality ? "1 to 256" : "one",
           " can be compared with");
  }
  FieldRelation relation{.comparison = comparison};
  for (const uint64_t value : in.values().values()) {
    CheckFits(value, field, where);
    relation.values.push_back(value);
  }
  return relation;
}

// A field that only editors change, with known values.
Field FieldOf(const v1::ExpectedField& in, const FramesPlan& contents, std::string_view where) {
  if (in.bits() < 1 || in.bits() > FieldExpectation::kMostBits) {
    Refuse(where, "a field of ", in.bits(), " bits; allowed are 1 to ",
           FieldExpectation::kMostBits);
  }
  size_t shortest = SIZE_MAX;
  for (const auto& frame : contents.frames) shortest = std::min(shortest, frame.size());
  const uint64_t most = 8 * (shortest - wire::kSignatureBytes);
  if (uint64_t{in.bit_offset()} + in.bits() > most) {
    Refuse(where, "bits ", in.bit_offset(), " to ", uint64_t{in.bit_offset()} + in.bits() - 1,
           "; the shortest frame, without its signature, has bits 0 to ", most - 1);
  }
  const Field field(in.bit_offset(), in.bits());
  const auto refuse_shared = [&](const Field& other, std::string_view what) {
    if (field.Overlaps(other)) {
      Refuse(where, "it shares bits with ", what, ", whose values are not known frame by frame");
    }
  };
  if (contents.version) refuse_shared(contents.version->field, "the version");
  for (const Checksum& checksum : contents.checksums) {
    refuse_shared(checksum.field(), "a checksum that follows other fields");
  }
  return field;
}

FieldExpectation ValidateField(const v1::ExpectedField& in, const FramesPlan& contents,
                               std::string_view where) {
  if (in.name().empty() || in.name().size() > kMostNameBytes) {
    Refuse(where, "a name of ", in.name().size(), " bytes; allowed are 1 to ", kMostNameBytes);
  }
  const Field field = FieldOf(in, contents, where);
  const FieldComparison comparison = ComparisonOf(in, where);
  FieldRelation relation = in.has_sent() ? RelationToSent(in.sent(), comparison, field, where)
                                         : RelationToValues(in, comparison, field, where);
  return {.name = in.name(), .field = field, .relation = std::move(relation)};
}

}  // namespace

std::shared_ptr<const ExpectedFields> ValidateFields(const v1::Stream& stream,
                                                     const FramesPlan& contents,
                                                     std::string_view where) {
  if (stream.expected_fields().empty()) return nullptr;
  if (!stream.signature() || contents.frames.empty()) {
    Refuse(where, "expected_fields of a stream without signature and frames");
  }
  if (static_cast<size_t>(stream.expected_fields_size()) > kMostFieldExpectations) {
    Refuse(where, stream.expected_fields_size(), " expected fields; at most ",
           kMostFieldExpectations);
  }
  std::vector<FieldExpectation> valid;
  for (const auto& field : stream.expected_fields()) {
    const std::string which = Cat(where, ", expected field ", Quote(field.name()));
    valid.push_back(ValidateField(field, contents, which));
    for (size_t i = 0; i + 1 < valid.size(); ++i) {
      if (valid[i].name == field.name()) Refuse(which, "another one has this name");
    }
  }
  return std::make_shared<const ExpectedFields>(std::move(valid), contents);
}

}  // namespace tester
