// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/capture_lane.h"

#include <cstring>
#include <utility>

namespace tester {
namespace {

// Enough for ten milliseconds of 64-byte frames at 10 Gbps.
constexpr size_t kRingBytes = 16U << 20;

constexpr size_t RecordBytes(size_t bytes) {
  constexpr size_t kAlignment = alignof(CapturedFacts);
  return sizeof(CapturedFacts) + (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Lane::Lane(Keep keep, uint64_t frames, size_t ports, std::shared_ptr<std::atomic<bool>> complete,
           std::unique_ptr<TriggerWatch> trigger)
    : keep_(keep),
      frames_(frames),
      complete_(std::move(complete)),
      ring_(kRingBytes),
      counters_(ports),
      trigger_(std::move(trigger)) {
  marks_[0] = {};
}

void Lane::Begin() {
  over_ = complete();
  triggered_ = trigger_ != nullptr && trigger_->fired();
  fired_at_ = 0;
  marked_ = 0;
  marks_[0] = {.place = ring_.reserved(), .seen = 0, .matched = 0, .dropped = 0};
}

uint8_t* Lane::See(bool wanted, const CapturedFacts& facts, const uint8_t* bytes) {
  if (over_) return nullptr;
  Mark mark = marks_[marked_];
  const uint64_t taken = taken_ + mark.matched - mark.dropped;
  const bool keeps_last = keep_ == Keep::kLast || keep_ == Keep::kTriggered;
  const bool full = !keeps_last && taken >= frames_;
  if (keep_ == Keep::kFirst && full) {
    marks_[++marked_] = mark;
    return nullptr;
  }
  if (keep_ != Keep::kTrace) ++mark.seen;
  uint8_t* place = nullptr;
  if (wanted) {
    ++mark.matched;
    if (!full) place = ring_.Reserve(RecordBytes(facts.kept_bytes));
    if (place != nullptr) {
      std::memcpy(place, &facts, sizeof facts);
      std::memcpy(place + sizeof facts, bytes, facts.kept_bytes);
      mark.place = ring_.reserved();
    } else {
      ++mark.dropped;
    }
  }
  marks_[++marked_] = mark;
  if (facts.fires) fired_at_ = marked_;
  return place;
}

void Lane::Publish(uint16_t port, size_t count) {
  if (over_) return;
  const Mark& mark = marks_[count];
  ring_.Publish(mark.place);
  LaneCounters& counters = counters_[port];
  counters.seen.Add(mark.seen);
  counters.matched.Add(mark.matched);
  counters.dropped.Add(mark.dropped);
  taken_ += static_cast<uint64_t>(mark.matched - mark.dropped);
  if ((keep_ == Keep::kFirst && taken_ >= frames_) || HasAllAfterTheTrigger(count)) {
    complete_->store(true, std::memory_order_release);
  }
}

bool Lane::HasAllAfterTheTrigger(size_t count) {
  if (!triggered_ && fired_at_ == 0) return false;
  const auto taken = [&](size_t marked) {
    return static_cast<uint64_t>(marks_[marked].matched - marks_[marked].dropped);
  };
  taken_after_ += taken(count) - taken(fired_at_);
  return taken_after_ >= trigger_->plan().after;
}

bool Lane::Drain() {
  const auto readable = ring_.Readable();
  for (size_t at = 0; at < readable.size();) {
    CapturedFacts facts;
    std::memcpy(&facts, readable.data() + at, sizeof facts);
    Put(facts, readable.data() + at + sizeof facts);
    at += RecordBytes(facts.kept_bytes);
  }
  ring_.Release(readable.size());
  kept_count_.Set(kept_.size());
  return !readable.empty();
}

void Lane::Put(const CapturedFacts& facts, const uint8_t* bytes) {
  KeptFrame frame;
  if (kept_.size() == frames_) {
    frame = std::move(kept_.front());  // its memory is used again
    kept_.pop_front();
  }
  frame.facts = facts;
  frame.bytes.assign(bytes, bytes + facts.kept_bytes);
  kept_.push_back(std::move(frame));
}

}  // namespace tester
