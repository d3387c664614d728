// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The last 16 bytes of a measured frame; proto/tester/v1/plan.proto documents them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/bytes.h"
#include "wire/checksum.h"

namespace tester::wire {

inline constexpr size_t kSignatureBytes = 16;
inline constexpr uint64_t kMask48 = (uint64_t{1} << 48) - 1;

// Whether a timestamp of 48 bits lies between the clock's 0 and now.
inline bool IsPast(uint64_t timestamp_ns, uint64_t now_ns) {
  return ((now_ns - timestamp_ns) & kMask48) <= now_ns;
}

// The ones' complement sum of sixteen bytes, from 1 to 0xffff: 0 and 0xffff are the same number.
inline uint16_t SignatureSum(const uint8_t* at) {
  const uint64_t high = Load64(at);
  const uint64_t low = Load64(at + 8);
  const uint64_t sum = high + low;
  const uint16_t folded = Fold(sum + (sum < high ? 1 : 0));
  return folded == 0 ? uint16_t{0xffff} : folded;
}

struct Signature {
  uint16_t id;
  uint64_t sequence;      // 48 bits
  uint64_t timestamp_ns;  // 48 bits

  static Signature Read(const uint8_t* at) {
    const uint64_t high = Load64(at);
    const uint64_t low = Load64(at + 8);
    return {.id = static_cast<uint16_t>(high >> 48),
            .sequence = high & kMask48,
            .timestamp_ns = low >> 16};
  }
};

// The part of a signature that is the same for a burst: everything but the sequence number.
class SignatureWriter {
 public:
  // `sum` is SignatureSum of the stream's frame.
  SignatureWriter(uint16_t id, uint16_t sum, uint64_t timestamp_ns)
      : high_(static_cast<uint64_t>(id) << 48),
        low_((timestamp_ns & kMask48) << 16),
        // sum - low, in one's complement; 35 bits, so a 64-bit word can be added without carry.
        rest_(uint64_t{sum} + HalfSum(~low_ & ~uint64_t{0xffff})) {}

  // Two stores and no branch, for every length of frame.
  void Write(uint8_t* at, uint64_t sequence) const {
    const uint64_t high = high_ | (sequence & kMask48);
    const uint16_t complement = Fold(rest_ + HalfSum(~high));
    Store64(at, high);
    Store64(at + 8, low_ | complement);
  }

 private:
  static uint64_t HalfSum(uint64_t value) { return (value >> 32) + (value & 0xffffffff); }

  uint64_t high_;
  uint64_t low_;
  uint64_t rest_;
};

}  // namespace tester::wire
