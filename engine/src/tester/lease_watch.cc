// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/lease_watch.h"

#include <chrono>
#include <exception>

#include "base/log.h"

namespace tester {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);

}  // namespace

LeaseWatch::~LeaseWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void LeaseWatch::Run(Tester& tester) {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLook, [this] { return end_; })) {
    lock.unlock();
    try {
      tester.EndOverdueLease();
    } catch (const std::exception& error) {  // a worker that does not move; health says so, too
      Log(LogLevel::kError, "failed", {{"call", "end of a lease"}, {"reason", error.what()}});
    }
    lock.lock();
  }
}

}  // namespace tester
