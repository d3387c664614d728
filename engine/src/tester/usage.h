// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What this process holds: memory, descriptors and packet buffers.
#pragma once

#include <cstdint>
#include <optional>

namespace tester {

struct Usage {
  std::optional<uint64_t> resident_bytes;  // without pages of files
  std::optional<uint32_t> descriptors;
  uint64_t mbufs = 0;  // of all pools, those that are not free

  // A value that the kernel does not tell is absent.
  static Usage Read();
};

}  // namespace tester
