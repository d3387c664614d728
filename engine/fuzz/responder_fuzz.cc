// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Feeds a responder with frames. The input has three blocks; the first two follow their length in
// two bytes: the Responder message, the beginning of a frame, and the changes to it. Where the
// table is compiled, compiled and interpreted table must do the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "compiled_tables/compiled_tables.h"
#include "plan/validate.h"
#include "plan/validate_responder.h"
#include "responder/responder.h"
#include "wire/bytes.h"

namespace tester {
namespace {

constexpr uint32_t kMaxFrame = 1518;
constexpr uint32_t kMostFlows = 1000;  // more memory, no more code
constexpr size_t kMostSteps = 60;

// Collects the frames that were sent.
class Collected final : public machine::Output {
 public:
  uint8_t* Begin() override {
    room_.assign(kMaxFrame, 0);
    return room_.data();
  }
  void End(size_t bytes) override {
    if (bytes == 0 || bytes > kMaxFrame) __builtin_trap();
    frames_.emplace_back(room_.begin(), room_.begin() + static_cast<ptrdiff_t>(bytes));
  }
  std::vector<uint8_t> last() const {
    return frames_.empty() ? std::vector<uint8_t>() : frames_.back();
  }
  bool operator==(const Collected& other) const { return frames_ == other.frames_; }

 private:
  std::vector<uint8_t> room_;
  std::vector<std::vector<uint8_t>> frames_;
};

Frame NextBlock(Frame& data) {
  if (data.size() < 2) return std::exchange(data, {});
  const size_t bytes = std::min<size_t>(wire::Load16(data.data()), data.size() - 2);
  const Frame block = data.subspan(2, bytes);
  data = data.subspan(2 + bytes);
  return block;
}

// One end, and all that it has sent.
struct Spoken {
  explicit Spoken(const std::shared_ptr<const machine::ResponderPlan>& plan,
                  const machine::CompiledTable* made)
      : counters(std::make_shared<ResponderCounters>(plan->machine.counters.size(),
                                                     plan->machine.histograms.size())),
        responder(plan, made, counters) {
    responder.Begin(1, 0);
  }

  void Hear(uint64_t now_us, Frame frame) {
    // In memory of exactly its size.
    const std::vector<uint8_t> exact(frame.begin(), frame.end());
    machine::Arrived arrived;
    if (responder.Take(exact, arrived) != machine::Taken::kYes) return;
    responder.PrefetchSlot(arrived);
    responder.PrefetchFlow(arrived);
    responder.Receive(arrived, now_us, output);
  }

  // The flows with their bytes, in the order of the table.
  std::vector<uint64_t> Kept() const {
    std::vector<uint64_t> kept;
    responder.ForEachFlow([&](const machine::Identity& /*identity*/, machine::State state) {
      for (size_t i = 0; i < machine::kLineWords + responder.plan().machine.cold_word_count; ++i) {
        kept.push_back(state[i]);
      }
    });
    return kept;
  }

  std::shared_ptr<ResponderCounters> counters;
  machine::Responder responder;
  Collected output;
};

bool Same(const Spoken& one, const Spoken& other) {
  const auto same = [](const Counter& a, const Counter& b) { return a.Get() == b.Get(); };
  return one.output == other.output && one.Kept() == other.Kept() &&
         one.counters->endless.Get() == other.counters->endless.Get() &&
         std::ranges::equal(one.counters->counters, other.counters->counters, same);
}

// Each step has four bytes: the time that passes, the frame to send, and a byte of it to change and
// its value.
void Talk(std::deque<Spoken>& ends, Frame begin, Frame steps) {
  uint64_t now_us = 1;
  for (size_t i = 0; i + 4 <= std::min(steps.size(), kMostSteps * 4); i += 4) {
    now_us += uint64_t{1} << (steps[i] % 24);
    for (Spoken& end : ends) end.responder.Advance(now_us, end.output);
    std::vector<uint8_t> frame(begin.begin(), begin.end());
    if (steps[i + 1] % 4 == 1) frame = ends.front().output.last();
    if (const size_t at = steps[i + 2]; at < frame.size()) frame[at] = steps[i + 3];
    for (Spoken& end : ends) end.Hear(now_us, frame);
  }
  for (Spoken& end : ends) end.responder.Stop(now_us);
  for (int i = 0; i < 3; ++i, now_us += 100'000) {
    for (Spoken& end : ends) end.responder.Advance(now_us, end.output);
  }
}

void Try(Frame data) {
  const Frame block = NextBlock(data);
  v1::Responder message;
  message.ParseFromArray(block.data(), static_cast<int>(block.size()));
  if (message.flow_capacity() > kMostFlows) message.set_flow_capacity(kMostFlows);
  if (message.opening().flows() > kMostFlows) message.mutable_opening()->set_flows(kMostFlows);
  const std::vector<PortLimits> ports = {{.name = message.port(), .max_frame_bytes = kMaxFrame}};
  const auto plan = ValidateResponder(message, "fuzz", ports);
  std::deque<Spoken> ends;  // a deque does not move its elements
  ends.emplace_back(plan, nullptr);
  if (const machine::CompiledTable* made = machine::FindCompiledTable(plan->machine))
    ends.emplace_back(plan, made);
  const Frame begin = NextBlock(data);
  Talk(ends, begin, data);
  if (!Same(ends.front(), ends.back())) __builtin_trap();
  const ResponderCounters& counters = *ends.front().counters;
  if (counters.flows_begun.Get() - counters.flows_ended.Get() - counters.flows_stopped.Get() !=
      counters.flows.Get()) {
    __builtin_trap();
  }
}

}  // namespace
}  // namespace tester

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    tester::Try(tester::Frame(data, size));
  } catch (const tester::Error& error) {
    if (error.what()[0] == '\0') __builtin_trap();
  }
  return 0;
}
