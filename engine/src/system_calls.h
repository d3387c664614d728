// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The system calls that are left to the process once it serves.
#pragma once

namespace tester {

// Filters the system calls of all threads until the process ends. A call that testerd never makes
// fails with EPERM. A call that only an intruder makes (programs, namespaces, modules, other
// processes) kills the process. The kernel logs both. Throws Error INTERNAL where the kernel has no
// such filters.
void FilterSystemCalls();

}  // namespace tester
