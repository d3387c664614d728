// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/trace.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tester {
namespace {

// More of them in one burst cost memory while the path is served.
constexpr size_t kUsualDepartures = 1024;

}  // namespace

Trace::Trace(std::shared_ptr<Lane> lane, const Plan& plan) : lane_(std::move(lane)), plan_(plan) {
  late_.reserve(kUsualDepartures);
}

void Trace::Begin(size_t direction, uint64_t received) {
  direction_ = direction;
  if (!begun_[direction] || received < last_[direction]) last_[direction] = received;
  begun_[direction] = true;
  count_ = 0;
  open_ = true;
  lane_->Begin();
}

Trace::Record Trace::See(Frame frame, uint64_t now_ns) {
  const uint64_t number = next_++;
  const bool wanted = number % plan_.every == 0;
  const auto bytes = static_cast<uint32_t>(frame.size());
  ++count_;
  uint8_t* const place = lane_->See(wanted,
                                    {.time_ns = now_ns,
                                     .sequence = number,
                                     .original_bytes = bytes,
                                     .kept_bytes = std::min(bytes, plan_.snap_length),
                                     .port = plan_.ports[direction_],
                                     .stream = 0,
                                     .transmitted = false},
                                    frame.data());
  return {.number = place == nullptr ? kUntraced : number, .place = place};
}

void Trace::Note(const Record& record, std::span<const uint32_t> events) {
  if (record.place == nullptr) return;
  std::array<uint16_t, CapturedFacts::kMostEvents> kept{};
  const size_t count = std::min(events.size(), kept.size());
  for (size_t i = 0; i < count; ++i) kept[i] = static_cast<uint16_t>(events[i] + 1);
  std::memcpy(record.place + offsetof(CapturedFacts, events), kept.data(), sizeof kept);
}

void Trace::Leave(const Record& record, uint64_t now_ns) {
  if (record.number == kUntraced) return;
  if (record.place != nullptr) {
    std::memcpy(record.place + offsetof(CapturedFacts, left_ns), &now_ns, sizeof now_ns);
  } else if (open_) {
    late_.push_back({.number = record.number, .left_ns = now_ns});
  } else {
    lane_->Leave(plan_.ports[direction_], record.number, now_ns);
  }
}

void Trace::Publish(uint64_t received) {
  const uint16_t port = plan_.ports[direction_];
  lane_->Publish(port, count_);
  seen_[direction_] += received - last_[direction_];
  last_[direction_] = received;
  lane_->CountSeen(port, seen_[direction_]);
  open_ = false;
  for (const Departure& departure : late_) {
    lane_->Leave(port, departure.number, departure.left_ns);
  }
  late_.clear();
}

}  // namespace tester
