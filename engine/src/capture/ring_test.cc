// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace tester {
namespace {

constexpr size_t kBytes = 4096;

TEST(Ring, HasNoMoreRoomThanItHas) {
  Ring ring(kBytes);
  ASSERT_NE(ring.Reserve(kBytes - 8), nullptr);
  EXPECT_EQ(ring.Reserve(16), nullptr);
  EXPECT_NE(ring.Reserve(8), nullptr);
  EXPECT_EQ(ring.Reserve(1), nullptr);
  ring.Publish(ring.reserved());
  ring.Release(8);
  EXPECT_NE(ring.Reserve(8), nullptr);
}

TEST(Ring, ShowsOnlyWhatIsPublished) {
  Ring ring(kBytes);
  ring.Reserve(10)[0] = 1;
  const uint64_t place = ring.reserved();
  ring.Reserve(10);
  EXPECT_TRUE(ring.Readable().empty());
  ring.Publish(place);
  EXPECT_EQ(ring.Readable().size(), 10);
  EXPECT_EQ(ring.Readable()[0], 1);
}

TEST(Ring, IsInOnePieceAcrossItsEnd) {
  Ring ring(kBytes);
  ring.Reserve(kBytes - 10);
  ring.Publish(ring.reserved());
  ring.Release(kBytes - 10);
  uint8_t* place = ring.Reserve(100);
  for (uint8_t i = 0; i < 100; ++i) place[i] = i;
  ring.Publish(ring.reserved());
  const auto readable = ring.Readable();
  ASSERT_EQ(readable.size(), 100);
  for (uint8_t i = 0; i < 100; ++i) EXPECT_EQ(readable[i], i);
}

TEST(Ring, CarriesEverythingFromOneThreadToAnother) {
  constexpr size_t kTotal = 3'000'000;
  Ring ring(kBytes);
  std::jthread writer([&] {
    for (size_t written = 0; written < kTotal;) {
      const size_t bytes = std::min<size_t>(1 + written % 97, kTotal - written);
      uint8_t* place = ring.Reserve(bytes);
      if (place == nullptr) {
        std::this_thread::yield();
        continue;
      }
      for (size_t i = 0; i < bytes; ++i) place[i] = static_cast<uint8_t>((written + i) % 251);
      ring.Publish(ring.reserved());
      written += bytes;
    }
  });
  size_t read = 0;
  size_t wrong = 0;
  while (read < kTotal) {
    const auto readable = ring.Readable();
    if (readable.empty()) std::this_thread::yield();
    for (const uint8_t byte : readable) wrong += byte == read++ % 251 ? 0U : 1U;
    ring.Release(readable.size());
  }
  EXPECT_EQ(read, kTotal);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tester
