// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whose frame is this: by the signature at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/counters.h"
#include "wire/bytes.h"
#include "wire/signature.h"

namespace tester {

// What a worker knows of a stream it may receive.
struct Expected {
  StreamRx* counters = nullptr;
  uint16_t signature_sum = 0;
  uint16_t rx_port = 0;
  // Frames stamped earlier are of an earlier start; modulo 2^48.
  uint64_t start_ns = 0;
};

// Streams by id, immutable once it is in use.
class Classifier {
 public:
  void Add(uint16_t id, const Expected& expected);

  // The stream whose signature these 16 bytes are, or nullptr.
  const Expected* Find(const uint8_t* signature) const {
    const size_t id = wire::Load16(signature);
    if (id >= streams_.size()) return nullptr;
    const Expected& expected = streams_[id];
    if (expected.counters == nullptr) return nullptr;
    if (wire::SignatureSum(signature) != expected.signature_sum) return nullptr;
    return &expected;
  }

 private:
  std::vector<Expected> streams_;
};

// Counts a frame with the stream's signature. `frame_bytes` without FCS. False, and nothing is
// counted, when the frame was sent before the stream's last start.
bool CountReceived(const Expected& stream, const wire::Signature& signature, uint16_t port,
                   uint64_t frame_bytes, uint64_t now_ns);

// Where the signature is when somebody has padded the frame: before the end of its IP packet.
// Nothing where that is the end of the frame or the frame is not IP.
const uint8_t* SignatureBeforePadding(Frame frame);

}  // namespace tester
