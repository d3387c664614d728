// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/numbered_flows.h"

#include <algorithm>
#include <bit>

namespace tester {
namespace {

uint64_t MixWord(uint64_t hash, uint64_t word) {
  hash ^= word;
  hash *= 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

uint64_t HashOfFlow(const FlowKey& key) {
  uint64_t hash = 0;
  for (const uint64_t word : key.addresses) hash = MixWord(hash, word);
  hash = MixWord(hash, key.queue_pair);
  return MixWord(hash, uint64_t{key.ports[0]} << 32 | uint64_t{key.ports[1]} << 16 |
                           uint64_t{key.protocol} << 8 | key.ip_version);
}

// Sequence numbers go round (RFC 9293 section 3.4).
bool ComesBefore(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) < 0; }

}  // namespace

Progress NumberedFlow::Follow(const Segment& segment, size_t direction) {
  if (segment.sequence_numbers == 0) return {};
  Half& half = halves[direction];
  const uint32_t end = segment.sequence + segment.sequence_numbers;
  if (!half.seen) {
    half = {.next = end, .seen = true};
    return {};
  }
  const Progress progress{.first = ComesBefore(half.next, end),
                          .again = ComesBefore(segment.sequence, half.next)};
  if (progress.first) half.next = end;
  return progress;
}

NumberedFlows::NumberedFlows(uint32_t capacity)
    : capacity_(capacity), slots_(std::bit_ceil(std::max<size_t>(4, size_t{capacity} * 2))) {}

NumberedFlow* NumberedFlows::Find(Frame frame, const Segment& segment) {
  const FlowKey key = segment.Key(frame);
  if (key.ip_version == 0) return nullptr;
  const size_t mask = slots_.size() - 1;
  size_t index = HashOfFlow(key) & mask;
  while (slots_[index].number != 0 && slots_[index].key != key) index = (index + 1) & mask;
  NumberedFlow& flow = slots_[index];
  const bool is_new = flow.number == 0;
  if (is_new) {
    if (used_ == capacity_) return nullptr;
    ++used_;
  }
  const bool reopened =
      segment.opens() && (!flow.opened || flow.opening != segment.sequence) && !is_new;
  if (is_new || reopened) {
    flow = {.key = key, .number = TakeNumber(), .halves = {}};
  }
  if (segment.opens()) {
    flow.opened = true;
    flow.opening = segment.sequence;
  }
  return &flow;
}

}  // namespace tester
