// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The file of a policy, then a byte 0 and a frame that is held against it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "policy/policy.h"

namespace tester {
namespace {

constexpr size_t kShortest = 14;  // an Ethernet header

// An allowed frame has no objection and no forbidden address; a forbidden frame has an objection.
void Check(const AddressRules& rules, Frame frame) {
  const bool allowed = rules.Allows(frame);
  if (allowed != rules.Objection(frame).empty()) __builtin_trap();
  const FrameAddresses addresses = FrameAddresses::Of(frame);
  for (const AddressPlace& place : addresses.places()) {
    if (place.offset + OctetsOf(place.family) > frame.size()) __builtin_trap();
    const Uint128 address = place.In(frame);
    const bool forbidden =
        rules.FirstForbidden(place.family, place.side, {address, address}).has_value();
    if (allowed && forbidden) __builtin_trap();
  }
}

}  // namespace
}  // namespace tester

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const uint8_t* const zero = std::find(data, data + size, uint8_t{0});
  std::istringstream text(std::string(data, zero));
  try {
    const tester::Policy policy = tester::ParsePolicy(text, "file");
    if (zero == data + size) return 0;
    // A copy of exactly this size, so that the sanitizer sees a step beyond it.
    const std::vector<uint8_t> frame(zero + 1, data + size);
    if (frame.size() >= tester::kShortest) tester::Check(policy.addresses, frame);
  } catch (const tester::Error& error) {
    if (error.what()[0] == '\0') __builtin_trap();
  }
  return 0;
}
