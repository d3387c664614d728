// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/feed.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include "error.h"
#include "log.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

// A full ring lasts a millisecond at the highest rates there are.
constexpr auto kPause = std::chrono::microseconds(200);
constexpr auto kMostAhead = std::chrono::milliseconds(200);

}  // namespace

ReplayFeed::ReplayFeed(ReplayPlan plan)
    : plan_(std::move(plan)), slots_(kSlots), bytes_(kBytes), total_(plan_.Total()) {
  thread_ = std::thread([this] { Run(); });
  const auto deadline = std::chrono::steady_clock::now() + kMostAhead;
  while (!ready_ && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPause);
  }
}

ReplayFeed::~ReplayFeed() {
  stop_ = true;
  thread_.join();
}

uint64_t ReplayFeed::DueNs(uint64_t number) const {
  if (number < written_.load(std::memory_order_acquire)) return slots_[number % kSlots].due_ns;
  return number < total_.load(std::memory_order_acquire) ? kNotYet : kNone;
}

Frame ReplayFeed::At(uint64_t number) const {
  const Slot& slot = slots_[number % kSlots];
  return {bytes_.data() + slot.offset, slot.bytes};
}

void ReplayFeed::Run() {
  try {
    for (uint64_t run = 0; written_ < total_ && !stop_; ++run) ReadOnce(run);
  } catch (const Error& error) {
    Log(LogLevel::kError, "replay", {{"reason", error.what()}});
    total_.store(written_, std::memory_order_release);
  }
  ready_ = true;
}

// The file was found good when it was loaded; it may have changed since.
void ReplayFeed::ReadOnce(uint64_t run) {
  std::ifstream file(plan_.path, std::ios::binary);
  CaptureReader reader(file, plan_.path);
  CapturedFrame frame;
  uint64_t first_ns = 0;
  while (reader.Next(frame)) {
    if (reader.count() == 1) first_ns = frame.time_ns;
    const uint64_t number = reader.count() - 1;
    if (number >= plan_.summary.frames || frame.bytes.size() > plan_.longest_frame) break;
    frame.bytes.resize(std::max(frame.bytes.size(), wire::kMinFrameBytes));
    plan_.rewrites.Apply(frame.bytes);
    if (!Put(frame, plan_.DueNs(run, number, frame.time_ns - first_ns))) return;
  }
  if (written_ != (run + 1) * plan_.summary.frames) reader.Refuse("it has changed");
}

bool ReplayFeed::Put(const CapturedFrame& frame, uint64_t due_ns) {
  const uint64_t number = written_.load(std::memory_order_relaxed);
  size_t at = kBytes;
  while ((at = Room(frame.bytes.size())) == kBytes) {
    if (stop_) return false;
    ready_ = true;
    std::this_thread::sleep_for(kPause);
  }
  std::ranges::copy(frame.bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
  next_byte_ = at + frame.bytes.size();
  slots_[number % kSlots] = {.due_ns = due_ns,
                             .offset = static_cast<uint32_t>(at),
                             .bytes = static_cast<uint32_t>(frame.bytes.size())};
  written_.store(number + 1, std::memory_order_release);
  return true;
}

size_t ReplayFeed::Room(size_t bytes) const {
  const uint64_t written = written_.load(std::memory_order_acquire);
  const uint64_t released = released_.load(std::memory_order_acquire);
  if (written == released) return next_byte_ + bytes <= kBytes ? next_byte_ : 0;
  if (written - released == kSlots) return kBytes;
  const size_t oldest = slots_[released % kSlots].offset;
  if (next_byte_ > oldest) {
    if (next_byte_ + bytes <= kBytes) return next_byte_;
    return bytes < oldest ? 0 : kBytes;
  }
  return next_byte_ + bytes < oldest ? next_byte_ : kBytes;
}

}  // namespace tester
