// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/frame_store.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <utility>
#include <vector>

namespace tester {
namespace {

std::vector<uint8_t> Bytes(size_t bytes, uint8_t first) {
  std::vector<uint8_t> frame(bytes);
  for (size_t i = 0; i < bytes; ++i) frame[i] = static_cast<uint8_t>(first + i);
  return frame;
}

TEST(FrameStore, GivesBackWhatItWasGiven) {
  FrameStore store(64 << 10);
  for (const size_t bytes : {0U, 1U, 60U, 255U, 256U, 257U, 512U, 1514U, 9000U}) {
    const auto frame = Bytes(bytes, 7);
    const auto stored = store.Put(frame);
    ASSERT_TRUE(stored);
    ASSERT_EQ(stored->bytes, bytes);
    std::vector<uint8_t> out(bytes);
    store.Take(*stored, out.data());
    EXPECT_EQ(out, frame);
  }
}

TEST(FrameStore, RefusesWhatFindsNoRoomAndLosesNothing) {
  FrameStore store(4 * FrameStore::kBlockBytes);
  const auto long_one = store.Put(Bytes(700, 1));  // three blocks
  ASSERT_TRUE(long_one);
  EXPECT_FALSE(store.Put(Bytes(257, 2)));
  const auto short_one = store.Put(Bytes(256, 3));
  ASSERT_TRUE(short_one);
  EXPECT_FALSE(store.Put(Bytes(1, 4)));
  std::vector<uint8_t> out(700);
  store.Take(*long_one, out.data());
  EXPECT_EQ(out, Bytes(700, 1));
  EXPECT_TRUE(store.Put(Bytes(768, 5)));
  EXPECT_FALSE(FrameStore(0).Put(Bytes(1, 1)));
}

TEST(FrameStore, KeepsManyOfAllSizesApart) {
  FrameStore store(256 << 10);
  std::mt19937 random(4);
  std::vector<std::pair<FrameStore::Stored, std::vector<uint8_t>>> kept;
  size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    if (random() % 100 < 52) {
      auto frame = Bytes(random() % 2000, static_cast<uint8_t>(random()));
      if (const auto stored = store.Put(frame)) {
        kept.emplace_back(*stored, std::move(frame));
      } else {
        ++refused;
      }
    } else if (!kept.empty()) {
      const size_t which = random() % kept.size();
      std::vector<uint8_t> out(kept[which].first.bytes);
      store.Take(kept[which].first, out.data());
      ASSERT_EQ(out, kept[which].second);
      kept[which] = std::move(kept.back());
      kept.pop_back();
    }
  }
  EXPECT_GT(refused, 0U) << "it has been full";
  for (const auto& [stored, frame] : kept) store.Drop(stored);
  for (size_t i = 0; i < store.blocks(); ++i) ASSERT_TRUE(store.Put(Bytes(256, 1)));
  EXPECT_FALSE(store.Put(Bytes(1, 1)));
}

}  // namespace
}  // namespace tester
