// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The system calls that are left to the process once it serves.
#pragma once

namespace tester {

// For all threads, for ever. What no part of it needs fails with EPERM, and what only an intruder
// needs – programs, namespaces, modules, other processes – kills it; the kernel logs both. Throws
// Error INTERNAL where the kernel has no such filters.
void FilterSystemCalls();

}  // namespace tester
