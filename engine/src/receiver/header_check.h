// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whether the headers of a frame that arrives are those that were sent, as far as the device may
// not change them, and agree with themselves: lengths, checksums, hop counts. What the frame was
// sent with is no fault of the device.
//
// The common case is a frame that has the pattern of the one that was sent: bits under a mask, and
// sums over the few bytes of headers that may change. The payload is the one that was sent, so a
// checksum is right when what it covers of the headers adds up to the same as it did in that frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "receiver/frame_pattern.h"
#include "receiver/header_structure.h"
#include "wire/bytes.h"
#include "wire/header_fault.h"
#include "wire/header_walk.h"

namespace tester {

// Bits that differ from frame to frame. Unless it updates checksums, those that cover it are wrong
// in frames as they are sent.
struct HeaderChange {
  BitRange bits;
  bool updates_checksums = true;
};

// What a stream says of the headers of all its frames.
struct HeaderRules {
  // The bits that arrive as they were sent, from the first byte of the frame on; nothing: the
  // device changes, adds and removes what it likes.
  std::vector<uint8_t> kept{};
  std::vector<HeaderChange> changes{};
  std::vector<size_t> updated_checksums{};  // their offsets
};

class HeaderCheck {
 public:
  // `compared_from`: bytes from here to the signature are compared with those that were sent; 0:
  // none are.
  HeaderCheck(Frame sent, const HeaderRules& rules, size_t compared_from);

  // Whether nothing is wrong with a frame that is as long as the one that was sent, and all there,
  // if its payload is the one that was sent. False: ask Faults, which takes its time.
  bool Passes(const uint8_t* frame) const { return pattern_.Matches(frame); }
  // Whether Passes has compared the payload, too.
  bool compares_payload() const { return compares_payload_; }

  // What is wrong with a frame that is all there and has nothing but padding from `end` on.
  wire::HeaderFaults Faults(Frame frame, size_t end) const;

 private:
  std::vector<uint8_t> MaskOf(const wire::HeaderWalk& walk) const;
  void AddHopCounts(const wire::HeaderWalk& walk, const std::vector<uint8_t>& mask);
  void AddSums(const wire::HeaderWalk& walk, size_t compared_from, Frame sent);
  bool IsLeftOut(const wire::CoveredSum& sum) const;
  wire::HeaderFaults Differences(Frame frame, const wire::HeaderWalk& walk) const;
  bool LeavesOutTheChecksum(Frame frame, size_t end, const wire::HeaderWalk& walk) const;

  std::vector<uint8_t> sent_;             // its headers
  std::vector<uint8_t> kept_;             // as in HeaderRules, without what changes
  std::vector<wire::HeaderFault> parts_;  // by byte of kept_: what it belongs to
  FramePattern pattern_;
  bool compares_payload_;
  wire::HeaderFaults excused_ = wire::kNoFaults;
  size_t sent_tag_bytes_ = 0;
  size_t udp_bytes_ =
      0;  // of the datagram that ends with the signature and has a checksum; 0: none
};

}  // namespace tester
