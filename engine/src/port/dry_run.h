// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Goes the way that the kernel goes with a frame, from the system call to where frames arrive, but
// in a network namespace of its own: there is a loopback in it and nothing else, so nobody gets the
// frame and no interface that anybody knows counts it.
#pragma once

#include <string>

namespace tester {

class DryRun {
 public:
  // A user who may not make namespaces gets one that does nothing.
  DryRun();
  ~DryRun();
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;

  // Why it does nothing; empty if it works.
  const std::string& fault() const { return fault_; }

  // Takes some microseconds after a pause, less than one otherwise. False when it does nothing.
  bool Go() const;

 private:
  int socket_ = -1;
  std::string fault_;
};

}  // namespace tester
