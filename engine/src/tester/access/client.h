// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The client of a call.
#pragma once

#include <string>

#include "policy/policy.h"

namespace tester {

struct Client {
  std::string name;      // for those who are told later who it was
  std::string token;     // of its lease; empty: it has none
  bool trusted = false;  // the process itself, which needs no lease
  Role role = Role::kAdmin;
  bool observes = false;  // it may read counters without a lease

  static Client Process() { return {.name = "testerd", .token = {}, .trusted = true}; }
};

}  // namespace tester
