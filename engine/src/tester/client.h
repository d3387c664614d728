// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Who asks the tester for something.
#pragma once

#include <string>

namespace tester {

struct Client {
  std::string name;      // for those who are told later who it was
  std::string token;     // of its lease; empty: it has none
  bool trusted = false;  // the process itself, which needs no lease

  static Client Process() { return {.name = "testerd", .token = {}, .trusted = true}; }
};

}  // namespace tester
