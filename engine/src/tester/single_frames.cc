// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/single_frames.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "plan/check_policy.h"
#include "plan/validate.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kInjectTimeout = std::chrono::milliseconds(900);
constexpr auto kWithdrawTimeout = std::chrono::milliseconds(500);
constexpr auto kPoll = std::chrono::microseconds(50);
constexpr uint64_t kDefaultResolveNs = 1'000'000'000;
constexpr int kQuestions = 3;

template <typename Condition>
bool WaitUntil(SteadyClock::time_point deadline, const Condition& condition) {
  while (!condition()) {
    if (SteadyClock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

}  // namespace

SingleFrames::SingleFrames(const Ports& ports, Workers& workers, Admit admit)
    : ports_(ports),
      workers_(workers),
      admit_(std::move(admit)),
      orders_(std::make_unique<std::mutex[]>(ports.size())),
      questions_(std::make_unique<std::mutex[]>(ports.size())) {}

void SingleFrames::Finish() {
  for (size_t i = 0; i < ports_.size(); ++i) const std::lock_guard lock(orders_[i]);
}

void SingleFrames::Send(uint16_t index, std::vector<std::vector<uint8_t>> frames,
                        const Client& client) {
  const std::lock_guard lock(orders_[index]);
  uint64_t bytes = 0;
  for (const auto& frame : frames) bytes += frame.size() + wire::kFcsBytes;
  admit_(client, index, frames.size(), bytes);
  PortQueue& queue = ports_[index].queue(0);
  auto order = std::make_unique<InjectOrder>();
  order->frames = std::move(frames);
  const auto is_done = [&] { return queue.inject.load(std::memory_order_acquire) == nullptr; };
  queue.inject.store(order.get(), std::memory_order_release);
  if (WaitUntil(SteadyClock::now() + kInjectTimeout, is_done)) return;
  order->withdrawn.store(true, std::memory_order_relaxed);
  if (!WaitUntil(SteadyClock::now() + kWithdrawTimeout, is_done)) {
    workers_.GiveUp();
    static_cast<void>(order.release());  // the worker may still use it
    throw Error(Code::kInternal, Cat("inject on ", Quote(ports_.limits()[index].name),
                                     ": the worker does not move; restart testerd"));
  }
  if (order->next < order->frames.size()) {
    throw Error(
        Code::kFailedPrecondition,
        Cat("inject on ", Quote(ports_.limits()[index].name), ": the port took ", order->next,
            " of ", order->frames.size(), " frames within a second; is its link up?"));
  }
}

void SingleFrames::Inject(const v1::InjectRequest& request, const Client& client) {
  const uint16_t index = ports_.IndexOf(request.port(), "inject");
  ValidateInject(request, ports_.limits()[index]);
  std::vector<std::vector<uint8_t>> frames;
  for (const auto& frame : request.frames()) {
    frames.emplace_back(frame.begin(), frame.end());
    frames.back().resize(std::max(frame.size(), wire::kMinFrameBytes));
  }
  if (!frames.empty()) Send(index, std::move(frames), client);
}

Mac SingleFrames::Resolve(const v1::ResolveRequest& request, const std::function<bool()>& cancelled,
                          const Client& client) {
  const uint16_t index = ports_.IndexOf(request.port(), "resolve");
  const Question question = ValidateResolve(request);
  const uint64_t timeout_ns = request.timeout_ns() == 0 ? kDefaultResolveNs : request.timeout_ns();
  CheckFrameAllowed(AskNeighbour(question), ports_.limits()[index],
                    Cat("resolve on ", Quote(request.port())));
  const std::lock_guard lock(questions_[index]);
  Port& port = ports_[index];
  while (port.PopLearned()) {
    // Answers that came before the question do not count.
  }
  std::optional<Mac> found;
  const auto is_answered = [&] {
    while (const auto neighbour = port.PopLearned()) {
      if (neighbour->address == question.address) found = neighbour->mac;
    }
    return found.has_value() || cancelled();
  };
  for (int i = 0; i < kQuestions && !found && !cancelled(); ++i) {
    const auto deadline = SteadyClock::now() + std::chrono::nanoseconds(timeout_ns / kQuestions);
    Send(index, {AskNeighbour(question)}, client);
    WaitUntil(deadline, is_answered);
  }
  if (found) return *found;
  throw Error(
      Code::kDeadlineExceeded,
      Cat("resolve on ", Quote(request.port()), ": ", AddressText(AddressBytes(question.address)),
          " did not answer ", kQuestions, " questions within ", timeout_ns / 1'000'000, " ms"));
}

}  // namespace tester
