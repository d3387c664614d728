// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/frame_pattern.h"

#include <algorithm>
#include <utility>

namespace tester {
namespace {

using wire::kBlockBytes;

// A sum that needs more blocks is computed over all its bytes.
constexpr size_t kMostBlocks = 8;

// The begin of the block that has the bytes from `first` on, in a frame of `frame_bytes` bytes. It
// is even if `first` is.
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
    all_.compared.push_back({.value = wire::LoadBlock(sent.data() + offset),
                             .mask = wire::LoadBlock(bits.data()),
                             .offset = offset});
    at = offset + kBlockBytes;
  }
  MakeFew();
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
  MakeFew();
  return true;
}

void FramePattern::AddPaired(Frame sent, const std::vector<size_t>& words) {
  if (in_last_pair_ == 2) {
    all_.pairs.emplace_back();
    in_last_pair_ = 0;
  }
  auto& pair = all_.pairs.back();
  const size_t side = in_last_pair_++;
  const auto blocks = BlocksOf(words, sent.size());
  pair.blocks.resize(std::max(pair.blocks.size(), blocks.size()));
  wire::BlockSums sums{};
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto& [offset, counts] = blocks[i];
    pair.blocks[i].offsets[side] = offset;
    pair.blocks[i].counts[side] = counts;
    sums += wire::AddCounted(wire::LoadBlock(sent.data() + offset), counts);
  }
  pair.sent[side] = wire::Totals(sums, sums)[0];
}

void FramePattern::AddNotZero(const wire::Bytes& bytes) {
  std::array<uint8_t, 2> mask{};
  std::fill_n(mask.begin(), bytes.size, uint8_t{0xff});
  all_.not_zero.push_back({.mask = LoadNative16(mask.data()), .lacks = 0, .offset = bytes.begin});
  MakeFew();
}

void FramePattern::MakeFew() {
  few_ = {};
  are_few_ = long_sums_.empty() && all_.compared.size() <= few_.compared.size() &&
             all_.pairs.size() <= few_.pairs.size() && all_.not_zero.size() <= few_.not_zero.size();
  for (size_t i = 0; are_few_ && i < all_.pairs.size(); ++i) {
    const auto& blocks = all_.pairs[i].blocks;
    auto& few = few_.pairs[i];
    are_few_ = blocks.size() <= few.blocks.size();
    if (!are_few_) break;
    std::copy(blocks.begin(), blocks.end(), few.blocks.begin());
    few.sent = all_.pairs[i].sent;
  }
  if (!are_few_) return;
  std::copy(all_.compared.begin(), all_.compared.end(), few_.compared.begin());
  std::copy(all_.not_zero.begin(), all_.not_zero.end(), few_.not_zero.begin());
}

uint64_t FramePattern::Add(const LongSum& sum, const uint8_t* frame) {
  uint64_t total = 0;
  for (const wire::Bytes& bytes : sum.covered) {
    total += wire::Fold(wire::NativeSum({frame + bytes.begin, bytes.size}));
  }
  return total;
}

bool FramePattern::LongSumsStay(const uint8_t* frame) const {
  return std::all_of(long_sums_.begin(), long_sums_.end(), [&](const LongSum& sum) {
    return (Add(sum, frame) + sum.negative) % uint64_t{kModulus} == 0;
  });
}

}  // namespace tester
