// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/port.h"

#include <rte_ethdev.h>

#include <cerrno>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "base/log.h"
#include "port/kernel/interface.h"

namespace tester {
namespace {

constexpr auto kLook = std::chrono::microseconds(500);
constexpr std::string_view kAfXdp = "net_af_xdp";

FlowControl FlowControlOf(const PortFacts& facts, const TakenInterface& taken, uint16_t device) {
  if (!facts.interface.empty()) return taken.settings.flow_control();
  return facts.has_wire ? SwitchFlowControlOff(device) : FlowControl::kNone;
}

std::unique_ptr<const DryRun> MakeDryRun(const PortFacts& facts) {
  if (facts.interface.empty()) return nullptr;
  auto run = std::make_unique<const DryRun>();
  if (!run->fault().empty()) {
    Log(LogLevel::kWarning, "rehearsal",
        {{"port", facts.name},
         {"reason", run->fault() + "; the first frame after a pause leaves microseconds later"}});
  }
  return run;
}

}  // namespace

Port::Port(PortFacts facts, Device device, PortSockets sockets, TakenInterface taken)
    : facts_(std::move(facts)),
      taken_(std::move(taken)),
      device_(std::move(device)),
      sockets_(std::move(sockets)),
      dry_run_(MakeDryRun(facts_)),
      flow_control_(FlowControlOf(facts_, taken_, device_.id())),
      pauses_(facts_.has_wire ? PauseStatistics(device_.id(), facts_.interface)
                              : PauseStatistics()),
      pauses_before_(pauses_.Read().value_or(0)),
      link_(device_.id(), facts_.interface) {
  for (uint16_t number = 0; number < device_.queues(); ++number) {
    queues_.push_back(std::make_unique<PortQueue>(*this, device_, number));
  }
  facts_.objections = taken_.settings.Objections(facts_.driver);
  facts_.notes.insert(facts_.notes.end(), facts_.objections.begin(), facts_.objections.end());
  if (flow_control_ == FlowControl::kOn) {
    facts_.notes.emplace_back("flow control cannot be switched off: PAUSE frames stop the port");
  } else if (flow_control_ == FlowControl::kUnknown) {
    facts_.notes.emplace_back(
        "the driver does not say whether flow control is on: PAUSE frames may stop the port");
  }
  if (facts_.has_wire && !pauses_.Read()) {
    facts_.notes.emplace_back("the driver does not count PAUSE frames");
  }
  for (const auto& note : facts_.notes) {
    Log(LogLevel::kWarning, "port", {{"name", facts_.name}, {"note", note}});
  }
}

uint64_t Port::Sum(Counter PortCounters::*counter) const {
  uint64_t sum = 0;
  for (const auto& queue : queues_) sum += (queue->counters.*counter).Get();
  return sum;
}

void Port::SumUp(PortCounters& sum) const {
  for (const auto& queue : queues_) sum.Merge(queue->counters);
}

std::optional<Neighbour> Port::PopLearned() {
  for (const auto& queue : queues_) {
    if (const auto neighbour = queue->learned.Pop()) return neighbour;
  }
  return std::nullopt;
}

std::optional<bool> Port::Rehearses() const {
  return dry_run_ ? std::optional(dry_run_->fault().empty()) : std::nullopt;
}

bool Port::LinkUp() const {
  if (!facts_.interface.empty()) {
    const auto interface = FindInterface(facts_.interface);
    return interface && interface->running;
  }
  return DeviceUp(device());
}

bool Port::SetLink(bool up) {
  if (!up) link_.BeginOutage();
  const bool done = SwitchInterface(facts_.interface, up);
  const int why = errno;
  if (up && done) sockets_.ForgetErrors();
  if (up == done) link_.EndOutage();
  errno = why;
  return done;
}

uint64_t Port::LinkSpeed() const {
  if (!facts_.has_wire) return 0;
  if (!facts_.interface.empty()) return Ethtool(facts_.interface).Speed();
  rte_eth_link link{};
  const bool known =
      rte_eth_link_get_nowait(device(), &link) == 0 && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN;
  return known ? uint64_t{link.link_speed} * 1'000'000 : 0;
}

PortReading Port::Read(const std::vector<const WorkerCounters*>& workers) {
  PortReading reading;
  rte_eth_stats stats{};
  rte_eth_stats_get(device(), &stats);
  reading.link = link_.Read();
  reading.missed = Missed(stats);
  const bool is_kernel = !facts_.interface.empty();
  reading.receive_errors = is_kernel ? reading.link.receive_errors : stats.ierrors;
  // Virtual devices of DPDK count refused frames, which are offered again.
  if (is_kernel || facts_.has_wire) {
    reading.send_errors = is_kernel ? reading.link.send_errors : stats.oerrors;
  }
  // Without a MAC all arriving frames are counted as frames.
  const uint64_t as_frames = Sum(&PortCounters::rx_pause);
  const auto taken = pauses_.Read();
  if (taken || !facts_.has_wire || as_frames > 0) {
    reading.pauses = as_frames + taken.value_or(pauses_before_) - pauses_before_;
  }
  reading.obeys_pauses =
      flow_control_ == FlowControl::kOn || flow_control_ == FlowControl::kUnknown;
  if (is_kernel) {
    const auto begin = std::chrono::steady_clock::now();
    const auto accounted = [&] {
      reading.missed = Missed(stats);
      return Sum(&PortCounters::rx_packets) + reading.missed;
    };
    const auto wait = [&] {
      std::this_thread::sleep_for(kLook);
      return std::chrono::steady_clock::now() - begin;
    };
    const auto loops = [&] {
      std::vector<uint64_t> counts;
      for (const WorkerCounters* const worker : workers) counts.push_back(worker->loops.Get());
      return counts;
    };
    reading.unseen =
        unseen_.Look(reading.link.received, {.accounted = accounted, .loops = loops, .wait = wait});
  }
  reading.held = sockets_.Held();
  // A frame without room in an XDP socket counts as dropped by its interface, too.
  const uint64_t known = facts_.driver == kAfXdp ? reading.missed : 0;
  reading.kernel_dropped =
      reading.link.dropped + kernel_drops_.Look(reading.link.dropped_on_arrival, known);
  return reading;
}

uint64_t Port::Missed(const rte_eth_stats& stats) {
  // The sockets count more than net_af_xdp and net_af_packet report.
  const uint64_t device = facts_.driver == kAfXdp ? 0 : stats.imissed;
  return device + stats.rx_nombuf + sockets_.ReadDropped();
}

}  // namespace tester
