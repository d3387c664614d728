// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Stops traffic that may not go on: under a lease that is not renewed, so that the traffic of a
// dead client ends, and traffic that the policy forbids.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tester/tester.h"

namespace tester {

class Guard {
 public:
  explicit Guard(Tester& tester) : thread_([this, &tester] { Run(tester); }) {}
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  void Run(Tester& tester);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;  // the last one: it uses the others
};

}  // namespace tester
