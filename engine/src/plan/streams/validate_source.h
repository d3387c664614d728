// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checks the source of an editor's values.
#pragma once

#include <string_view>

#include "generator/frames/field.h"
#include "generator/frames/source.h"
#include "tester/v1/plan.pb.h"

namespace tester {

inline constexpr int kMaxValues = 1 << 20;
inline constexpr int kMaxBounds = 65536;

// INVALID_ARGUMENT. `where` starts the message.
Source ValidateSource(const v1::Editor& editor, const Field& field, std::string_view where);

}  // namespace tester
