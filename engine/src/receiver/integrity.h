// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whether a frame that arrives with a signature is the frame that was sent: all others count as
// lost (RFC 1242 section 3.6). A device may tag, and pad up to the shortest frame of Ethernet; what
// else it may do with headers is HeaderRules'.
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
  kFragment,  // a piece of it, which IP has made
  kHeaders,   // with headers that are not those that were sent
  kQuoted,    // none at all: an ICMP error that quotes it
};

// A frame with a signature, as far as it is in one piece.
struct SignedFrame {
  Frame frame;   // from its begin, without FCS
  size_t bytes;  // all of it, without FCS
  size_t end;    // of its signature
  const uint8_t* signature;
};

class Integrity {
 public:
  struct Sent {
    const std::vector<std::vector<uint8_t>>& frames;
    const std::vector<OrderRun>& order;  // without runs frames come in turn
    size_t payload_offset = 0;           // from here to the signature they are compared; 0: not
    bool fragments_by_field = false;     // a field that changes says whether they are fragments
    bool edited = false;                 // fields change from frame to frame
    HeaderRules headers{};
  };

  explicit Integrity(const Sent& sent);

  // `place` is that of the frame before. Not `numbered`: the stream has been changed, and nobody
  // knows which frame has which sequence.
  Damage Look(OrderPlace& place, bool numbered, uint64_t sequence, const SignedFrame& seen) const {
    if (!numbered) return LookAlone(seen);
    const Expectation& sent = At(place, sequence);
    if (seen.end != sent.bytes || seen.bytes != sent.bytes) [[unlikely]] {
      return LookCloser(sent, seen);
    }
    // A frame longer than a buffer is not in one piece, and the ports are opened so that there is
    // none.
    if (seen.frame.size() != seen.bytes) return Damage::kNone;
    const bool passes = sent.headers.Passes(seen.frame.data());
    if (passes && !sent.has_more_payload) [[likely]]
      return Damage::kNone;
    if (!HasPayload(sent, seen)) return Damage::kContent;
    return passes ? Damage::kNone : LookAtHeaders(sent, seen);
  }

  // What is wrong with the headers of a frame that Look has found damaged by them.
  wire::HeaderFaults FaultsOf(OrderPlace& place, bool numbered, uint64_t sequence,
                              const SignedFrame& seen) const;

  // Frames of the stream are themselves ICMP errors.
  bool sends_icmp_errors() const { return sends_icmp_errors_; }
  // Whether all frames are equal but for their signatures: then one that is equal to an intact one
  // is intact.
  bool sends_one() const { return frames_.size() == 1 && !changes_; }
  // Whether all frames have one template of so many bytes.
  bool HasOneTemplateOf(size_t bytes) const {
    return frames_.size() == 1 && frames_.front().bytes == bytes;
  }
  // For such a stream: whether a frame of so many bytes, all there and with its number, is intact.
  // False: ask Look.
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

  // Of a frame that is as long as the one that was sent.
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
