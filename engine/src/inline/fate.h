// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The fate of a frame behind the events of its path, with the numbers of CapturedFrames.Fate.
#pragma once

#include <cstdint>

namespace tester {

enum class Fate : uint8_t { kPasses, kHeld, kLost, kTailDropped, kOverflowed };

}  // namespace tester
