// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/access/guard.h"

#include <chrono>
#include <exception>

#include "base/log.h"

namespace tester {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);

}  // namespace

Guard::~Guard() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Guard::Run(Tester& tester) {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLook, [this] { return end_; })) {
    lock.unlock();
    try {
      tester.EndOverdueLease();
      tester.EnforcePolicy();
    } catch (const std::exception& error) {  // a worker that does not move; health says so, too
      Log(LogLevel::kError, "failed", {{"call", "guard"}, {"reason", error.what()}});
    }
    lock.lock();
  }
}

}  // namespace tester
