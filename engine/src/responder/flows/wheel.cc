// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flows/wheel.h"

#include <bit>

namespace tester::machine {
namespace {

// The ring of a time: of the highest byte in which it differs from now.
uint32_t RingOf(uint32_t due_us, uint32_t now_us) {
  const uint32_t apart = due_us ^ now_us;
  return apart == 0 ? 0 : (31U - static_cast<uint32_t>(std::countl_zero(apart))) / 8;
}

}  // namespace

// A slot with entries is still to come: the wheel passes no slot before it is empty.
uint32_t Wheel::BeginsUs(uint32_t slot) const {
  const uint32_t shift = 8 * (slot / kSlots);
  const uint32_t above = slot / kSlots == kRings - 1 ? 0 : now_us_ >> (shift + 8) << (shift + 8);
  return above | slot % kSlots << shift;
}

void Wheel::Arm(uint32_t index, uint32_t due_us) {
  Flow& flow = flows_[index];
  if (const uint64_t number = kSlot.Get(flow.words); number != 0) {
    const auto slot = static_cast<uint32_t>(number - 1);
    if (static_cast<int32_t>(BeginsUs(slot) - due_us) <= 0) return;
    Disarm(index, slot);
  }
  const uint32_t ring = RingOf(due_us, now_us_);
  const uint32_t slot = ring * kSlots + (due_us >> (8 * ring) & 0xff);
  kSlot.Set(flow.words, slot + 1);
  flow.next = slots_[slot];
  flow.previous = kNoFlow;
  if (flow.next != kNoFlow) flows_[flow.next].previous = index;
  slots_[slot] = index;
  taken_[slot / 64] |= uint64_t{1} << slot % 64;
}

void Wheel::Disarm(uint32_t index, uint32_t slot) {
  Flow& flow = flows_[index];
  kSlot.Set(flow.words, 0);
  if (flow.next != kNoFlow) flows_[flow.next].previous = flow.previous;
  if (flow.previous != kNoFlow) {
    flows_[flow.previous].next = flow.next;
    return;
  }
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

uint32_t Wheel::Next(uint32_t now_us) {
  for (uint32_t ring = 0; open_ == kNoSlot && ring < kRings; ++ring) {
    const uint32_t here = now_us_ >> (8 * ring) & 0xff;
    uint32_t slot = FirstFrom(ring, ring == 0 ? here : here + 1);
    // Time goes round in the outermost ring.
    if (slot == kSlots && ring == kRings - 1) slot = FirstFrom(ring, 0);
    if (slot >= kSlots) continue;
    slot += ring * kSlots;
    const uint32_t begins_us = BeginsUs(slot);
    if (begins_us - now_us_ > now_us - now_us_) break;
    now_us_ = begins_us;
    open_ = slot;
  }
  if (open_ == kNoSlot) {
    now_us_ = now_us;
    return kNoFlow;
  }
  const uint32_t index = slots_[open_];
  Disarm(index, open_);
  if (slots_[open_] == kNoFlow) open_ = kNoSlot;
  return index;
}

}  // namespace tester::machine
