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
  // Workers serve them by turns. `policy`: null for none.
  Ports(std::vector<std::unique_ptr<Port>> ports, size_t workers,
        const std::shared_ptr<const Policy>& policy)
      : ports_(std::move(ports)) {
    for (const auto& port : ports_) {
      if (policy != nullptr && policy->addresses.LimitsAny()) {
        port->allowed = {policy, &policy->addresses};
      }
      limits_.push_back({.name = port->facts().name,
                         .max_frame_bytes = port->facts().max_frame_bytes,
                         .worker = limits_.size() % workers,
                         .policy = policy,
                         .interface = port->facts().interface});
    }
  }

  size_t size() const { return ports_.size(); }
  Port& operator[](size_t index) const { return *ports_[index]; }
  auto begin() const { return ports_.begin(); }
  auto end() const { return ports_.end(); }

  // The limits against which plans are validated.
  const std::vector<PortLimits>& limits() const { return limits_; }
  uint16_t IndexOf(const std::string& name, std::string_view where) const {
    return FindPort(name, limits_, where);
  }

 private:
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<PortLimits> limits_;
};

}  // namespace tester
