// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A responder as a request has it, then times and frames that it gets: three blocks, each but the
// last behind its length in two bytes: the Responder, what a frame begins with, and the changes to
// it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/validate.h"
#include "plan/validate_responder.h"
#include "responder/responder.h"
#include "wire/bytes.h"

namespace tester {
namespace {

constexpr uint32_t kMaxFrame = 1518;
constexpr uint32_t kMostFlows = 1000;  // more memory, no more code
constexpr size_t kMostSteps = 60;

// Counts, and keeps the last frame of each kind of what is sent for what comes next.
class Collected final : public machine::Output {
 public:
  uint8_t* Begin() override {
    room_.assign(kMaxFrame, 0);
    return room_.data();
  }
  void End(size_t bytes) override {
    if (bytes == 0 || bytes > kMaxFrame) __builtin_trap();
    last_.assign(room_.begin(), room_.begin() + static_cast<ptrdiff_t>(bytes));
  }
  const std::vector<uint8_t>& last() const { return last_; }

 private:
  std::vector<uint8_t> room_;
  std::vector<uint8_t> last_;
};

Frame NextBlock(Frame& data) {
  if (data.size() < 2) return std::exchange(data, {});
  const size_t bytes = std::min<size_t>(wire::Load16(data.data()), data.size() - 2);
  const Frame block = data.subspan(2, bytes);
  data = data.subspan(2 + bytes);
  return block;
}

// Four bytes a step: how much later, what is sent, and a byte of it that is another one.
void Talk(machine::Responder& responder, Frame begin, Frame steps) {
  Collected output;
  uint64_t now_us = 1;
  responder.Begin(now_us, 0);
  for (size_t i = 0; i + 4 <= std::min(steps.size(), kMostSteps * 4); i += 4) {
    now_us += uint64_t{1} << (steps[i] % 24);
    responder.Advance(now_us, output);
    std::vector<uint8_t> frame(begin.begin(), begin.end());
    if (steps[i + 1] % 4 == 1) frame = output.last();
    if (const size_t at = steps[i + 2]; at < frame.size()) frame[at] = steps[i + 3];
    // In memory of exactly its size.
    const std::vector<uint8_t> exact(frame);
    machine::Arrived arrived;
    if (responder.Take(exact, arrived) != machine::Taken::kYes) continue;
    responder.PrefetchSlot(arrived);
    responder.PrefetchFlow(arrived);
    responder.Receive(arrived, now_us, output);
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
  const auto counters = std::make_shared<ResponderCounters>(plan->machine.counters.size(),
                                                            plan->machine.histograms.size());
  machine::Responder responder(plan, counters);
  const Frame begin = NextBlock(data);
  Talk(responder, begin, data);
  if (counters->flows_begun.Get() - counters->flows_ended.Get() != counters->flows.Get()) {
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
