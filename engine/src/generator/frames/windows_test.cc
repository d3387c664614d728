// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Windows against fields that are written one by one, bit by bit.
#include "generator/frames/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes RandomBytes(size_t count, std::mt19937_64& random) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

uint32_t Draw(std::mt19937_64& random, uint32_t first, uint32_t last) {
  return std::uniform_int_distribution<uint32_t>(first, last)(random);
}

// Stores the values of all fields in some frames that had other values in them, each a copy of
// `frame`, and compares.
void Check(const std::vector<Field>& fields, const Bytes& frame, size_t count,
           std::mt19937_64& random) {
  std::vector<Column> values(fields.size());
  std::vector<Bytes> expected(count, frame);
  std::vector<Bytes> frames(count, frame);
  std::vector<uint8_t*> at;
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < fields.size(); ++i) {
      values[i][k] = random() & fields[i].mask();
      fields[i].Write(values[i][k], expected[k].data());
      fields[i].Write(random() & fields[i].mask(), frames[k].data());
    }
    at.push_back(frames[k].data());
  }
  const std::vector<Window> windows = MakeWindows(fields, frame.size());
  for (size_t w = 0; w < windows.size(); w += kWindowsAtOnce) {
    const auto at_once =
        std::span(windows).subspan(w, std::min(kWindowsAtOnce, windows.size() - w));
    std::array<Column, kWindowsAtOnce> words{};
    for (size_t i = 0; i < at_once.size(); ++i) {
      const uint64_t unedited = at_once[i].Unedited(frame.data());
      AddUp(at_once[i].fields, values.data(), unedited, count, words[i]);
    }
    StoreWindows(at_once, words.data(), count, at.data());
  }
  ASSERT_EQ(frames, expected);
}

// Every width at every offset, first and last bit of the frame included. The frame ends where the
// sanitizer sees a step beyond it.
TEST(Windows, OneFieldAnywhere) {
  std::mt19937_64 random(1);
  constexpr uint32_t kBytes = 16;
  for (uint32_t bits = 1; bits <= Window::kMostBits; ++bits) {
    for (uint32_t offset = 0; offset + bits <= 8 * kBytes; ++offset) {
      ASSERT_NO_FATAL_FAILURE(Check({Field(offset, bits)}, RandomBytes(kBytes, random), 3, random))
          << bits << " bits at " << offset;
    }
  }
}

// Fields with and without bits between them, in any order, so that windows begin within others.
TEST(Windows, ManyFields) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    const uint32_t bytes = Draw(random, 8, 40);
    std::vector<Field> fields;
    for (uint32_t bit = 0; bit < 8 * bytes;) {
      bit += Draw(random, 0, 3) == 0 ? Draw(random, 1, 70) : 0;
      const uint32_t bits = Draw(random, 1, Window::kMostBits);
      if (bit + bits > 8 * bytes) break;
      fields.emplace_back(bit, bits);
      bit += bits;
    }
    std::ranges::shuffle(fields, random);
    const size_t count = Draw(random, 1, kBurst);
    ASSERT_NO_FATAL_FAILURE(Check(fields, RandomBytes(bytes, random), count, random)) << round;
  }
}

TEST(Windows, NeighboursShareOne) {
  const std::vector<Field> five_tuple = {Field(8 * 26, 32), Field(8 * 30, 32), Field(8 * 34, 16),
                                         Field(8 * 36, 16)};
  const auto windows = MakeWindows(five_tuple, 60);
  ASSERT_EQ(windows.size(), 2);
  EXPECT_EQ(windows[0].offset, 26);
  EXPECT_EQ(windows[1].offset, 34);
}

}  // namespace
}  // namespace tester
