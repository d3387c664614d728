// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Stops traffic that may not go on: under a lease that is not renewed, so that the traffic of a
// dead client ends, and traffic that the policy forbids.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "tester/tester.h"

namespace tester {

class Guard {
 public:
  // Traffic ends within 50 ms: a fence needs no lock that others hold, while the order that stops
  // traffic may wait for other calls, and for workers.
  explicit Guard(Tester& tester)
      : fencing_([this, &tester] { Repeat([&tester] { tester.CloseFences(); }); }),
        ending_([this, &tester] {
          Repeat([&tester] {
            tester.EndOverdueLease();
            tester.EnforcePolicy();
          });
        }) {}
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  // Again and again until the end.
  void Repeat(const std::function<void()>& look);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  // The last ones: they use the others.
  std::thread fencing_;
  std::thread ending_;
};

}  // namespace tester
