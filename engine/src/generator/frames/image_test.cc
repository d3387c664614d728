// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/frames/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace tester {
namespace {

using testing::Each;
using testing::ElementsAreArray;

constexpr uint8_t kUntouched = 0xee;

TEST(Image, CopiesFramesOfAnyLengthIntoSeveralBuffers) {
  for (const size_t length : {1U, 14U, 60U, 63U, 64U, 65U, 128U, 1514U}) {
    std::vector<uint8_t> bytes(length);
    std::iota(bytes.begin(), bytes.end(), uint8_t{1});
    const Image image(bytes);
    EXPECT_EQ(image.bytes(), length);
    EXPECT_THAT(image.frame(), ElementsAreArray(bytes));

    const size_t room = (length + Image::kBlock - 1) / Image::kBlock * Image::kBlock;
    std::vector<std::vector<uint8_t>> buffers(3, std::vector<uint8_t>(room + 1, kUntouched));
    const std::array<uint8_t*, 2> chosen = {buffers[0].data(), buffers[2].data()};
    image.CopyTo(chosen.data(), chosen.size());
    for (const size_t copied : {0U, 2U}) {
      EXPECT_THAT(Frame(buffers[copied].data(), length), ElementsAreArray(bytes)) << length;
      EXPECT_EQ(buffers[copied][room], kUntouched) << length;
    }
    EXPECT_THAT(buffers[1], Each(kUntouched)) << length;
  }
}

TEST(Image, IsAlsoOfAnEmptyFrame) {
  EXPECT_EQ(Image(Frame()).bytes(), 0U);
  EXPECT_TRUE(Image(Frame()).frame().empty());
}

}  // namespace
}  // namespace tester
