// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whether the headers of a frame that arrives are those that were sent, as far as the device may
// not change them, and agree with themselves: lengths, checksums, hop counts. What the frame was
// sent with is no fault of the device.
//
// The common case is one comparison of words under a mask, and sums over the few bytes of headers
// that may change: the payload is compared elsewhere, so a checksum is right when what it covers
// of the headers adds up to the same as it did in the frame that was sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/header_fault.h"
#include "wire/header_walk.h"

namespace tester {

// Bits of a frame, from its first one on, most significant first.
struct BitRange {
  size_t begin;
  size_t end;
};

// What a stream says of the headers of all its frames.
struct HeaderRules {
  // The bits that arrive as they were sent, from the first byte of the frame on; nothing: the
  // device changes, adds and removes what it likes.
  std::vector<uint8_t> kept{};
  std::vector<BitRange> changes{};          // from frame to frame
  std::vector<size_t> updated_checksums{};  // offsets of those that are right whatever changes
};

class HeaderCheck {
 public:
  // `compared_from`: bytes from here to the signature are compared with those that were sent; 0:
  // none are.
  HeaderCheck(Frame sent, const HeaderRules& rules, size_t compared_from);

  // Whether nothing is wrong with a frame that is as long as the one that was sent, and all there.
  // False: ask Faults, which takes its time.
  bool Passes(const uint8_t* frame) const {
    uint64_t difference = 0;
    for (const Word& word : words_) {
      difference |= (LoadWord(frame + word.offset) ^ word.value) & word.mask;
    }
    if (difference != 0) [[unlikely]]
      return false;
    for (const uint16_t offset : hop_counts_) {
      if (frame[offset] == 0) [[unlikely]]
        return false;
    }
    for (const Sum& sum : sums_) {
      if (!IsUnchanged(sum, frame)) [[unlikely]]
        return false;
    }
    return true;
  }

  // What is wrong with a frame that is all there and has nothing but padding from `end` on.
  wire::HeaderFaults Faults(Frame frame, size_t end) const;

 private:
  struct Word {
    uint64_t value;
    uint64_t mask;
    size_t offset;
  };

  // The bytes of headers that a checksum covers and that may change.
  struct Sum {
    std::array<wire::Bytes, 3> covered;
    uint32_t parts;     // of `covered` that are used
    uint16_t negative;  // of the sum of these bytes in the frame that was sent
    uint16_t checksum;  // the offset of a checksum that may not be left out; 0: there is none
  };

  static uint64_t LoadWord(const uint8_t* from) {
    uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  static uint64_t Add(const Sum& sum, const uint8_t* frame) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < sum.parts; ++i) {
      const wire::Bytes& bytes = sum.covered[i];
      total += bytes.size % sizeof(uint32_t) == 0 && bytes.size <= 64
                   ? wire::NativeHeaderSum(frame + bytes.begin, bytes.size)
                   : wire::Fold(wire::NativeSum({frame + bytes.begin, bytes.size}));
    }
    return total;
  }

  static bool IsUnchanged(const Sum& sum, const uint8_t* frame) {
    // 0 and 0xffff are the same number.
    const uint16_t difference = wire::Fold(Add(sum, frame) + sum.negative);
    if (difference != 0xffff && difference != 0) return false;
    return sum.checksum == 0 || wire::Load16(frame + sum.checksum) != 0;
  }

  void MakeMask(const wire::HeaderWalk& walk);
  void MakeWords();
  void MakeSums(const wire::HeaderWalk& walk, size_t compared_from, Frame sent);
  bool IsLeftOut(const wire::CoveredSum& sum) const;
  bool IsFixed(const wire::Bytes& bytes) const;
  wire::HeaderFaults Differences(Frame frame, const wire::HeaderWalk& walk) const;
  bool LeavesOutTheChecksum(Frame frame, size_t end, const wire::HeaderWalk& walk) const;

  std::vector<uint8_t> sent_;             // its headers
  std::vector<uint8_t> kept_;             // as in HeaderRules, without what changes
  std::vector<wire::HeaderFault> parts_;  // by byte of kept_: what it belongs to
  std::vector<uint8_t> mask_;             // that, and where lengths and checksums are
  std::vector<Word> words_;
  std::vector<uint16_t> hop_counts_;
  std::vector<Sum> sums_;
  wire::HeaderFaults excused_ = wire::kNoFaults;
  size_t sent_tag_bytes_ = 0;
  size_t udp_bytes_ =
      0;  // of the datagram that ends with the signature and has a checksum; 0: none
};

}  // namespace tester
