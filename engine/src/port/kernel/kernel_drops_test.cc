// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/kernel_drops.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

TEST(KernelDrops, WhatTheSocketsHaveIsNotCountedAgain) {
  KernelDrops drops;
  EXPECT_EQ(drops.Look(500, 500), 0U);
  EXPECT_EQ(drops.Look(500, 740), 0U) << "the sockets are ahead, and the interface will follow";
  EXPECT_EQ(drops.Look(743, 740), 3U) << "more than the sockets have";
}

TEST(KernelDrops, WithoutSocketsAllAreTheKernels) {
  KernelDrops drops;
  EXPECT_EQ(drops.Look(7, 0), 7U);
  EXPECT_EQ(drops.Look(9, 0), 9U);
}

TEST(KernelDrops, TheyOnlyGrow) {
  KernelDrops drops;
  EXPECT_EQ(drops.Look(10, 4), 6U);
  EXPECT_EQ(drops.Look(10, 9), 6U) << "the interface has not counted the five that followed";
  EXPECT_EQ(drops.Look(16, 9), 7U);
}

}  // namespace
}  // namespace tester
