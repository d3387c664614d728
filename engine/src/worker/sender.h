// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// One start of a stream as the worker that sends it keeps it, from program to program.
#pragma once

#include <cstdint>
#include <memory>

#include "generator/pacer.h"
#include "generator/schedule.h"
#include "stats/counters.h"
#include "worker/hot_lines.h"

namespace tester {

// The position of a stream in its contents: contents that replace others in an update begin anew.
struct ContentPlace {
  uint64_t segment = 0;
  uint64_t first = 0;  // the stream's frame that has number 0 there
};

// Used by the worker only.
struct Sender {
  explicit Sender(const Schedule& schedule) : pacer(schedule) {}

  ContentPlace contents;
  Pacer pacer;
};

// Two cache lines, so that few lines must be present before those of a stream can be prefetched.
struct alignas(64) SendEntry {
  SendEntry(uint16_t stream_id, std::shared_ptr<const Schedule> stream_schedule,
            std::shared_ptr<Sender> stream_sender, std::shared_ptr<StreamTx> stream_tx);

  // Prefetches an entry for later; its `hot` part is fetched separately.
  [[gnu::always_inline]] void Prefetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&id);
  }

  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<Sender> sender;
  std::shared_ptr<StreamTx> tx;
  HotLines hot;  // of these three and the objects behind them
  uint16_t id;   // of the stream
};

}  // namespace tester
