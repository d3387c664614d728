// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Memory that the machine still has. Linux promises more than there is, and kills a process that
// uses it: so large amounts are asked for here first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tester {

// Bytes that this process can still use: of the machine, or of its control group if that has less.
// Nothing where the kernel does not say.
std::optional<uint64_t> AvailableMemory();

// Whether `bytes`, and a reserve, are `available`.
bool HasMemory(uint64_t bytes, std::optional<uint64_t> available);
// RESOURCE_EXHAUSTED where they are not. `what` needs them.
void CheckMemory(uint64_t bytes, std::optional<uint64_t> available, std::string_view what);

}  // namespace tester
