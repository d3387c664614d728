// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// NAME=SPEC of the command line.
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "port/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const tester::PortSpec spec =
        tester::ParsePortSpec({reinterpret_cast<const char*>(data), size});
    if (spec.name.empty() || spec.argument.empty()) __builtin_trap();
  } catch (const tester::Error&) {
    return 0;
  }
  return 0;
}
