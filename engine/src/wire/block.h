// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sixteen bytes of a frame at once: compared under a mask, and their words of 16 bits added up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tester::wire {

inline constexpr size_t kBlockBytes = 16;

using Block = int16_t __attribute__((vector_size(kBlockBytes)));
using BlockSums = int32_t __attribute__((vector_size(kBlockBytes)));

inline Block LoadBlock(const uint8_t* from) {
  Block words;
  std::memcpy(&words, from, sizeof words);
  return words;
}

inline bool HasBits(Block words) {
  std::array<uint64_t, 2> halves;
  std::memcpy(halves.data(), &words, sizeof words);
  return (halves[0] | halves[1]) != 0;
}

// The sums, in the machine's order of bytes, of the words that `counts` has 1 for, and not 0; each
// word taken as 2^15 less: differences of such sums are those of the words.
inline BlockSums AddCounted(Block words, Block counts) {
  const Block shifted = words ^ INT16_MIN;
#ifdef __SSE2__
  __m128i left;
  __m128i right;
  std::memcpy(&left, &shifted, sizeof left);
  std::memcpy(&right, &counts, sizeof right);
  const __m128i products = _mm_madd_epi16(left, right);
  BlockSums sums;
  std::memcpy(&sums, &products, sizeof sums);
#else
  BlockSums sums;
  for (size_t i = 0; i < sizeof sums / sizeof sums[0]; ++i) {
    sums[i] =
        int32_t{shifted[2 * i]} * counts[2 * i] + int32_t{shifted[2 * i + 1]} * counts[2 * i + 1];
  }
#endif
  return sums;
}

// The totals of two.
inline std::array<int32_t, 2> Totals(BlockSums one, BlockSums other) {
  std::array<int32_t, 2> totals;
#ifdef __SSE2__
  __m128i left;
  __m128i right;
  std::memcpy(&left, &one, sizeof left);
  std::memcpy(&right, &other, sizeof right);
  const __m128i halves =
      _mm_add_epi32(_mm_unpacklo_epi32(left, right), _mm_unpackhi_epi32(left, right));
  const __m128i both = _mm_add_epi32(halves, _mm_unpackhi_epi64(halves, halves));
  std::memcpy(totals.data(), &both, sizeof totals);
#else
  totals = {one[0] + one[1] + one[2] + one[3], other[0] + other[1] + other[2] + other[3]};
#endif
  return totals;
}

}  // namespace tester::wire
