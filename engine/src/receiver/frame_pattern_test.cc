// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/frame_pattern.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "wire/signature.h"

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;
using Covered = std::vector<wire::Bytes>;

class FramePatternTest : public testing::Test {
 protected:
  size_t Below(size_t end) { return random() % end; }

  Bytes Random(size_t bytes) {
    Bytes made(bytes);
    for (uint8_t& byte : made) byte = static_cast<uint8_t>(random());
    return made;
  }

  // Fields that are equal, and others.
  Bytes Mask(size_t bytes) {
    Bytes mask(bytes);
    for (size_t at = 0; at < bytes;) {
      const size_t end = std::min(bytes, at + 1 + Below(20));
      const auto bits = static_cast<uint8_t>(Below(4) == 0 ? random() : Below(2) * 0xff);
      for (; at < end; ++at) mask[at] = bits;
    }
    return mask;
  }

  std::mt19937 random{7};
};

// The sum in one's complement, with 0 for both of its zeros.
uint64_t SumOf(const Bytes& frame, const Covered& covered) {
  uint64_t total = 0;
  for (const wire::Bytes& bytes : covered) {
    total += wire::Sum(Frame(frame).subspan(bytes.begin, bytes.size));
  }
  return total % 0xffff;
}

TEST_F(FramePatternTest, EachBitOfTheMaskIsCompared) {
  for (int round = 0; round < 200; ++round) {
    const Bytes sent = Random(wire::kSignatureBytes + 1 + Below(100));
    const Bytes mask = Mask(Below(sent.size() - wire::kSignatureBytes + 1));
    const FramePattern pattern(sent, mask);
    ASSERT_TRUE(pattern.Matches(sent.data()));
    for (size_t bit = 0; bit < sent.size() * 8; ++bit) {
      const auto one = static_cast<uint8_t>(0x80U >> bit % 8);
      Bytes seen = sent;
      seen[bit / 8] ^= one;
      const bool counts = bit / 8 < mask.size() && (mask[bit / 8] & one) != 0;
      ASSERT_EQ(pattern.Matches(seen.data()), !counts) << "round " << round << ", bit " << bit;
    }
  }
}

TEST_F(FramePatternTest, EachSumStays) {
  size_t matched = 0;
  for (int round = 0; round < 10'000; ++round) {
    Bytes sent = Random(40 + Below(Below(10) == 0 ? 400 : 60));
    const Bytes mask = Mask(sent.size() - wire::kSignatureBytes);
    FramePattern pattern(sent, mask);
    std::vector<Covered> sums(1 + Below(5));
    for (Covered& covered : sums) {
      // Two addresses, and all that follows.
      const size_t body = 2 * (8 + Below(6));
      covered = {{.begin = 2 * Below(2), .size = 4}, {.begin = 8, .size = 2 * Below(4)}};
      covered.push_back({.begin = body, .size = Below(sent.size() - body)});
      pattern.AddSum(sent, covered);
    }
    Bytes seen = sent;
    for (size_t i = 0; i < mask.size(); ++i) {
      if (Below(3) == 0) seen[i] ^= static_cast<uint8_t>(random() & ~uint64_t{mask[i]});
    }
    if (Below(2) == 0 && sums.size() == 1) {  // repairs the sum, if a word may change
      const size_t at = sums[0][2].begin + 2 * Below(sums[0][2].size / 2 + 1);
      if (at + 2 <= sums[0][2].end() && at + 2 <= mask.size() && mask[at] + mask[at + 1] == 0) {
        wire::Store16(&seen[at], 0);
        const uint64_t lacking = SumOf(sent, sums[0]) + 0xffff - SumOf(seen, sums[0]);
        wire::Store16(&seen[at], static_cast<uint16_t>(lacking % 0xffff));
      }
    }
    bool stay = true;
    for (const Covered& covered : sums) stay &= SumOf(seen, covered) == SumOf(sent, covered);
    ASSERT_EQ(pattern.Matches(seen.data()), stay) << round;
    matched += stay && seen != sent ? 1 : 0;
  }
  EXPECT_GT(matched, 400U);
}

TEST_F(FramePatternTest, ASumOfWhatDoesNotChangeIsNone) {
  const Bytes sent = Random(60);
  FramePattern pattern(sent, Bytes(20, 0xff));
  EXPECT_FALSE(pattern.AddSum(sent, {{.begin = 4, .size = 16}}));
  EXPECT_TRUE(pattern.AddSum(sent, {{.begin = 4, .size = 18}}));
}

TEST_F(FramePatternTest, FieldsAreNotZero) {
  const Bytes sent(60, 1);
  FramePattern pattern(sent, {});
  pattern.AddNotZero({.begin = 8, .size = 1});
  pattern.AddNotZero({.begin = 40, .size = 2});
  Bytes seen = sent;
  seen[9] = seen[40] = 0;
  EXPECT_TRUE(pattern.Matches(seen.data()));
  seen[41] = 0;
  EXPECT_FALSE(pattern.Matches(seen.data()));
  seen[41] = 1;
  seen[8] = 0;
  EXPECT_FALSE(pattern.Matches(seen.data()));
}

}  // namespace
}  // namespace tester
