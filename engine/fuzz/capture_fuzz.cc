// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Capture files, and addresses rewritten in their frames.
#include <cstddef>
#include <cstdint>
#include <sstream>

#include "base/error.h"
#include "replay/capture_reader.h"
#include "replay/rewrite.h"

namespace {

const tester::Rewrites& Rewrites() {
  static const tester::Rewrites rewrites = {.macs = {{{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}}},
                                            .every_destination = tester::Mac{2, 0, 0, 0, 0, 3},
                                            .ipv4 = {{{10, 0, 0, 1}, {10, 0, 0, 2}}},
                                            .ipv6 = {{{0x20, 1, 0xd, 0xb8}, {0x20, 1, 0xd, 0xb9}}}};
  return rewrites;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
  try {
    tester::CaptureReader reader(file, "file");
    tester::CapturedFrame frame;
    uint64_t last_ns = 0;
    while (reader.Next(frame)) {
      if (frame.bytes.size() > size || frame.time_ns < last_ns) __builtin_trap();
      last_ns = frame.time_ns;
      // A copy of exactly this size, so that the sanitizer sees a step beyond it.
      std::vector<uint8_t> bytes(frame.bytes.begin(), frame.bytes.end());
      Rewrites().Apply(bytes);
    }
  } catch (const tester::Error& error) {
    if (error.what()[0] == '\0') __builtin_trap();
  }
  return 0;
}
