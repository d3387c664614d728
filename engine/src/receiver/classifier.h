// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Finds the stream of a frame that arrives: by its signature, or by the matches of a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "receiver/field_watch.h"
#include "receiver/integrity.h"
#include "receiver/retired.h"
#include "receiver/version_bit.h"
#include "stats/counters.h"
#include "wire/bytes.h"
#include "wire/signature.h"
#include "wire/signature_times.h"

namespace tester {

// Clocks of CPUs may differ by less than this, so a frame may seem to arrive before it was sent.
inline constexpr uint64_t kMostAheadNs = 1'000'000;

// A stream that a worker may receive.
struct alignas(64) Expected {
  StreamRx* counters = nullptr;
  const StreamTx* sent = nullptr;  // null: another tester sends it
  // Frames stamped earlier are of an earlier start.
  uint64_t start_ns = 0;
  uint64_t base_ns = 0;  // sums of times count from here
  // How far the clock that stamps the frames is ahead of this tester's; negative values wrap.
  uint64_t sender_ahead_ns = 0;
  // A frame may seem to arrive by less than this before it was sent.
  uint64_t most_ahead_ns = kMostAheadNs;
  const Integrity* integrity = nullptr;            // null: whatever arrives is what was sent
  FieldWatch* fields = nullptr;                    // null: none is looked at by itself
  const wire::SignatureTimes* replayed = nullptr;  // of the file that it replays
  bool numbered = true;                            // its frames are known by their sequence
  VersionBit version{};
  uint16_t signature_sum = 0;
  uint16_t rx_port = 0;
  uint16_t stream_id = 0;
};

// Streams by id, immutable once it is in use.
class Classifier {
 public:
  void Add(uint16_t id, const Expected& expected);

  // Streams of the past.
  void Remember(std::shared_ptr<const Retired> retired) { retired_ = std::move(retired); }

  // Whether these 16 bytes are the signature of a stream that was unloaded.
  bool WasUnloaded(const uint8_t* signature, uint64_t now_ns) const {
    return retired_ != nullptr && retired_->Has(signature, now_ns);
  }

  // Whether these 16 bytes are the signature of a stream before its start, or of one that was
  // unloaded.
  bool IsStale(const uint8_t* signature, uint64_t now_ns) const;

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
  std::shared_ptr<const Retired> retired_;
};

// The instant of a timestamp on this tester's clock, as its lowest 48 bits.
inline uint64_t SentNs(const Expected& stream, uint64_t timestamp_ns) {
  return (timestamp_ns - stream.sender_ahead_ns) & wire::kMask48;
}

// The age of a frame; nothing when its timestamp is not between the stream's start and now. A
// timestamp shortly after now gives an age of 0.
inline std::optional<uint64_t> LatencyOf(const Expected& stream, uint64_t timestamp_ns,
                                         uint64_t now_ns) {
  const uint64_t sent_ns = SentNs(stream, timestamp_ns);
  const uint64_t age_ns = (now_ns - sent_ns) & wire::kMask48;
  if (age_ns <= now_ns - stream.start_ns) [[likely]]
    return age_ns;
  if (((sent_ns - now_ns) & wire::kMask48) < stream.most_ahead_ns) return 0;
  return std::nullopt;
}

// A frame that has arrived.
struct Arrival {
  Frame frame;     // as far as it is in one piece, without FCS
  uint32_t bytes;  // all of it, without FCS
  uint32_t end;    // of its signature, if it has one; beyond are but bytes of padding
  uint16_t port;
  uint64_t now_ns;
  PortCounters* counters;  // of the port
};

// How a frame with a stream's signature is classified.
enum class Signed : uint8_t {
  kForeign,  // never sent, or an ICMP error that quotes it
  kStale,    // of an earlier start
  kBad,      // counted, but not as received: damaged, or on another port
  kGood,     // counted as received
};

Signed CountSigned(const Expected& stream, const uint8_t* signature, const Arrival& arrival);

// The stream of a frame that has arrived with this signature, by the rules of CountSigned; nullptr
// if it is foreign or stale. Counts nothing.
const Expected* OwnerOf(const Classifier& classifier, const uint8_t* signature, Frame frame,
                        uint64_t now_ns);

// The parts of it that look at each frame of a stream, for those that follow one that was counted.
inline SignedFrame SignedFrameOf(const uint8_t* signature, const Arrival& arrival) {
  return {
      .frame = arrival.frame, .bytes = arrival.bytes, .end = arrival.end, .signature = signature};
}
inline Damage DamageOf(const Expected& stream, uint64_t sequence, const uint8_t* signature,
                       const Arrival& arrival) {
  if (stream.integrity == nullptr) return Damage::kNone;
  return stream.integrity->Look(stream.counters->order_place, stream.numbered, sequence,
                                SignedFrameOf(signature, arrival));
}

// Whether a frame with a stale signature is one of the file that a stream replays.
inline bool Replays(const Expected& stream, const uint8_t* signature) {
  return stream.replayed != nullptr && stream.replayed->Has(signature);
}

// Counts a frame of a stream without signature on the port on which it is expected.
void CountMatched(const Expected& stream, const Arrival& arrival);

// The signature of a frame that was padded on its way: before the end of its IP packet. Null where
// the packet ends with the frame, or the frame is not IP.
const uint8_t* SignatureBeforePadding(Frame frame);

}  // namespace tester
