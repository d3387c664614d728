// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/feed.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "replay/capture_reader.h"
#include "replay/files.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

// A full ring lasts a millisecond at the highest rates.
constexpr auto kPause = std::chrono::microseconds(200);

}  // namespace

class ReplayFeed::Reader {
 public:
  explicit Reader(ReplayPlan plan)
      : plan_(std::move(plan)), slots_(kSlots), bytes_(kBytes), total_(plan_.Total()) {}

  void Run();
  void Stop() { stop_ = true; }
  bool IsAhead() const { return ahead_; }
  std::shared_ptr<const Fault> fault() const { return fault_; }

  uint64_t DueNs(uint64_t number) const {
    if (number < written_.load(std::memory_order_acquire)) return slots_[number % kSlots].due_ns;
    return number < total_.load(std::memory_order_acquire) ? kNotYet : kNone;
  }
  Frame At(uint64_t number) const {
    const Slot& slot = slots_[number % kSlots];
    return {bytes_.data() + slot.offset, slot.bytes};
  }
  void Release(uint64_t number) { released_.store(number, std::memory_order_release); }

 private:
  struct Slot {
    uint64_t due_ns;
    uint32_t offset;
    uint32_t bytes;
  };
  static constexpr size_t kSlots = 16'384;
  static constexpr size_t kBytes = 1U << 23;

  void ReadOnce(uint64_t run);
  // Whether the file is still the loaded one.
  bool IsUnchanged() const;
  Error Changed() const;
  // Waits for room. False: the reader is to end.
  bool Put(const CapturedFrame& frame, uint64_t due_ns);
  // The offset where `bytes` bytes fit now; kBytes: no room.
  size_t Room(size_t bytes) const;

  const ReplayPlan plan_;
  const std::shared_ptr<Fault> fault_ = std::make_shared<Fault>();
  std::vector<Slot> slots_;
  std::vector<uint8_t> bytes_;
  size_t next_byte_ = 0;
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> released_{0};
  std::atomic<uint64_t> total_;
  std::atomic<bool> ahead_{false};  // it is full, or all was read
  std::atomic<bool> stop_{false};
};

ReplayFeed::ReplayFeed(ReplayPlan plan) : reader_(std::make_shared<Reader>(std::move(plan))) {
  std::thread([reader = reader_] { reader->Run(); }).detach();
}

ReplayFeed::~ReplayFeed() { reader_->Stop(); }

void ReplayFeed::AwaitAhead(std::chrono::steady_clock::time_point deadline) const {
  while (!reader_->IsAhead() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPause);
  }
}

std::shared_ptr<const Fault> ReplayFeed::fault() const { return reader_->fault(); }

uint64_t ReplayFeed::DueNs(uint64_t number) const { return reader_->DueNs(number); }

Frame ReplayFeed::At(uint64_t number) const { return reader_->At(number); }

void ReplayFeed::Release(uint64_t number) { reader_->Release(number); }

void ReplayFeed::Reader::Run() {
  try {
    for (uint64_t run = 0; written_ < total_ && !stop_; ++run) ReadOnce(run);
  } catch (const Error& found) {
    // A file that was changed while it was read looks damaged.
    const Error error = IsUnchanged() ? found : Changed();
    Log(LogLevel::kError, "replay", {{"reason", error.what()}});
    fault_->Set(error.what());
    total_.store(written_, std::memory_order_release);
  }
  ahead_ = true;
}

bool ReplayFeed::Reader::IsUnchanged() const {
  return FileMark::Of(plan_.path) == plan_.summary.mark;
}

Error ReplayFeed::Reader::Changed() const {
  return Error(Code::kInvalidArgument,
               Cat(plan_.path, ": the file has changed since it was loaded; load it again"));
}

// The file was checked when it was loaded. It may have changed since, or during the check: then
// unplanned frames have left.
void ReplayFeed::Reader::ReadOnce(uint64_t run) {
  if (!IsUnchanged()) throw Changed();
  std::ifstream file = OpenCapture(plan_.path);
  CaptureReader reader(file, plan_.path);
  CapturedFrame frame;
  uint64_t first_ns = 0;
  while (!stop_ && reader.Next(frame)) {
    if (reader.count() == 1) first_ns = frame.time_ns;
    const uint64_t number = reader.count() - 1;
    if (number >= plan_.summary.frames || frame.bytes.size() > plan_.longest_frame) break;
    frame.bytes.resize(std::max(frame.bytes.size(), wire::kMinFrameBytes));
    plan_.rewrites.Apply(frame.bytes);
    // The file may have changed since its frames were checked.
    if (plan_.allowed != nullptr && !plan_.allowed->Allows(frame.bytes)) throw Changed();
    if (!Put(frame, plan_.DueNs(run, number, frame.time_ns - first_ns))) break;
  }
  if (!IsUnchanged()) throw Changed();
  if (!stop_ && written_ != (run + 1) * plan_.summary.frames) reader.Refuse("it has changed");
}

bool ReplayFeed::Reader::Put(const CapturedFrame& frame, uint64_t due_ns) {
  const uint64_t number = written_.load(std::memory_order_relaxed);
  size_t at = kBytes;
  while ((at = Room(frame.bytes.size())) == kBytes) {
    if (stop_) return false;
    ahead_ = true;
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

size_t ReplayFeed::Reader::Room(size_t bytes) const {
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
