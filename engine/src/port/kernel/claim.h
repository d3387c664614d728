// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One tester an interface: a claim that ends with the process, whichever way it ends.
#pragma once

#include <string>
#include <utility>

namespace tester {

// Holds an abstract UNIX socket named after the interface: such names are unique in a network
// namespace, as interfaces are, and leave nothing in the file system.
class InterfaceClaim {
 public:
  // FAILED_PRECONDITION when another tester has the interface.
  explicit InterfaceClaim(const std::string& interface);
  InterfaceClaim() = default;
  ~InterfaceClaim();
  InterfaceClaim(InterfaceClaim&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  InterfaceClaim& operator=(InterfaceClaim&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

 private:
  int fd_ = -1;
};

}  // namespace tester
