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

  // Whether nothing is wrong with a frame that is as long as the one that was sent, and all there.
  // False: ask Faults, which takes its time.
  bool Passes(const uint8_t* frame) const {
    uint64_t difference = 0;
    for (const Block& block : blocks_) {
      difference |= (LoadWord(frame + block.offset) ^ block.value[0]) & block.mask[0];
      difference |= (LoadWord(frame + block.offset + 8) ^ block.value[1]) & block.mask[1];
    }
    if (difference != 0) [[unlikely]]
      return false;
    for (const uint16_t offset : hop_counts_) {
      if (frame[offset] == 0) [[unlikely]]
        return false;
    }
    for (const uint16_t offset : kept_checksums_) {
      if (LoadNative16(frame + offset) == 0) [[unlikely]]
        return false;
    }
    const Term* term = terms_.data();
    for (const Pair& pair : pairs_) {
      uint64_t lanes = 0;
      for (const Term* const end = terms_.data() + pair.end; term != end; ++term) {
        lanes += LoadNative16(frame + term->offset) * term->lanes;
      }
      // A sum in one's complement is one modulo 2^16 - 1.
      if (((lanes & UINT32_MAX) + pair.rest[0]) % kModulus != 0 ||
          ((lanes >> 32) + pair.rest[1]) % kModulus != 0) [[unlikely]] {
        return false;
      }
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
  static constexpr uint64_t kModulus = 0xffff;
  // A sum over more words that change is computed over all it covers.
  static constexpr size_t kMostTerms = 24;

  // The signature is behind the headers, so that a whole block can be read.
  struct Block {
    std::array<uint64_t, 2> value;
    std::array<uint64_t, 2> mask;
    size_t offset;
  };

  // Two checksums at a time: a word of 16 bits that may change counts for one or both of them, in
  // the low or the high half of a word of 64.
  struct Term {
    uint64_t lanes;
    size_t offset;
  };
  struct Pair {
    size_t end;                    // of its terms
    std::array<uint64_t, 2> rest;  // what makes each sum 0 in the frame that was sent
  };

  // The bytes before the payload that a checksum covers, or all of them if no payload is compared.
  struct Sum {
    std::array<wire::Bytes, 3> covered;
    size_t parts;       // of `covered` that are used
    uint16_t negative;  // of the sum of these bytes in the frame that was sent
  };

  static uint64_t LoadWord(const uint8_t* from) {
    uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  static uint64_t LoadNative16(const uint8_t* from) {
    uint16_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  static uint64_t Add(const Sum& sum, const uint8_t* frame) {
    uint64_t total = 0;
    for (size_t i = 0; i < sum.parts; ++i) {
      const wire::Bytes& bytes = sum.covered[i];
      total += wire::Fold(wire::NativeSum({frame + bytes.begin, bytes.size}));
    }
    return total;
  }

  static bool IsUnchanged(const Sum& sum, const uint8_t* frame) {
    return (Add(sum, frame) + sum.negative) % kModulus == 0;
  }

  void MakeMask(const wire::HeaderWalk& walk);
  void MakeBlocks();
  void MakeSums(const wire::HeaderWalk& walk, size_t compared_from, Frame sent);
  bool AddTerms(const Sum& sum, Frame sent);
  bool IsLeftOut(const wire::CoveredSum& sum) const;
  bool IsFixed(const wire::Bytes& bytes) const;
  wire::HeaderFaults Differences(Frame frame, const wire::HeaderWalk& walk) const;
  bool LeavesOutTheChecksum(Frame frame, size_t end, const wire::HeaderWalk& walk) const;

  std::vector<uint8_t> sent_;             // its headers
  std::vector<uint8_t> kept_;             // as in HeaderRules, without what changes
  std::vector<wire::HeaderFault> parts_;  // by byte of kept_: what it belongs to
  std::vector<uint8_t> mask_;             // that, and where lengths and checksums are
  std::vector<Block> blocks_;
  std::vector<uint16_t> hop_counts_;
  std::vector<uint16_t> kept_checksums_;  // those that a device must not leave out
  std::vector<Term> terms_;
  std::vector<Pair> pairs_;
  size_t in_last_pair_ = 2;  // so many checksums
  std::vector<Sum> sums_;
  wire::HeaderFaults excused_ = wire::kNoFaults;
  size_t sent_tag_bytes_ = 0;
  size_t udp_bytes_ =
      0;  // of the datagram that ends with the signature and has a checksum; 0: none
};

}  // namespace tester
