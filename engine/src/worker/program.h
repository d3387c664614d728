// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The program of a worker, which it runs until it is given another one. Nothing in it changes after
// it was handed over, except the counters it points at.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "generator/due_queue.h"
#include "port/port.h"
#include "receiver/classifier.h"
#include "receiver/matcher.h"
#include "responder/neighbour.h"
#include "stats/counters.h"
#include "worker/gap_watch.h"
#include "worker/running_path.h"
#include "worker/running_responder.h"
#include "worker/sender.h"
#include "worker/taps.h"

namespace tester {

struct QueueProgram {
  PortQueue* queue;
  uint16_t port;  // its index in the tester
  std::vector<SendEntry> streams;
  std::unique_ptr<DueQueue> due;  // used by the worker only: indexes of streams
  std::shared_ptr<const NeighbourTable> neighbours;
  Matcher matcher;                       // of the streams without signature that arrive here
  std::unique_ptr<const PortTaps> taps;  // null without captures and queries
  Responders responders;
  PathEnd path;                    // without a path unless one begins here that forwards
  std::unique_ptr<GapWatch> gaps;  // used by the worker only
};

struct Program {
  std::vector<QueueProgram> queues;
  std::shared_ptr<const Classifier> classifier;
  // Streams that other testers send have been started: until then, and while frames arrive, the
  // worker polls without pause.
  bool awaits_arrivals = false;
  uint64_t awaits_until_ns = 0;
  // Owns the objects that the classifier and the matchers point at.
  std::vector<std::shared_ptr<const void>> kept;
};

// Frames to send once, in this order.
struct InjectOrder {
  std::vector<std::vector<uint8_t>> frames;
  size_t next = 0;                     // used by the worker only
  std::atomic<bool> withdrawn{false};  // the worker drops the order
};

}  // namespace tester
