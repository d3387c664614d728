// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The common pattern of the frames of one template, compared in a few instructions: bits that are
// equal, sums that stay, and fields that are not 0. Everything that depends on the template is
// computed once: blocks of 16 bytes that cover the bits, and for each sum blocks that cover its few
// words that may change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "wire/block.h"
#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/header_walk.h"

namespace tester {

class FramePattern {
 public:
  // `sent` has at least one block. `mask`: its bits that are equal, from its first byte on.
  FramePattern(Frame sent, std::vector<uint8_t> mask);
  FramePattern() = default;

  // Adds bytes whose sum in one's complement stays. Only the last part may have an odd number of
  // bytes. False if none of their bits may change.
  bool AddSum(Frame sent, const std::vector<wire::Bytes>& covered);
  // Adds one or two bytes, not the last of the frame, that are not 0.
  void AddNotZero(const wire::Bytes& bytes);

  // `frame` is as long as the sent one.
  bool Matches(const uint8_t* frame) const {
    if (are_few_) [[likely]]
      return few_.Hold(frame);
    return all_.Hold(frame) && LongSumsStay(frame);
  }

 private:
  static constexpr int32_t kModulus = 0xffff;

  // With zeros each condition holds for every frame.
  struct Compared {
    wire::Block value{};
    wire::Block mask{};
    size_t offset = 0;
  };

  // A block of each of two sums.
  struct Summed {
    std::array<wire::Block, 2> counts{};  // 1 for each word in the sum that may change
    std::array<size_t, 2> offsets{};
  };

  template <typename Blocks>
  struct Pair {
    Blocks blocks{};
    std::array<int32_t, 2> sent{};  // their totals in the frame that was sent
  };

  struct NotZero {
    uint16_t mask = 0;
    uint16_t lacks = 1;  // if the bits of the mask are this
    size_t offset = 0;
  };

  // In arrays, nothing is looped over.
  template <typename Blocks, typename Pairs, typename Fields>
  struct Conditions {
    Blocks compared{};
    Pairs pairs{};
    Fields not_zero{};

    bool Hold(const uint8_t* frame) const {
      wire::Block difference{};
      for (const Compared& block : compared) {
        difference |= (wire::LoadBlock(frame + block.offset) ^ block.value) & block.mask;
      }
      if (wire::HasBits(difference)) [[unlikely]]
        return false;
      for (const auto& pair : pairs) {
        wire::BlockSums one{};
        wire::BlockSums other{};
        for (const Summed& block : pair.blocks) {
          one += wire::AddCounted(wire::LoadBlock(frame + block.offsets[0]), block.counts[0]);
          other += wire::AddCounted(wire::LoadBlock(frame + block.offsets[1]), block.counts[1]);
        }
        const auto totals = wire::Totals(one, other);
        // A sum in one's complement is one modulo 2^16 - 1.
        if ((totals[0] - pair.sent[0]) % kModulus != 0 ||
            (totals[1] - pair.sent[1]) % kModulus != 0) [[unlikely]] {
          return false;
        }
      }
      for (const NotZero& field : not_zero) {
        if ((LoadNative16(frame + field.offset) & field.mask) == field.lacks) [[unlikely]]
          return false;
      }
      return true;
    }
  };

  // The conditions of frames of 64 bytes with fields that change.
  using Few = Conditions<std::array<Compared, 3>, std::array<Pair<std::array<Summed, 2>>, 1>,
                         std::array<NotZero, 2>>;
  using Any = Conditions<std::vector<Compared>, std::vector<Pair<std::vector<Summed>>>,
                         std::vector<NotZero>>;

  // A sum of many words that may change, or of half a word.
  struct LongSum {
    std::vector<wire::Bytes> covered;
    uint16_t negative;  // of the sum of these bytes in the sent frame
  };

  static uint16_t LoadNative16(const uint8_t* from) {
    uint16_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  bool IsFixed(size_t at) const { return at < mask_.size() && mask_[at] == 0xff; }
  void AddPaired(Frame sent, const std::vector<size_t>& words);
  bool LongSumsStay(const uint8_t* frame) const;
  static uint64_t Add(const LongSum& sum, const uint8_t* frame);
  void MakeFew();

  std::vector<uint8_t> mask_;
  Few few_;
  bool are_few_ = true;
  size_t in_last_pair_ = 2;  // number of sums in the last pair
  Any all_;
  std::vector<LongSum> long_sums_;
};

}  // namespace tester
