// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/worker.h"

#include <rte_launch.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "worker/forward.h"
#include "worker/outbox.h"
#include "worker/receive.h"
#include "worker/transmit.h"

namespace tester {
namespace {

constexpr uint64_t kDrainNs = JobStart::kDrainNs;
// The assumed maximum duration of a round of polls: the worker waits for at most twice this.
constexpr uint64_t kLongestPollNs = 5'000;
// After a pause of kColdNs a frame meets cold caches, which makes it late by a microsecond, more or
// less. Its way is rehearsed before it is due, but not so shortly before that this makes it late.
constexpr uint64_t kColdNs = 20'000;
constexpr uint64_t kEarliestRehearsalNs = 16'000;
constexpr uint64_t kLatestRehearsalNs = 9'000;
// The time to prepare a held frame of a path that is not in the caches.
constexpr uint64_t kMakeReadyNs = 500;
// An idle loop sleeps after this many polls without work, twice as long after as many more, and so
// on. A sleep costs a virtual machine some microseconds, and only answers to neighbours wait for
// it.
constexpr uint32_t kIdleLoopsPerStep = 64;
constexpr long kShortestSleepNs = 50'000;
constexpr uint32_t kMostSteps = 4;
// Usually it takes microseconds; a machine without CPU time to spare is not yet a broken one.
constexpr auto kSwapTimeout = std::chrono::seconds(3);
constexpr auto kSwapPoll = std::chrono::microseconds(20);

// Other processes get this CPU only while the worker rests: a pause of milliseconds is a fault of
// the tester. An unprivileged user may not raise the priority, and measures without it. Real-time
// scheduling would starve the kernel's work on this CPU.
void TakePriority() {
  constexpr int kHighest = -20;
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kHighest));
  // Where sessions are scheduled as groups, priorities count only within one. Only a session of our
  // own is changed: processes of another one would keep its priority after our end.
  if (::getsid(0) == ::getpid()) std::ofstream("/proc/self/autogroup") << kHighest;
}

}  // namespace

Worker::Worker(unsigned lcore, unsigned cpu, bool shares_cpu, const Clock& clock,
               Activity& activity)
    : lcore_(lcore), cpu_(cpu), shares_cpu_(shares_cpu), clock_(clock), activity_(activity) {}

Worker::~Worker() {
  stop_.store(true, std::memory_order_relaxed);
  rte_eal_wait_lcore(lcore_);
  // DPDK has waited for the thread, which ThreadSanitizer does not see.
  static_cast<void>(seen_.load(std::memory_order_acquire));
}

void Worker::Launch(std::unique_ptr<const Program> program) {
  current_ = std::move(program);
  published_.store(current_.get(), std::memory_order_release);
  const auto run = [](void* worker) {
    static_cast<Worker*>(worker)->Run();
    return 0;
  };
  if (rte_eal_remote_launch(run, this, lcore_) != 0) {
    throw Error(Code::kInternal, Cat("lcore ", lcore_, " on CPU ", cpu_, " does not start"));
  }
}

void Worker::SwapProgram(std::unique_ptr<const Program> program) {
  const Program* const next = program.get();
  std::unique_ptr<const Program> old = std::exchange(current_, std::move(program));
  published_.store(next, std::memory_order_release);
  const auto deadline = std::chrono::steady_clock::now() + kSwapTimeout;
  while (seen_.load(std::memory_order_acquire) != next) {
    if (std::chrono::steady_clock::now() > deadline) {
      static_cast<void>(old.release());  // the worker may still be in it
      RefuseToWait();
    }
    std::this_thread::sleep_for(kSwapPoll);
  }
}

void Worker::WaitTwoLoops() const {
  if (!AwaitTwoLoops(kSwapTimeout)) RefuseToWait();
}

bool Worker::AwaitTwoLoops(std::chrono::steady_clock::duration most) const {
  // The present loop may be past the check, and counts when it ends.
  const uint64_t end = counters_.loops.Get() + 2;
  const auto deadline = std::chrono::steady_clock::now() + most;
  while (counters_.loops.Get() < end) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kSwapPoll);
  }
  return true;
}

void Worker::RefuseToWait() const {
  throw Error(Code::kInternal,
              Cat("the worker on CPU ", cpu_, " has not moved for three seconds; restart testerd"));
}

Interruptions Worker::interruptions() const { return Interruptions::Read(thread_, cpu_); }

void Worker::Begin(const Program& program) {
  active_until_ns_ = std::max(active_until_ns_, program.awaits_until_ns);
  for (const auto& entry : program.queues) {
    entry.queue->taps = entry.taps.get();
    QueueStreams(entry);
  }
}

bool Worker::Serve(const Program& program) {
  bool worked = false;
  for (const auto& entry : program.queues) {
    PortQueue& queue = *entry.queue;
    const bool forwards = entry.path.running != nullptr;
    const uint32_t received = forwards ? ServePath(entry, *program.classifier, clock_)
                                       : ServeReceive(entry, *program.classifier, clock_);
    const uint64_t now_ns = clock_.Now();
    if (queue.last_poll_ns != 0) {
      const uint64_t gap_ns = now_ns - queue.last_poll_ns;
      entry.gaps->See(now_ns, gap_ns);
      if (queue.last_poll_ns < active_until_ns_) {
        counters_.worst_gap_ns.Raise(gap_ns);
        if (gap_ns > PollGaps::kLateNs) counters_.late_polls.Add(1);
      }
    }
    queue.last_poll_ns = now_ns_ = now_ns;
    worked |= received != 0;
    if (program.awaits_arrivals && received != 0) active_until_ns_ = now_ns + kDrainNs;
    // Held frames keep the worker awake until they have left.
    if (forwards && (received != 0 || NextReleaseNs(entry.path) != HoldQueue::kNever)) {
      active_until_ns_ = now_ns + kDrainNs;
    }
    worked |= ServeInject(queue);
    if (!entry.responders.empty() && ServeResponders(entry.responders, clock_)) {
      active_until_ns_ = now_ns + kDrainNs;
      worked = true;
    }
    if (!entry.due->Empty()) {
      active_until_ns_ = now_ns + kDrainNs;
      worked |= SendDueStreams(entry);
    }
  }
  if (worked) return true;
  MeasurePoll();
  return AwaitRelease(program) || AwaitDue(program);
}

// A running average of the duration of a round of polls without work; an interrupted round counts
// little.
void Worker::MeasurePoll() {
  const uint64_t took_ns = std::min(now_ns_ - last_idle_ns_, kLongestPollNs);
  poll_ns_ = (7 * poll_ns_ + took_ns) / 8;
  last_idle_ns_ = now_ns_;
}

// Waits for the next held frame of a path, unless a stream's frame is due before.
bool Worker::AwaitRelease(const Program& program) {
  const PathEnd* first = nullptr;
  uint64_t due_ns = clock_.Now() + 2 * poll_ns_ + kMakeReadyNs;
  for (const auto& entry : program.queues) {
    if (!entry.due->Empty() && entry.due->Top().due_ns <= due_ns) return false;
    if (NextReleaseNs(entry.path) > due_ns) continue;
    due_ns = NextReleaseNs(entry.path);
    first = &entry.path;
  }
  if (first == nullptr) return false;
  return ReleaseHeld(*first, clock_, due_ns) != 0;
}

bool Worker::AwaitDue(const Program& program) {
  const QueueProgram* first = nullptr;
  for (const auto& entry : program.queues) {
    if (entry.due->Empty()) continue;
    if (first == nullptr || entry.due->Top().due_ns < first->due->Top().due_ns) first = &entry;
  }
  if (first == nullptr) return false;
  // Twice the average: it is worse to be late than to have waited.
  const uint64_t due_ns = first->due->Top().due_ns;
  const uint64_t now_ns = clock_.Now();
  if (due_ns < now_ns + kEarliestRehearsalNs && due_ns > now_ns + kLatestRehearsalNs &&
      now_ns > walked_ns_ + kColdNs) {
    Rehearse(*first, now_ns);
    walked_ns_ = now_ns;
  }
  if (due_ns > clock_.Now() + 2 * poll_ns_) return false;
  while (clock_.Now() < due_ns) {
  }
  return SendDueStreams(*first);
}

bool Worker::SendDueStreams(const QueueProgram& entry) {
  const bool sent = ServeStreams(entry, clock_);
  if (sent) walked_ns_ = now_ns_;
  return sent;
}

void Worker::Idle(bool worked) {
  counters_.loops.Add(1);
  active_until_ns_ = activity_.Share(active_until_ns_);
  if (worked) {
    idle_loops_ = 0;
    idle_since_ns_ = 0;
    return;
  }
  counters_.idle_loops.Add(1);
  if (idle_since_ns_ != 0) counters_.idle_ns.Add(now_ns_ - idle_since_ns_);
  idle_since_ns_ = now_ns_;
  if (now_ns_ < active_until_ns_) {
    if (shares_cpu_) ::sched_yield();
    return;
  }
  const uint32_t steps = std::min(++idle_loops_ / kIdleLoopsPerStep, kMostSteps);
  if (steps == 0) return;
  const timespec pause{.tv_sec = 0, .tv_nsec = kShortestSleepNs << (steps - 1)};
  ::nanosleep(&pause, nullptr);
}

void Worker::Run() {
  thread_ = ::gettid();
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  if (!shares_cpu_) TakePriority();
  const Program* program = nullptr;
  while (!stop_.load(std::memory_order_relaxed)) {
    const Program* const published = published_.load(std::memory_order_acquire);
    if (published != program) {
      program = published;
      Begin(*program);
      seen_.store(program, std::memory_order_release);
    }
    // Not null: Launch publishes before it starts this. NOLINTNEXTLINE(clang-analyzer-core.*)
    Idle(Serve(*program));
  }
  seen_.store(nullptr, std::memory_order_release);  // it has left its program
}

}  // namespace tester
