// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How a plan is refused that can never be right.
#pragma once

#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace tester {

// `where` is the job, the stream and the field; the pieces say what was given and what is allowed.
template <typename... Pieces>
[[noreturn]] void Refuse(std::string_view where, const Pieces&... pieces) {
  throw Error(Code::kInvalidArgument, Cat(where, ": ", pieces...));
}

}  // namespace tester
