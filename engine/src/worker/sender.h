// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One start of a stream as the worker that sends it keeps it, from program to program.
#pragma once

#include <cstdint>
#include <memory>

#include "generator/pacer.h"
#include "generator/schedule.h"
#include "stats/counters.h"

namespace tester {

// Which frame of its contents a stream is at: contents that an update has replaced begin anew.
struct ContentPlace {
  uint64_t leg = 0;
  uint64_t first = 0;  // the stream's frame that is number 0 of them
};

// The worker's own.
struct Sender {
  explicit Sender(const Schedule& schedule) : pacer(schedule) {}

  Pacer pacer;
  ContentPlace contents;
};

struct SendEntry {
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<Sender> sender;
  std::shared_ptr<StreamTx> tx;
};

}  // namespace tester
