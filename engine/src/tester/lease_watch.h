// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Ends leases that nobody renews, so that the traffic of a client that has died stops.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tester/tester.h"

namespace tester {

class LeaseWatch {
 public:
  explicit LeaseWatch(Tester& tester) : thread_([this, &tester] { Run(tester); }) {}
  ~LeaseWatch();
  LeaseWatch(const LeaseWatch&) = delete;
  LeaseWatch& operator=(const LeaseWatch&) = delete;

 private:
  void Run(Tester& tester);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;  // the last one: it uses the others
};

}  // namespace tester
