// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/source.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/random_numbers.h"
#include "generator/frames/column.h"

namespace tester {
namespace {

TESTER_COLUMN_LOOP void MakeSteps(uint64_t begin, uint64_t increment, uint64_t mask, size_t count,
                                  uint64_t* values) {
  for (size_t i = 0; i < count; ++i, begin += increment) values[i] = begin & mask;
}

TESTER_COLUMN_LOOP void MakeRandomBits(uint64_t seed, uint64_t number, uint64_t base, uint64_t mask,
                                       size_t count, uint64_t* values) {
  for (size_t i = 0; i < count; ++i) values[i] = base | (RandomNumber(seed, number + i) & mask);
}

// Calls make(position, count, values) for the one or two parts of the first period. The values then
// repeat.
template <typename Make>
void FillPeriodic(SourcePlace& place, uint64_t number, size_t count, uint64_t period,
                  uint64_t* values, const Make& make) {
  if (place.next != number) [[unlikely]]
    place.position = number % period;
  place.next = number + count;
  const auto distinct = static_cast<size_t>(std::min<uint64_t>(count, period));
  const auto before_wrap =
      static_cast<size_t>(std::min<uint64_t>(distinct, period - place.position));
  make(place.position, before_wrap, values);
  if (before_wrap < distinct) make(uint64_t{0}, distinct - before_wrap, values + before_wrap);
  for (size_t filled = distinct; filled < count;) {
    const size_t again = std::min(filled, count - filled);
    std::copy_n(values, again, values + filled);
    filled += again;
  }
  const uint64_t moved = count < period ? count : count % period;
  place.position += moved < period - place.position ? moved : moved - period;
}

}  // namespace

void Step::Fill(SourcePlace& place, uint64_t number, size_t count, uint64_t* values) const {
  const auto make = [this](uint64_t position, size_t stretch, uint64_t* to) {
    MakeSteps(first_ + position * increment_, increment_, mask_, stretch, to);
  };
  FillPeriodic(place, number, count, count_, values, make);
}

Values::Values(std::vector<uint64_t> values) : values_(std::move(values)) {}

void Values::Fill(SourcePlace& place, uint64_t number, size_t count, uint64_t* values) const {
  const auto make = [this](uint64_t position, size_t stretch, uint64_t* to) {
    std::copy_n(values_.data() + position, stretch, to);
  };
  FillPeriodic(place, number, count, values_.size(), values, make);
}

void RandomBits::Fill(SourcePlace&, uint64_t number, size_t count, uint64_t* values) const {
  MakeRandomBits(seed_, number, base_, mask_, count, values);
}

RandomRange::RandomRange(uint64_t seed, uint64_t first, uint64_t count)
    : seed_(seed), first_(first), count_(count), mask_(std::bit_floor(count) - 1) {}

uint64_t RandomRange::Increment(uint64_t number) const {
  return RandomNumber(seed_, number) & mask_;
}

void RandomRange::Seek(SourcePlace& place, uint64_t number) const {
  for (; place.next < number; ++place.next) {
    place.position += Increment(place.next);
    if (place.position >= count_) place.position -= count_;
  }
  for (; place.next > number; --place.next) {
    const uint64_t increment = Increment(place.next - 1);
    place.position += place.position < increment ? count_ - increment : -increment;
  }
}

void RandomRange::Fill(SourcePlace& place, uint64_t number, size_t count, uint64_t* values) const {
  if (place.next != number) [[unlikely]]
    Seek(place, number);
  uint64_t n = place.position;
  for (size_t i = 0; i < count; ++i) {
    n += Increment(number + i);
    n -= n >= count_ ? count_ : 0;
    values[i] = first_ + n;
  }
  place = {.next = number + count, .position = n};
}

Distribution::Distribution(uint64_t seed, std::vector<uint64_t> values,
                           std::vector<uint64_t> cumulative)
    : seed_(seed), values_(std::move(values)), cumulative_(std::move(cumulative)) {
  const size_t parts = std::bit_ceil(std::max<size_t>(2, values_.size()));
  guide_shift_ = 64 - std::countr_zero(parts);
  uint32_t bound = 0;
  for (uint64_t part = 0; part < parts; ++part) {
    while (cumulative_[bound] < part << guide_shift_) ++bound;
    guide_.push_back(bound);
  }
  guide_.push_back(static_cast<uint32_t>(cumulative_.size() - 1));
}

uint64_t Distribution::Draw(uint64_t random) const {
  const uint64_t part = random >> guide_shift_;
  const auto begin = cumulative_.begin();
  const auto found = std::lower_bound(begin + guide_[part], begin + guide_[part + 1], random);
  return values_[static_cast<size_t>(found - begin)];
}

void Distribution::Fill(SourcePlace&, uint64_t number, size_t count, uint64_t* values) const {
  for (size_t i = 0; i < count; ++i) values[i] = Draw(RandomNumber(seed_, number + i));
}

}  // namespace tester
