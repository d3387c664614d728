// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/domain_name.h"

namespace tester::wire {
namespace {

constexpr size_t kMaxNameBytes = 255;
constexpr uint8_t kPointer = 0xC0;
constexpr uint64_t kHashBasis = 14695981039346656037U;  // FNV-1a
constexpr uint64_t kHashPrime = 1099511628211U;

uint8_t SmallLetter(uint8_t octet) {
  return octet >= 'A' && octet <= 'Z' ? static_cast<uint8_t>(octet + ('a' - 'A')) : octet;
}

}  // namespace

DomainName ReadDomainName(Frame message, size_t least, size_t from) {
  uint64_t hash = kHashBasis;
  const auto add = [&hash](uint8_t octet) { hash = (hash ^ octet) * kHashPrime; };
  size_t name_bytes = 0;
  size_t bytes = 0;  // 0 before the first pointer
  size_t segment = from;
  for (size_t at = from; at >= least && at < message.size();) {
    const uint8_t label = message[at];
    if (label >= kPointer) {
      if (at + 1 >= message.size()) break;
      if (bytes == 0) bytes = at + 2 - from;
      const size_t target = static_cast<size_t>(label & ~kPointer) << 8 | message[at + 1];
      if (target >= segment) break;  // each pointer leads further back, so there is an end
      segment = at = target;
      continue;
    }
    name_bytes += size_t{label} + 1;
    if (label >= 0x40 || name_bytes > kMaxNameBytes || at + label >= message.size()) break;
    add(label);
    if (label == 0)
      return {.hash = hash == 0 ? 1 : hash, .bytes = bytes == 0 ? at + 1 - from : bytes};
    for (size_t i = at + 1; i <= at + label; ++i) add(SmallLetter(message[i]));
    at += size_t{label} + 1;
  }
  return {};
}

}  // namespace tester::wire
