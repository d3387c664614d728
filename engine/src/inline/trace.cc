// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/trace.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace tester {

Trace::Trace(std::shared_ptr<Lane> lane, const Plan& plan) : lane_(std::move(lane)), plan_(plan) {}

void Trace::Begin(size_t direction, uint64_t received) {
  direction_ = direction;
  if (!begun_[direction] || received < last_[direction]) last_[direction] = received;
  begun_[direction] = true;
  count_ = 0;
  lane_->Begin();
}

uint8_t* Trace::See(Frame frame, uint64_t now_ns) {
  const uint64_t number = next_++;
  const bool wanted = number % plan_.every == 0;
  const auto bytes = static_cast<uint32_t>(frame.size());
  ++count_;
  return lane_->See(wanted,
                    {.time_ns = now_ns,
                     .sequence = number,
                     .original_bytes = bytes,
                     .kept_bytes = std::min(bytes, plan_.snap_length),
                     .port = plan_.ports[direction_],
                     .stream = 0,
                     .transmitted = false},
                    frame.data());
}

void Trace::Note(uint8_t* record, std::span<const uint32_t> events) {
  if (record == nullptr) return;
  std::array<uint16_t, CapturedFacts::kMostEvents> kept{};
  const size_t count = std::min(events.size(), kept.size());
  for (size_t i = 0; i < count; ++i) kept[i] = static_cast<uint16_t>(events[i] + 1);
  std::memcpy(record + offsetof(CapturedFacts, events), kept.data(), sizeof kept);
}

void Trace::Leave(uint8_t* record, uint64_t now_ns) {
  if (record == nullptr) return;
  std::memcpy(record + offsetof(CapturedFacts, left_ns), &now_ns, sizeof now_ns);
}

void Trace::Keep(uint8_t* record, Fate fate, uint64_t due_ns) {
  if (record == nullptr) return;
  const auto kept = static_cast<uint8_t>(fate);
  std::memcpy(record + offsetof(CapturedFacts, fate), &kept, sizeof kept);
  Leave(record, due_ns);
}

void Trace::Publish(uint64_t received) {
  const uint16_t port = plan_.ports[direction_];
  lane_->Publish(port, count_);
  seen_[direction_] += received - last_[direction_];
  last_[direction_] = received;
  lane_->SetSeen(port, seen_[direction_]);
}

}  // namespace tester
