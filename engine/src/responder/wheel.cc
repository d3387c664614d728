// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/wheel.h"

#include <bit>

namespace tester::machine {
namespace {

// The ring in which a time lies: that of the highest byte in which it differs from now.
uint32_t RingOf(uint32_t due_us, uint32_t now_us) {
  const uint32_t apart = due_us ^ now_us;
  return apart == 0 ? 0 : (31U - static_cast<uint32_t>(std::countl_zero(apart))) / 8;
}

}  // namespace

void Wheel::Put(uint32_t index, uint32_t due_us) {
  const uint32_t ring = RingOf(due_us, now_us_);
  const uint32_t slot = ring * kSlots + (due_us >> (8 * ring) & 0xff);
  Flow& flow = flows_[index];
  flow.armed_us = due_us;
  flow.next = slots_[slot];
  flow.previous = kHead | slot;
  if (flow.next != kNoFlow) flows_[flow.next].previous = index;
  slots_[slot] = index;
  taken_[slot / 64] |= uint64_t{1} << slot % 64;
}

void Wheel::Arm(uint32_t index, uint32_t due_us) {
  flows_[index].armed = true;
  Put(index, due_us);
}

void Wheel::Disarm(uint32_t index) {
  Flow& flow = flows_[index];
  flow.armed = false;
  if (flow.next != kNoFlow) flows_[flow.next].previous = flow.previous;
  if ((flow.previous & kHead) == 0) {
    flows_[flow.previous].next = flow.next;
    return;
  }
  const uint32_t slot = flow.previous & ~kHead;
  slots_[slot] = flow.next;
  if (flow.next == kNoFlow) taken_[slot / 64] &= ~(uint64_t{1} << slot % 64);
}

uint32_t Wheel::FirstFrom(uint32_t ring, uint32_t from) const {
  for (uint32_t word = from / 64; word < kSlots / 64; ++word) {
    uint64_t taken = taken_[ring * kSlots / 64 + word];
    if (word == from / 64) taken &= ~uint64_t{0} << from % 64;
    if (taken != 0) return word * 64 + static_cast<uint32_t>(std::countr_zero(taken));
  }
  return kSlots;
}

// The flows of a slot whose time has begun go to the rings below.
void Wheel::Spread(uint32_t slot) {
  uint32_t index = slots_[slot];
  slots_[slot] = kNoFlow;
  taken_[slot / 64] &= ~(uint64_t{1} << slot % 64);
  while (index != kNoFlow) {
    const uint32_t next = flows_[index].next;
    Put(index, flows_[index].armed_us);
    index = next;
  }
}

uint32_t Wheel::Next(uint32_t now_us) {
  for (uint32_t ring = 0; ring < kRings;) {
    const uint32_t shift = 8 * ring;
    const uint32_t here = now_us_ >> shift & 0xff;
    uint32_t slot = FirstFrom(ring, ring == 0 ? here : here + 1);
    // Time goes round in the outermost ring.
    if (slot == kSlots && ring == kRings - 1) slot = FirstFrom(ring, 0);
    if (slot >= kSlots || (ring == kRings - 1 && slot == here)) {
      ++ring;
      continue;
    }
    const uint32_t above = ring == kRings - 1 ? 0 : now_us_ >> (shift + 8) << (shift + 8);
    const uint32_t begins_us = above | slot << shift;
    if (begins_us - now_us_ > now_us - now_us_) break;
    now_us_ = begins_us;
    if (ring == 0) {
      const uint32_t index = slots_[slot];
      Disarm(index);
      return index;
    }
    Spread(ring * kSlots + slot);
    ring = 0;
  }
  now_us_ = now_us;
  return kNoFlow;
}

}  // namespace tester::machine
