// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Signatures of unloaded streams: a frame with such a signature is from an earlier trial. A device
// that still sends it probably forwards it in a loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "wire/signature.h"

namespace tester {

// The streams of the last jobs. Immutable.
class Retired {
 public:
  // With this number of signatures, sixteen bytes of a frame without signature look like one of
  // them once in half a million frames; a valid past timestamp is required as well.
  static constexpr size_t kMost = 8192;

  struct Stream {
    uint16_t id;
    uint16_t signature_sum;
  };

  // The signatures of `before`, which may be null, and of `streams`; beyond kMost the oldest are
  // dropped.
  static std::shared_ptr<const Retired> With(const Retired* before,
                                             std::span<const Stream> streams) {
    auto retired = std::make_shared<Retired>();
    std::vector<uint32_t>& keys = retired->in_turn_;
    if (before != nullptr) keys = before->in_turn_;
    for (const Stream& stream : streams) keys.push_back(Key(stream.id, stream.signature_sum));
    if (keys.size() > kMost) keys.erase(keys.begin(), keys.end() - kMost);
    retired->sorted_ = keys;
    std::sort(retired->sorted_.begin(), retired->sorted_.end());
    return retired;
  }

  // Whether these 16 bytes are one of the signatures.
  bool Has(const uint8_t* signature, uint64_t now_ns) const {
    const uint32_t key = Key(wire::Load16(signature), wire::SignatureSum(signature));
    return std::binary_search(sorted_.begin(), sorted_.end(), key) &&
           wire::IsPast(wire::Signature::Read(signature).timestamp_ns, now_ns);
  }

 private:
  static uint32_t Key(uint16_t id, uint16_t sum) { return uint32_t{id} << 16 | sum; }

  std::vector<uint32_t> in_turn_;
  std::vector<uint32_t> sorted_;
};

}  // namespace tester
