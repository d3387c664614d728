// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whose frames are these: those that arrive are known by their signature, or by what their stream
// says they look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "receiver/payload.h"
#include "receiver/version_bit.h"
#include "stats/counters.h"
#include "wire/bytes.h"
#include "wire/signature.h"

namespace tester {

// What a worker knows of a stream it may receive.
struct alignas(64) Expected {
  StreamRx* counters = nullptr;
  const StreamTx* sent = nullptr;
  // Frames stamped earlier are of an earlier start.
  uint64_t start_ns = 0;
  const Payloads* payloads = nullptr;  // null: not compared
  VersionBit version{};
  uint16_t signature_sum = 0;
  uint16_t rx_port = 0;
  uint16_t stream_id = 0;
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

// A frame that has arrived.
struct Arrival {
  Frame frame;     // as far as it is in one piece, without FCS
  uint32_t bytes;  // all of it, without FCS
  uint16_t port;
  uint64_t now_ns;
  PortCounters* counters;  // of the port
};

// Counts a frame with this signature of a stream. False when it is none of the stream's current
// start, or was never sent.
bool CountSigned(const Expected& stream, const uint8_t* signature, const Arrival& arrival);

// The parts of it that look at each frame of a stream, for those that follow one that was counted.
void CountFlow(const Expected& stream, uint64_t sequence, uint64_t latency_ns,
               const Arrival& arrival);
void ComparePayload(const Expected& stream, uint64_t sequence, const uint8_t* signature,
                    const Arrival& arrival);

// Counts a frame of a stream without signature on the port on which it is expected.
void CountMatched(const Expected& stream, const Arrival& arrival);

// Where the signature is when somebody has padded the frame: before the end of its IP packet.
// Nothing where that is the end of the frame or the frame is not IP.
const uint8_t* SignatureBeforePadding(Frame frame);

}  // namespace tester
