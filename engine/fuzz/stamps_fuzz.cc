// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Packets of others on their way to a device, and what comes back from it: stamps, tunnels,
// matches.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "inline/stamps/stamping.h"

namespace tester {
namespace {

constexpr size_t kHeadroom = 32;
constexpr uint64_t kStart = 1'000'000;

// A copy of exactly this size, so that the sanitizer sees a step beyond it.
struct Buffer {
  explicit Buffer(Frame frame) : bytes(kHeadroom) {
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    roomy = {.data = bytes.data() + kHeadroom, .bytes = frame.size(), .headroom = kHeadroom};
  }

  std::vector<uint8_t> bytes;
  RoomyFrame roomy;
};

// To the last bit, but for a checksum of 0xffff, which no sender writes: it may be 0 afterwards.
bool IsSame(Frame one, Frame other) {
  return std::ranges::equal(one, other,
                            [](uint8_t a, uint8_t b) { return a == b || (a == 0 && b == 0xff); });
}

void Pass(Frame sent, const StampPlan& plan) {
  Stamping stamping(plan, 0, kStart);
  Buffer there(sent);
  stamping.Depart({&there.roomy, 1}, 9000, kStart + 100);
  const bool grown = there.roomy.bytes != sent.size();
  Buffer back(there.roomy.frame());
  stamping.Arrive({&back.roomy, 1}, kStart + 200);
  if (stamping.counters().received.Get() > stamping.counters().sent.Get()) __builtin_trap();
  if (grown && plan.remove && !IsSame(back.roomy.frame(), sent)) __builtin_trap();
  Buffer other(sent);
  stamping.Arrive({&other.roomy, 1}, kStart + 300);
  stamping.Withdraw(there.roomy.frame());
}

}  // namespace
}  // namespace tester

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tester;  // NOLINT(google-build-using-namespace)
  if (size == 0) return 0;
  StampPlan plan{
      .name = "load", .before = {}, .behind = {}, .flows = 4, .under_way = 64, .intervals = 4};
  // The first byte selects the mode of stamps.
  plan.tunnel = static_cast<Tunnel>(data[0] % 3);
  plan.by_match = (data[0] & 4) != 0;
  plan.remove = (data[0] & 8) == 0;
  plan.data_only = (data[0] & 16) != 0;
  Pass({data + 1, size - 1}, plan);
  return 0;
}
