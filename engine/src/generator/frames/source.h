// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The values of an edited field, as a function of their number. A burst of values is made at a
// time; continuing the last burst costs an addition or a random number for each value, and no
// division.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace tester {

// How far a source has come. A new one stands before value 0.
struct SourcePlace {
  uint64_t next = 0;      // number of the next value
  uint64_t position = 0;  // Step, Values: of the next value in its period; RandomRange: n(next - 1)
};

class Step {
 public:
  // count at least 1; `mask` has the bits of the field.
  Step(uint64_t first, uint64_t increment, uint64_t count, uint64_t mask)
      : first_(first), increment_(increment), count_(count), mask_(mask) {}
  void Fill(SourcePlace& place, uint64_t number, size_t count, uint64_t* values) const;

 private:
  uint64_t first_;
  uint64_t increment_;
  uint64_t count_;
  uint64_t mask_;
};

class Values {
 public:
  // At least one.
  explicit Values(std::vector<uint64_t> values);
  void Fill(SourcePlace& place, uint64_t number, size_t count, uint64_t* values) const;

 private:
  std::vector<uint64_t> values_;
};

class RandomBits {
 public:
  RandomBits(uint64_t seed, uint64_t base, uint64_t mask)
      : seed_(seed), base_(base & ~mask), mask_(mask) {}
  void Fill(SourcePlace& place, uint64_t number, size_t count, uint64_t* values) const;

 private:
  uint64_t seed_;
  uint64_t base_;
  uint64_t mask_;
};

// The only source whose values depend on earlier ones: a jump costs a step for each value between.
class RandomRange {
 public:
  // count 1 to 2^63.
  RandomRange(uint64_t seed, uint64_t first, uint64_t count);
  void Fill(SourcePlace& place, uint64_t number, size_t count, uint64_t* values) const;

 private:
  uint64_t Increment(uint64_t number) const;
  void Seek(SourcePlace& place, uint64_t number) const;

  uint64_t seed_;
  uint64_t first_;
  uint64_t count_;
  uint64_t mask_;
};

class Distribution {
 public:
  // As many bounds as values, at least one. Bounds never fall; the last one is 2^64 - 1.
  Distribution(uint64_t seed, std::vector<uint64_t> values, std::vector<uint64_t> cumulative);
  void Fill(SourcePlace& place, uint64_t number, size_t count, uint64_t* values) const;

 private:
  uint64_t Draw(uint64_t random) const;

  uint64_t seed_;
  std::vector<uint64_t> values_;
  std::vector<uint64_t> cumulative_;
  // By the highest bits of a random number: the first bound that may apply. One entry more than
  // values of these bits, so that the last one has an end too.
  std::vector<uint32_t> guide_;
  int guide_shift_;
};

using Source = std::variant<Step, Values, RandomBits, RandomRange, Distribution>;

// Makes `count` values from value `number` on.
inline void FillValues(const Source& source, SourcePlace& place, uint64_t number, size_t count,
                       uint64_t* values) {
  std::visit([&](const auto& each) { each.Fill(place, number, count, values); }, source);
}

}  // namespace tester
