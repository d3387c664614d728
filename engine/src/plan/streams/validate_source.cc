// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/streams/validate_source.h"

#include "base/text.h"
#include "plan/refuse.h"

namespace tester {
namespace {

constexpr uint64_t kMostInRange = uint64_t{1} << 63;

void CheckFits(uint64_t value, std::string_view what, const Field& field, std::string_view where) {
  if ((value & ~field.mask()) != 0) {
    Refuse(where, what, " ", value, " does not fit a field of ", field.bits(), " bits; at most ",
           field.mask());
  }
}

void CheckCount(int count, int most, std::string_view what, std::string_view where) {
  if (count < 1 || count > most) {
    Refuse(where, count, " ", what, "; allowed are 1 to ", most);
  }
}

std::vector<uint64_t> ValuesOf(const google::protobuf::RepeatedField<uint64_t>& values, int most,
                               const Field& field, std::string_view where) {
  CheckCount(values.size(), most, "values", where);
  for (const uint64_t value : values) CheckFits(value, "value", field, where);
  return {values.begin(), values.end()};
}

Step StepOf(const v1::Step& step, const Field& field, std::string_view where) {
  CheckFits(step.first(), "first", field, where);
  if (step.count() == 0) Refuse(where, "a step with count 0; at least 1");
  return {step.first(), static_cast<uint64_t>(step.increment()), step.count(), field.mask()};
}

RandomBits RandomBitsOf(const v1::RandomBits& bits, const Field& field, std::string_view where) {
  CheckFits(bits.base(), "base", field, where);
  CheckFits(bits.mask(), "mask", field, where);
  return {bits.seed(), bits.base(), bits.mask()};
}

RandomRange RandomRangeOf(const v1::RandomRange& range, const Field& field,
                          std::string_view where) {
  CheckFits(range.first(), "first", field, where);
  if (range.count() < 1 || range.count() > kMostInRange) {
    Refuse(where, "a range of ", range.count(), " values; allowed are 1 to 2^63");
  }
  if (range.count() - 1 > field.mask() - range.first()) {
    Refuse(where, "a range of ", range.count(), " values from ", range.first(),
           " on does not fit a field of ", field.bits(), " bits; at most ", field.mask());
  }
  return {range.seed(), range.first(), range.count()};
}

Distribution DistributionOf(const v1::Distribution& distribution, const Field& field,
                            std::string_view where) {
  std::vector<uint64_t> values = ValuesOf(distribution.values(), kMaxBounds, field, where);
  const auto& bounds = distribution.cumulative();
  if (bounds.size() != distribution.values_size()) {
    Refuse(where, values.size(), " values and ", bounds.size(), " cumulative bounds; as many");
  }
  for (int i = 1; i < bounds.size(); ++i) {
    if (bounds[i] < bounds[i - 1]) {
      Refuse(where, "cumulative ", i, " is ", bounds[i], ", the one before ", bounds[i - 1],
             "; they must not fall");
    }
  }
  if (bounds[bounds.size() - 1] != UINT64_MAX) {
    Refuse(where, "the last cumulative bound is ", bounds[bounds.size() - 1], "; it must be ",
           UINT64_MAX, " (2^64 - 1)");
  }
  return {distribution.seed(), std::move(values), {bounds.begin(), bounds.end()}};
}

}  // namespace

Source ValidateSource(const v1::Editor& editor, const Field& field, std::string_view where) {
  switch (editor.source_case()) {
    case v1::Editor::kStep:
      return StepOf(editor.step(), field, Cat(where, ", step"));
    case v1::Editor::kValues:
      return Values(ValuesOf(editor.values().values(), kMaxValues, field, Cat(where, ", values")));
    case v1::Editor::kRandomBits:
      return RandomBitsOf(editor.random_bits(), field, Cat(where, ", random_bits"));
    case v1::Editor::kRandomRange:
      return RandomRangeOf(editor.random_range(), field, Cat(where, ", random_range"));
    case v1::Editor::kDistribution:
      return DistributionOf(editor.distribution(), field, Cat(where, ", distribution"));
    case v1::Editor::SOURCE_NOT_SET:
      break;
  }
  Refuse(where, "no source of values");
}

}  // namespace tester
