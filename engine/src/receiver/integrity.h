// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checks that a frame with a signature is the frame that was sent; all others count as lost (RFC
// 1242 section 3.6). A device may tag a frame, and pad it up to the shortest frame of Ethernet.
// HeaderRules says which headers it may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/order.h"
#include "receiver/header_check.h"
#include "wire/bytes.h"
#include "wire/header_fault.h"
#include "wire/shape.h"
#include "wire/signature.h"

namespace tester {

enum class Damage : uint8_t {
  kNone,
  kContent,   // as long as it was sent, with other bytes
  kLength,    // shorter, longer, or several in one
  kFragment,  // a fragment of IP
  kHeaders,   // with headers that are not those that were sent
  kQuoted,    // none at all: an ICMP error that quotes it
};

// A frame with a signature, or the first segment of it.
struct SignedFrame {
  Frame frame;   // from its begin, without FCS
  size_t bytes;  // of the whole frame, without FCS
  size_t end;    // of its signature
  const uint8_t* signature;
};

class Integrity {
 public:
  struct Sent {
    const std::vector<std::vector<uint8_t>>& frames;
    const std::vector<OrderRun>& order;  // without runs frames take turns
    size_t payload_offset = 0;           // from here to the signature they are compared; 0: not
    bool fragments_by_field = false;     // a field that changes says whether they are fragments
    bool edited = false;                 // fields change from frame to frame
    HeaderRules headers{};
  };

  explicit Integrity(const Sent& sent);

  // `place`: of the frame before. Not `numbered`: the stream was changed, and sequence numbers do
  // not identify frames.
  Damage Look(OrderPlace& place, bool numbered, uint64_t sequence, const SignedFrame& seen) const {
    if (!numbered) return LookAlone(seen);
    const Expectation& sent = At(place, sequence);
    if (seen.end != sent.bytes || seen.bytes != sent.bytes) [[unlikely]] {
      return LookCloser(sent, seen);
    }
    // A frame longer than a buffer would be in pieces; the ports are opened with buffers for all
    // frames.
    if (seen.frame.size() != seen.bytes) return Damage::kNone;
    const bool passes = sent.headers.Passes(seen.frame.data());
    if (passes && !sent.has_more_payload) [[likely]]
      return Damage::kNone;
    if (!HasPayload(sent, seen)) return Damage::kContent;
    return passes ? Damage::kNone : LookAtHeaders(sent, seen);
  }

  // The header faults of a frame that Look found damaged by its headers.
  wire::HeaderFaults FaultsOf(OrderPlace& place, bool numbered, uint64_t sequence,
                              const SignedFrame& seen) const;

  // Frames of the stream are themselves ICMP errors.
  bool sends_icmp_errors() const { return sends_icmp_errors_; }
  // Whether all frames are equal except for their signatures: a frame that equals an intact one is
  // then intact.
  bool sends_one() const { return frames_.size() == 1 && !changes_; }
  // Whether all frames have one template of this length.
  bool HasOneTemplateOf(size_t bytes) const {
    return frames_.size() == 1 && frames_.front().bytes == bytes;
  }
  // For such a stream: whether a frame of that length, complete and numbered, is intact. False: ask
  // Look.
  bool FollowsTheTemplate(const uint8_t* frame) const {
    const Expectation& sent = frames_.front();
    return sent.headers.Passes(frame) && (!sent.has_more_payload || HasPayload(sent, frame));
  }

 private:
  struct Expectation {
    size_t bytes;  // of the frame
    wire::Shape shape;
    std::vector<uint8_t> payload;
    HeaderCheck headers;
    bool has_more_payload;  // than `headers` compares
    uint16_t udp_bytes;     // what the UDP header before the payload says; 0: there is none
  };

  const Expectation& At(OrderPlace& place, uint64_t sequence) const {
    return frames_.size() == 1 ? frames_.front() : Choose(place, sequence);
  }
  const Expectation& Choose(OrderPlace& place, uint64_t sequence) const;

  static bool HasPayload(const Expectation& sent, const SignedFrame& seen) {
    const size_t bytes = sent.payload.size();
    const size_t end = seen.end - wire::kSignatureBytes;
    if (bytes == 0) return true;  // there may be no pointer to nothing
    return end >= bytes &&
           std::memcmp(sent.payload.data(), seen.frame.data() + end - bytes, bytes) == 0;
  }

  // `frame` is as long as the sent one.
  static bool HasPayload(const Expectation& sent, const uint8_t* frame) {
    const size_t bytes = sent.payload.size();
    const size_t begin = sent.bytes - wire::kSignatureBytes - bytes;
    return bytes == 0 || std::memcmp(sent.payload.data(), frame + begin, bytes) == 0;
  }

  Damage LookCloser(const Expectation& sent, const SignedFrame& seen) const;
  Damage LookAtLengths(const Expectation& sent, const SignedFrame& seen) const;
  Damage LookAtHeaders(const Expectation& sent, const SignedFrame& seen) const;
  Damage LookAlone(const SignedFrame& seen) const;
  wire::HeaderFaults FaultsOfAny(const SignedFrame& seen) const;
  Damage LookAtShape(const wire::Shape& shape, const SignedFrame& seen) const;

  std::vector<Expectation> frames_;
  Order order_;
  bool compares_;
  bool changes_;  // fields, from frame to frame
  bool sends_fragments_;
  bool sends_icmp_errors_ = false;
};

}  // namespace tester
