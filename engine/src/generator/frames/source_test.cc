// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "base/random_numbers.h"

namespace tester {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

std::vector<uint64_t> Take(const Source& source, SourcePlace& place, uint64_t number,
                           size_t count) {
  std::vector<uint64_t> values(count);
  FillValues(source, place, number, count, values.data());
  return values;
}

std::vector<uint64_t> First(const Source& source, size_t count) {
  SourcePlace place;
  return Take(source, place, 0, count);
}

// A source in a hurry to do it right: by the definitions of plan.proto, from the beginning.
using Naive = std::function<std::vector<uint64_t>(size_t count)>;

std::vector<uint64_t> NaiveRange(uint64_t seed, uint64_t first, uint64_t count, size_t values) {
  uint64_t power = 1;
  while (power <= count / 2) power *= 2;
  std::vector<uint64_t> made;
  uint64_t n = 0;
  for (size_t i = 0; i < values; ++i) {
    n = (n + RandomNumber(seed, i) % power) % count;
    made.push_back(first + n);
  }
  return made;
}

TEST(Source, RandomNumbersAreThoseOfSplitMix64) {
  EXPECT_EQ(RandomNumber(0, 0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(RandomNumber(0, 1), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(RandomNumber(0, 2), 0x06c45d188009454fU);
  EXPECT_EQ(RandomNumber(1234567, 0), 6457827717110365317U);
  EXPECT_EQ(RandomNumber(1234567, 4), 16408922859458223821U);
}

TEST(Step, WrapsAfterItsCount) {
  EXPECT_EQ(First(Step(10, 3, 4, kAll), 6), (std::vector<uint64_t>{10, 13, 16, 19, 10, 13}));
}

TEST(Step, FallsAndStaysInItsField) {
  const auto minus_two = static_cast<uint64_t>(int64_t{-2});
  EXPECT_EQ(First(Step(3, minus_two, 5, 0xff), 6), (std::vector<uint64_t>{3, 1, 255, 253, 251, 3}));
}

TEST(Step, HasNoLimitOfItsOwn) {
  SourcePlace place;
  EXPECT_EQ(Take(Step(5, 1, kAll, kAll), place, kAll - 1, 1).front(), 3U);
}

TEST(Values, FollowEachOther) {
  EXPECT_EQ(First(Values({7, 5, 9}), 7), (std::vector<uint64_t>{7, 5, 9, 7, 5, 9, 7}));
}

TEST(RandomBits, KeepsWhatIsNotMasked) {
  const auto values = First(RandomBits(1, 0x0a0b0c0d, 0xff00), 100);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], 0x0a0b000dU | (RandomNumber(1, i) & 0xff00));
  }
}

TEST(RandomRange, OfOneValueIsThatValue) {
  EXPECT_EQ(First(RandomRange(9, 42, 1), 3), (std::vector<uint64_t>{42, 42, 42}));
}

TEST(RandomRange, IsAsThePaperSays) {
  for (const uint64_t count : {2ULL, 3ULL, 4ULL, 1000ULL, 65536ULL, 1ULL << 40, 1ULL << 63}) {
    EXPECT_EQ(First(RandomRange(count, 17, count), 300), NaiveRange(count, 17, count, 300))
        << count;
  }
}

// The distance of observed from expected counts, in standard deviations of chi-square.
double ChiSquareDeviation(const std::vector<uint64_t>& counts, double expected) {
  double sum = 0;
  for (const uint64_t count : counts) {
    sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

TEST(RandomRange, IsUniform) {
  constexpr uint64_t kCount = 1000;
  constexpr size_t kDrawn = 1'000'000;
  std::vector<uint64_t> counts(kCount);
  for (const uint64_t value : First(RandomRange(5, 100, kCount), kDrawn)) {
    ++counts.at(value - 100);
  }
  EXPECT_LT(std::abs(ChiSquareDeviation(counts, double{kDrawn} / kCount)), 3.0);
}

TEST(Distribution, IsTheInverseOfItsCumulativeOne) {
  const std::vector<uint64_t> values = {10, 20, 30, 40};
  // The second value is never drawn: its bound equals the first one.
  const std::vector<uint64_t> bounds = {kAll / 4, kAll / 4, kAll / 4 * 3, kAll};
  const auto drawn = First(Distribution(3, values, bounds), 40'000);
  std::vector<uint64_t> counts(values.size());
  for (size_t i = 0; i < drawn.size(); ++i) {
    size_t j = 0;
    while (RandomNumber(3, i) > bounds[j]) ++j;
    ASSERT_EQ(drawn[i], values[j]) << i;
    ++counts[j];
  }
  EXPECT_EQ(counts[1], 0U);
  EXPECT_LT(std::abs(ChiSquareDeviation({counts[0], counts[3]}, 10'000)), 3.0);
}

TEST(Distribution, WithManyBoundsInOnePlace) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> values;
  std::vector<uint64_t> bounds;
  for (uint64_t i = 0; i < 999; ++i) {
    values.push_back(i);
    bounds.push_back((kAll / 2) + i * 1'000'000'000'000);  // within 2^-14 of the whole
  }
  values.push_back(999);
  bounds.push_back(kAll);
  const auto drawn = First(Distribution(8, values, bounds), 20'000);
  for (size_t i = 0; i < drawn.size(); ++i) {
    const auto j = std::lower_bound(bounds.begin(), bounds.end(), RandomNumber(8, i));
    ASSERT_EQ(drawn[i], static_cast<uint64_t>(j - bounds.begin()));
  }
}

TEST(Distribution, OfOneValue) {
  EXPECT_EQ(First(Distribution(1, {77}, {kAll}), 3), (std::vector<uint64_t>{77, 77, 77}));
}

// From anywhere to anywhere, as a driver that refuses frames has it.
TEST(Source, IsAFunctionOfTheNumber) {
  const std::vector<Source> sources = {Step(5, 7, 23, 0xffff), Values({4, 8, 15, 16, 23, 42}),
                                       RandomBits(11, 0, 0xffff), RandomRange(12, 3, 1000),
                                       Distribution(13, {1, 2, 3}, {kAll / 3, kAll / 2, kAll})};
  std::mt19937_64 random(2);
  for (const Source& source : sources) {
    const auto all = First(source, 2000);
    SourcePlace place;
    for (int i = 0; i < 500; ++i) {
      const size_t count = 1 + random() % 64;
      const size_t number = random() % 3 == 0 ? random() % (all.size() - count)
                                              : std::min(place.next, all.size() - count);
      const auto values = Take(source, place, number, count);
      ASSERT_TRUE(std::equal(values.begin(), values.end(), all.begin() + number))
          << "source " << source.index() << ", " << count << " from " << number;
    }
  }
}

}  // namespace
}  // namespace tester
