// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whether a frame that arrives with a signature is the frame that was sent: all others count as
// lost (RFC 1242 section 3.6). Headers are the device's to change: it may tag, route and translate,
// add a tunnel's headers and take them away, and pad up to the shortest frame of Ethernet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/order.h"
#include "wire/bytes.h"
#include "wire/shape.h"
#include "wire/signature.h"

namespace tester {

enum class Damage : uint8_t {
  kNone,
  kContent,   // as long as it was sent, with other bytes
  kLength,    // shorter, longer, or several in one
  kFragment,  // a piece of it, which IP has made
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
    return !compares_ || HasPayload(sent, seen) ? Damage::kNone : Damage::kContent;
  }

  // Frames of the stream are themselves ICMP errors.
  bool sends_icmp_errors() const { return sends_icmp_errors_; }
  // Whether all frames are equal, but for what changes in their headers: then one is intact if it
  // is as long as one that is, and ends with this payload before its signature.
  bool sends_one() const { return frames_.size() == 1; }
  Frame only_payload() const { return frames_.front().payload; }

 private:
  struct Expectation {
    size_t bytes;  // of the frame
    wire::Shape shape;
    std::vector<uint8_t> payload;
    uint16_t udp_bytes;  // what the UDP header before the payload says; 0: there is none
  };

  const Expectation& At(OrderPlace& place, uint64_t sequence) const {
    return frames_.size() == 1 ? frames_.front() : Choose(place, sequence);
  }
  const Expectation& Choose(OrderPlace& place, uint64_t sequence) const;

  static bool HasPayload(const Expectation& sent, const SignedFrame& seen) {
    // A frame longer than a buffer is not in one piece, and the ports are opened so that there is
    // none.
    if (seen.frame.size() != seen.bytes) return true;
    const size_t bytes = sent.payload.size();
    const size_t end = seen.end - wire::kSignatureBytes;
    if (bytes == 0) return true;  // there may be no pointer to nothing
    return end >= bytes &&
           std::memcmp(sent.payload.data(), seen.frame.data() + end - bytes, bytes) == 0;
  }

  Damage LookCloser(const Expectation& sent, const SignedFrame& seen) const;
  Damage LookAlone(const SignedFrame& seen) const;
  Damage LookAtShape(const wire::Shape& shape, const SignedFrame& seen) const;

  std::vector<Expectation> frames_;
  Order order_;
  bool compares_;
  bool sends_fragments_;
  bool sends_icmp_errors_ = false;
};

}  // namespace tester
