// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/capture.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <utility>

#include "base/log.h"

namespace tester {
namespace {

// A ring has room for some milliseconds of any line.
constexpr auto kDrainPause = std::chrono::milliseconds(1);

}  // namespace

Capture::Capture(CapturePlan plan, size_t workers, size_t ports, uint64_t started_ns,
                 int64_t clock_zero_unix_ns)
    : plan_(std::move(plan)),
      started_ns_(started_ns),
      clock_zero_unix_ns_(clock_zero_unix_ns),
      complete_(std::make_shared<std::atomic<bool>>(false)),
      triggered_ns_(std::make_shared<std::atomic<uint64_t>>(0)) {
  for (size_t i = 0; i < workers; ++i) {
    auto trigger =
        plan_.trigger ? std::make_unique<TriggerWatch>(*plan_.trigger, triggered_ns_) : nullptr;
    // A lane learns at the end of a burst that it has all.
    const uint64_t frames = plan_.frames + (trigger ? kBurst : 0);
    lanes_.push_back(
        std::make_shared<Lane>(plan_.keep, frames, ports, complete_, std::move(trigger)));
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Drain(stop); });
}

Capture::~Capture() = default;

std::shared_ptr<const StreamSet> Capture::StreamIds() const {
  if (plan_.streams.empty()) return nullptr;
  auto ids = std::make_shared<StreamSet>();
  for (const auto& [id, name] : streams_) {
    if (std::find(plan_.streams.begin(), plan_.streams.end(), name) != plan_.streams.end()) {
      ids->set(id);
    }
  }
  return ids;
}

bool Capture::DrainAll() {
  bool any = false;
  for (const auto& lane : lanes_) any |= lane->Drain();
  return any;
}

void Capture::Drain(const std::stop_token& stop) try {
  while (!stop.stop_requested() && !complete_->load(std::memory_order_acquire)) {
    if (!DrainAll()) std::this_thread::sleep_for(kDrainPause);
  }
  DrainAll();  // frames published before the capture was complete
} catch (const std::bad_alloc&) {
  // The rings fill up; frames without room count as dropped.
  Log(LogLevel::kError, "capture", {{"name", plan_.name}, {"reason", "no memory left"}});
}

void Capture::Gather() {
  thread_.request_stop();
  thread_.join();
  DrainAll();
  Merge();
}

void Capture::Merge() {
  for (const auto& lane : lanes_) {
    std::move(lane->kept().begin(), lane->kept().end(), std::back_inserter(frames_));
  }
  for (const auto& lane : lanes_) lane->kept().clear();
  if (plan_.keep == Lane::Keep::kTrace) return;  // of one lane, in the order of the path
  std::stable_sort(frames_.begin(), frames_.end(), [](const KeptFrame& a, const KeptFrame& b) {
    return a.facts.time_ns < b.facts.time_ns;
  });
  if (triggered_ns() != 0) return KeepAroundTheTrigger();
  if (frames_.size() <= plan_.frames) return;
  const auto surplus = static_cast<std::ptrdiff_t>(frames_.size() - plan_.frames);
  if (plan_.keep == Lane::Keep::kFirst) {
    frames_.erase(frames_.end() - surplus, frames_.end());
  } else {
    frames_.erase(frames_.begin(), frames_.begin() + surplus);
  }
}

// The frame that fired lies between the frames before and behind it, if it was kept.
void Capture::KeepAroundTheTrigger() {
  auto fired = std::ranges::find_if(frames_, [](const auto& f) { return f.facts.fires; });
  if (fired == frames_.end()) {
    fired = std::ranges::upper_bound(frames_, triggered_ns(), {},
                                     [](const auto& f) { return f.facts.time_ns; });
  }
  const auto behind = std::min<std::ptrdiff_t>(frames_.end() - fired, plan_.trigger->after + 1);
  const auto before = std::min<std::ptrdiff_t>(fired - frames_.begin(), plan_.trigger->before);
  frames_.erase(fired + behind, frames_.end());
  frames_.erase(frames_.begin(), fired - before);
}

uint64_t Capture::kept() const {
  if (stopped()) return frames_.size();
  uint64_t kept = 0;
  for (const auto& lane : lanes_) kept += lane->kept_count();
  return std::min<uint64_t>(kept, plan_.frames);
}

Capture::PortCount Capture::counters(size_t port) const {
  PortCount sum{};
  for (const auto& lane : lanes_) {
    const LaneCounters& counters = lane->counters(port);
    sum.seen += counters.seen.Get();
    sum.matched += counters.matched.Get();
    sum.dropped += counters.dropped.Get();
  }
  return sum;
}

}  // namespace tester
