// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checks the headers of a frame that arrives: fields that the device may not change, lengths,
// checksums and hop counts. Faults of the sent frame are not faults of the device.
//
// The common case is a frame that matches the pattern of the sent one: bits under a mask, and sums
// over the few header bytes that may change. The payload equals the sent one, so a checksum is
// right when its header bytes add up to the same sum as in the sent frame.
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

// Bits that differ from frame to frame. Without an update of checksums, checksums over these bits
// are wrong when the frames leave.
struct HeaderChange {
  BitRange bits;
  bool updates_checksums = true;
};

// Rules for the headers of all frames of a stream.
struct HeaderRules {
  // The bits that must arrive as sent, from the first byte of the frame on; empty: the device may
  // change, add and remove anything.
  std::vector<uint8_t> kept{};
  std::vector<HeaderChange> changes{};
  std::vector<size_t> updated_checksums{};  // their offsets
};

class HeaderCheck {
 public:
  // `compared_from`: bytes from here to the signature are compared with the sent ones; 0: none.
  HeaderCheck(Frame sent, const HeaderRules& rules, size_t compared_from);

  // Whether a frame has no faults. It is complete and as long as the sent one, with the sent
  // payload. False: ask Faults, which is slower.
  bool Passes(const uint8_t* frame) const { return pattern_.Matches(frame); }
  // Whether Passes has compared the payload, too.
  bool compares_payload() const { return compares_payload_; }

  // The faults of a frame that is complete and has only padding from `end` on.
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
  std::vector<wire::HeaderFault> parts_;  // for each byte of kept_: its part of the headers
  FramePattern pattern_;
  bool compares_payload_;
  wire::HeaderFaults excused_ = wire::kNoFaults;
  size_t sent_tag_bytes_ = 0;
  size_t udp_bytes_ =
      0;  // of the datagram that ends with the signature and has a checksum; 0: none
};

}  // namespace tester
