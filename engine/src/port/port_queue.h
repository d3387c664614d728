// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A receive queue and a send queue of a port, and what the worker that serves both keeps for them.
// A port has as many as workers may serve it; `Port` merges their counters.
#pragma once

#include <rte_mempool.h>

#include <atomic>
#include <cstdint>

#include "port/device/device.h"
#include "responder/learned.h"
#include "stats/counters.h"

namespace tester {

class Port;
struct InjectOrder;
struct PortTaps;

// Begins with a memory line, and so do its counters: no two workers write to one line.
class alignas(64) PortQueue {
 public:
  PortQueue(Port& port, const Device& device, uint16_t number)
      : port_(port),
        tx_pool_(device.tx_pool()),
        device_(device.id()),
        number_(number),
        shared_pool_(device.shared_pool()),
        takes_buffers_(device.takes_buffers()) {}
  PortQueue(const PortQueue&) = delete;
  PortQueue& operator=(const PortQueue&) = delete;

  Port& port() const { return port_; }
  uint16_t device() const { return device_; }
  // Of both queues in the device.
  uint16_t number() const { return number_; }
  // For frames to send only, unless it is the receive pool as well.
  rte_mempool* tx_pool() const { return tx_pool_; }
  bool shared_pool() const { return shared_pool_; }
  bool takes_buffers() const { return takes_buffers_; }

 private:
  Port& port_;
  rte_mempool* const tx_pool_;
  const uint16_t device_;
  const uint16_t number_;
  const bool shared_pool_;
  const bool takes_buffers_;

 public:
  // Used by the worker only.
  const PortTaps* taps = nullptr;  // of its program
  uint64_t last_poll_ns = 0;
  // Frames to send once. Set by a control thread; the worker sends them and clears it.
  std::atomic<InjectOrder*> inject{nullptr};
  PortCounters counters;
  // Answers of neighbours, for control threads to read.
  LearnedRing learned;
};

}  // namespace tester
