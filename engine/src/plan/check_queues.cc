// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/check_queues.h"

#include "base/error.h"
#include "base/text.h"

namespace tester {

void CheckOneQueue(const PortLimits& port, std::string_view what, std::string_view where) {
  if (port.queues == 1) return;
  throw Error(Code::kFailedPrecondition,
              Cat(where, ": port ", Quote(port.name), " has ", port.queues, " queues, and ", what,
                  " need a port with one; start testerd without --queues (or queues: in the "
                  "testbed)"));
}

}  // namespace tester
