// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How a plan is refused that can never be right.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace tester {

// `where` names the job, the stream and the field; the pieces say the value and the allowed ones.
template <typename... Pieces>
[[noreturn]] void Refuse(std::string_view where, const Pieces&... pieces) {
  throw Error(Code::kInvalidArgument, Cat(where, ": ", pieces...));
}

inline void CheckRange(std::string_view where, std::string_view what, uint64_t given,
                       uint64_t least, uint64_t most) {
  if (given >= least && given <= most) return;
  Refuse(where, what, " ", given, "; allowed are ", least, " to ", most);
}

}  // namespace tester
