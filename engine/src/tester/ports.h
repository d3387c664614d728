// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The ports of the tester, by index and by name. They do not change while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/validate.h"
#include "port/port.h"

namespace tester {

class Ports {
 public:
  // Workers serve their queues by turns: the queues of the first port, then those of the next one.
  // `policy`: null for none.
  Ports(std::vector<std::unique_ptr<Port>> ports, size_t workers,
        const std::shared_ptr<const Policy>& policy)
      : ports_(std::move(ports)), workers_(workers) {
    for (const auto& port : ports_) {
      if (policy != nullptr && policy->addresses.LimitsAny()) {
        port->allowed = {policy, &policy->addresses};
      }
      limits_.push_back({.name = port->facts().name,
                         .max_frame_bytes = port->facts().max_frame_bytes,
                         .worker = WorkerOf(limits_.size(), 0),
                         .queues = queues(),
                         .policy = policy,
                         .interface = port->facts().interface});
    }
  }

  size_t size() const { return ports_.size(); }
  size_t workers() const { return workers_; }
  // Of each port.
  size_t queues() const { return ports_.front()->queues().size(); }
  size_t WorkerOf(size_t port, size_t queue) const { return (port * queues() + queue) % workers_; }
  Port& operator[](size_t index) const { return *ports_[index]; }
  auto begin() const { return ports_.begin(); }
  auto end() const { return ports_.end(); }

  // Of its first queue; 0 for a port of another tester.
  size_t FirstWorkerOf(uint16_t port) const { return port < size() ? limits_[port].worker : 0; }

  // The limits against which plans are validated.
  const std::vector<PortLimits>& limits() const { return limits_; }
  uint16_t IndexOf(const std::string& name, std::string_view where) const {
    return FindPort(name, limits_, where);
  }

 private:
  std::vector<std::unique_ptr<Port>> ports_;
  size_t workers_;
  std::vector<PortLimits> limits_;
};

}  // namespace tester
