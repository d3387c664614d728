// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Responders of a port: they take frames, send answers and own frames, and queue them for the port.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "port/port.h"
#include "responder/responder.h"
#include "wire/bytes.h"
#include "worker/clock.h"

namespace tester {

// The frames that a responder has written, until the port takes them. Used by the worker only.
class SendQueue final : public machine::Output {
 public:
  // `vlan`: of the tag that frames get; 0: none.
  SendQueue(PortQueue& port_queue, uint16_t vlan, ResponderCounters& counters);
  ~SendQueue() override;

  uint8_t* Begin() override;
  void End(size_t bytes) override;
  // Sends queued frames. True when the port took some.
  bool Flush();
  // So much waits that nothing more should be answered, or opened, before the port has taken some.
  bool full() const { return count_ + kMostAtOnce > kQueued; }
  bool empty() const { return count_ == 0; }

  // Set when the responder wrote a frame that the port may not send. The frame was neither sent nor
  // counted; a control thread then stops the responder. `forbidden_frame` is the first one, once
  // `forbidden` is set.
  std::atomic<bool> forbidden{false};
  std::vector<uint8_t> forbidden_frame;

 private:
  static constexpr uint32_t kQueued = 1024;
  // About the most frames that a burst of arrivals causes.
  static constexpr uint32_t kMostAtOnce = 512;
  static constexpr uint32_t kBuffers = 32;

  static constexpr size_t kRemembered = 128;

  bool Refill();
  void Forbid(Frame frame);

  PortQueue& port_queue_;
  ResponderCounters& counters_;
  const uint16_t vlan_;
  const size_t tag_;
  uint32_t buffers_ = 0;
  uint32_t count_ = 0;
  std::array<rte_mbuf*, kBuffers> empty_;
  std::array<rte_mbuf*, kQueued> queue_;
};

// A responder from a start to its stop, from program to program.
struct RunningResponder {
  RunningResponder(const std::shared_ptr<const machine::ResponderPlan>& plan,
                   const machine::CompiledTable* compiled,
                   const std::shared_ptr<ResponderCounters>& counters, PortQueue& queue)
      : responder(plan, compiled, counters), output(queue, plan->vlan, *counters) {}

  machine::Responder responder;
  SendQueue output;
  std::atomic<bool> asked_to_stop{false};  // by any thread
  std::atomic<bool> stopped{false};        // it has ended its flows, and sent all of it
};

using Responders = std::vector<std::shared_ptr<RunningResponder>>;

// Engine time as responders have it.
constexpr uint64_t Microseconds(uint64_t ns) { return ns / 1000; }

// Answers frames of a burst that belong to no stream. `taken`: set for frames that a responder has
// taken, and may have changed.
void AnswerBurst(const Responders& responders, std::span<const MutableFrame> frames,
                 uint64_t now_ns, bool* taken);

// Handles due timers, opens flows and sends queued frames. True when there was something to do.
bool ServeResponders(const Responders& responders, const Clock& clock);

}  // namespace tester
