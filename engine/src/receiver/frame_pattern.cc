// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/frame_pattern.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tester {
namespace {

using wire::kBlockBytes;

// A sum of which more words may change is computed over all it covers.
constexpr size_t kMostBlocks = 8;

// Where a block begins that has the bytes from `first` on, in a frame of so many: at an even offset
// if that one is.
size_t BlockAt(size_t first, size_t frame_bytes) {
  const size_t last = frame_bytes - kBlockBytes;
  return first <= last ? first : last - (first - last) % 2;
}

// The fewest blocks that have all these offsets of words.
std::vector<std::pair<size_t, wire::Block>> BlocksOf(const std::vector<size_t>& words,
                                                     size_t frame_bytes) {
  std::vector<std::pair<size_t, wire::Block>> blocks;
  for (const size_t word : words) {
    if (blocks.empty() || word + 2 > blocks.back().first + kBlockBytes) {
      blocks.emplace_back(BlockAt(word, frame_bytes), wire::Block{});
    }
    auto& [offset, counts] = blocks.back();
    counts[(word - offset) / 2] += 1;
  }
  return blocks;
}

}  // namespace

FramePattern::FramePattern(Frame sent, std::vector<uint8_t> mask) : mask_(std::move(mask)) {
  for (size_t at = 0; at < mask_.size();) {
    if (mask_[at] == 0) {
      ++at;
      continue;
    }
    const size_t offset = BlockAt(at, sent.size());
    std::array<uint8_t, kBlockBytes> bits{};
    const size_t bytes = std::min(kBlockBytes, mask_.size() - offset);
    std::copy_n(mask_.begin() + static_cast<ptrdiff_t>(offset), bytes, bits.begin());
    compared_.push_back({.value = wire::LoadBlock(sent.data() + offset),
                         .mask = wire::LoadBlock(bits.data()),
                         .offset = offset});
    at = offset + kBlockBytes;
  }
}

bool FramePattern::AddSum(Frame sent, const std::vector<wire::Bytes>& covered) {
  std::vector<size_t> words;
  bool in_words = true;
  for (const wire::Bytes& bytes : covered) {
    for (size_t at = bytes.begin; at < bytes.end(); at += 2) {
      const bool is_half = at + 1 == bytes.end();
      if (IsFixed(at) && (is_half || IsFixed(at + 1))) continue;
      in_words &= !is_half && at % 2 == 0;
      words.push_back(at);
    }
  }
  if (words.empty()) return false;
  std::sort(words.begin(), words.end());
  if (in_words && BlocksOf(words, sent.size()).size() <= kMostBlocks) {
    AddPaired(sent, words);
  } else {
    LongSum sum{.covered = covered, .negative = 0};
    sum.negative = wire::Negative(Add(sum, sent.data()));
    long_sums_.push_back(std::move(sum));
  }
  return true;
}

void FramePattern::AddPaired(Frame sent, const std::vector<size_t>& words) {
  if (in_last_pair_ == 2) {
    pairs_.push_back({.end = summed_.size(), .sent = {0, 0}});
    in_last_pair_ = 0;
  }
  Pair& pair = pairs_.back();
  const size_t side = in_last_pair_++;
  const size_t first = pairs_.size() < 2 ? 0 : pairs_[pairs_.size() - 2].end;
  const auto blocks = BlocksOf(words, sent.size());
  summed_.resize(std::max(pair.end, first + blocks.size()), Summed{});
  pair.end = summed_.size();
  wire::BlockSums sums{};
  for (size_t i = first; i < pair.end; ++i) {
    Summed& block = summed_[i];
    if (i - first < blocks.size()) {
      std::tie(block.offsets[side], block.counts[side]) = blocks[i - first];
    }
    sums +=
        wire::AddCounted(wire::LoadBlock(sent.data() + block.offsets[side]), block.counts[side]);
  }
  pair.sent[side] = wire::Totals(sums, sums)[0];
}

void FramePattern::AddNotZero(const wire::Bytes& bytes) {
  std::array<uint8_t, 2> mask{};
  std::fill_n(mask.begin(), bytes.size, uint8_t{0xff});
  not_zero_.push_back(
      {.mask = LoadNative16(mask.data()), .offset = static_cast<uint16_t>(bytes.begin)});
}

uint64_t FramePattern::Add(const LongSum& sum, const uint8_t* frame) {
  uint64_t total = 0;
  for (const wire::Bytes& bytes : sum.covered) {
    total += wire::Fold(wire::NativeSum({frame + bytes.begin, bytes.size}));
  }
  return total;
}

bool FramePattern::IsUnchanged(const LongSum& sum, const uint8_t* frame) {
  return (Add(sum, frame) + sum.negative) % uint64_t{kModulus} == 0;
}

}  // namespace tester
