// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The reason for a failure: set once by one thread, read by any.
#pragma once

#include <atomic>
#include <string>
#include <utility>

namespace tester {

class Fault {
 public:
  void Set(std::string reason) {
    reason_ = std::move(reason);
    is_set_.store(true, std::memory_order_release);
  }
  // Null without a fault.
  const std::string* Get() const {
    return is_set_.load(std::memory_order_acquire) ? &reason_ : nullptr;
  }

 private:
  std::string reason_;
  std::atomic<bool> is_set_{false};
};

}  // namespace tester
