// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sends a frame through the kernel, from the system call to the receiving interface, in a network
// namespace of its own: it has a loopback interface only, so no other host or counter sees the
// frame.
#pragma once

#include <string>

namespace tester {

class DryRun {
 public:
  // For a user who may not create namespaces it does nothing.
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
