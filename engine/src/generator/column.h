// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Loops over columns of numbers, one number a frame of a burst: each is compiled for several
// processors, and the loader takes the best that the machine can run.
#pragma once

// Sanitizers are not ready yet when the loader asks; clang has no levels of x86-64 here.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TESTER_COLUMN_LOOP \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TESTER_COLUMN_LOOP
#endif
