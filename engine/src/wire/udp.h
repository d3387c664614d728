// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// UDP (RFC 768).
#pragma once

#include <cstddef>

namespace tester {

inline constexpr size_t kUdpHeaderBytes = 8;

}  // namespace tester
