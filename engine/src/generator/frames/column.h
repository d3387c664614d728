// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Loops over columns of numbers, one number a frame of a burst: each is compiled for several
// processors, and the loader takes the best that the machine can run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/burst.h"

// Sanitizers are not ready when the loader asks; clang has no levels of x86-64 here.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TESTER_COLUMN_LOOP \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TESTER_COLUMN_LOOP
#endif

namespace tester {

// A number for each frame of a burst.
struct alignas(64) Column : std::array<uint64_t, kBurst> {};

// Several numbers of a column that are computed together. A loop may go beyond the last frame of a
// burst, to the next multiple of kLanes.
using Lanes = uint64_t __attribute__((vector_size(64)));
inline constexpr size_t kLanes = sizeof(Lanes) / sizeof(uint64_t);

// A column that is part of a sum, shifted to the left by `shift` bits.
struct ShiftedColumn {
  size_t column;
  uint32_t shift;
};

// Makes the sums of some columns, and of a number that is the same for all.
void AddUp(std::span<const ShiftedColumn> terms, const Column* columns, uint64_t first,
           size_t count, Column& sums);

}  // namespace tester
