// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A switch with a Tofino 2: 20 stages a gress. Its pipelines take the two programs in turn, as those of a Tofino do.
#include <core.p4>
#include <t2na.p4>

#define THIRD_EDITOR ThirdEditor
#include "tester.p4"
