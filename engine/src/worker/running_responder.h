// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Responders of a port: what arrives for them, what they send by themselves, and how that leaves.
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
  SendQueue(Port& port, uint16_t vlan, ResponderCounters& counters);
  ~SendQueue() override;

  uint8_t* Begin() override;
  void End(size_t bytes) override;
  // Gives the port what it takes. True when it took something.
  bool Flush();
  // So much waits that nothing more should be answered, or opened, before the port has taken some.
  bool full() const { return count_ + kMostAtOnce > kQueued; }
  bool empty() const { return count_ == 0; }

  // A frame was written that the port may not send. It was not sent, and is not counted as such;
  // somebody stops the responder then. The first one, once `forbidden` is set.
  std::atomic<bool> forbidden{false};
  std::vector<uint8_t> forbidden_frame;

 private:
  static constexpr uint32_t kQueued = 1024;
  static constexpr uint32_t kMostAtOnce = 512;  // about what a burst of arrivals may lead to
  static constexpr uint32_t kBuffers = 32;

  static constexpr size_t kRemembered = 128;

  bool Refill();
  void Forbid(Frame frame);

  Port& port_;
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
                   const std::shared_ptr<ResponderCounters>& counters, Port& port)
      : responder(plan, compiled, counters), output(port, plan->vlan, *counters) {}

  machine::Responder responder;
  SendQueue output;
  std::atomic<bool> asked_to_stop{false};  // by anybody
  std::atomic<bool> stopped{false};        // it has ended its flows, and sent all of it
};

using Responders = std::vector<std::shared_ptr<RunningResponder>>;

// Engine time as responders have it.
constexpr uint64_t Microseconds(uint64_t ns) { return ns / 1000; }

// Frames of a burst that are no stream's; `taken` tells which of them a responder has taken for
// itself, and may have changed.
void AnswerBurst(const Responders& responders, std::span<const MutableFrame> frames,
                 uint64_t now_ns, bool* taken);

// Timers that are due, flows to be opened, frames that wait. True when something was sent.
bool ServeResponders(const Responders& responders, const Clock& clock);

}  // namespace tester
