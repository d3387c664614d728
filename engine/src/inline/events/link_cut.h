// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Links that go down by an event: the worker of a path asks for it at a packet, and a control
// thread, which has the interfaces, sees to it. Neither waits for the other.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/counter.h"
#include "base/fault.h"

namespace tester {

class LinkCut {
 public:
  // For the worker, unless it is in force. Nothing passes until it is over.
  void Ask(uint64_t now_ns) {
    asked_ns_.Set(now_ns);
    state_.store(State::kAsked, std::memory_order_release);
  }
  // For the worker: whether it is over, which is said once.
  bool TakeEnd() {
    if (state_.load(std::memory_order_acquire) != State::kOver) return false;
    state_.store(State::kNone, std::memory_order_relaxed);
    return true;
  }

  // From the packet on until the links are up again.
  bool in_force() const { return state_.load(std::memory_order_acquire) == State::kAsked; }
  uint64_t asked_ns() const { return asked_ns_.Get(); }

  // For the control thread.
  void End() { state_.store(State::kOver, std::memory_order_release); }

  // Written by the control thread.
  Counter times;          // that links were down
  Counter first_down_ns;  // 0: never
  Counter last_up_ns;     // 0: never, or not since they were taken down last
  Fault fault;

 private:
  enum class State : uint8_t { kNone, kAsked, kOver };

  std::atomic<State> state_{State::kNone};
  Counter asked_ns_;
};

}  // namespace tester
