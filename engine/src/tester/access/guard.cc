// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/access/guard.h"

#include <chrono>
#include <exception>

#include "base/log.h"

namespace tester {
namespace {

constexpr auto kLook = std::chrono::milliseconds(10);

}  // namespace

Guard::~Guard() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  fencing_.join();
  ending_.join();
}

void Guard::Repeat(const std::function<void()>& look) {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLook, [this] { return end_; })) {
    lock.unlock();
    try {
      look();
    } catch (const std::exception& error) {  // a worker that does not move; health says so, too
      Log(LogLevel::kError, "failed", {{"call", "guard"}, {"reason", error.what()}});
    }
    lock.lock();
  }
}

}  // namespace tester
