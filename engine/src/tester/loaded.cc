// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/loaded.h"

#include <utility>

#include "made/made_tables.h"

namespace tester {
namespace {

std::shared_ptr<const NeighbourTable> NeighboursOf(uint16_t port, const LoadedJobs& jobs) {
  std::vector<Neighbour> neighbours;
  for (const auto& [name, job] : jobs) {
    for (const auto& plan : job->plan.neighbours) {
      if (plan.port == port) neighbours.push_back(plan.neighbour);
    }
  }
  return std::make_shared<const NeighbourTable>(std::move(neighbours));
}

std::vector<SendEntry> SendersOf(uint16_t port, const LoadedJobs& jobs) {
  std::vector<SendEntry> entries;
  for (const auto& [name, job] : jobs) {
    for (const auto& stream : job->streams) {
      if (stream.plan.tx_port != port || !stream.schedule || !stream.Sending()) continue;
      entries.emplace_back(stream.plan.id, stream.schedule, stream.sender, stream.tx);
    }
  }
  return entries;
}

Expected ExpectedOf(const LoadedStream& stream) {
  return {.counters = stream.rx.get(),
          .sent = stream.tx.get(),
          .start_ns = stream.counters_since_ns,
          .integrity = stream.plan.measurement.integrity.get(),
          .numbered = stream.numbered,
          .version = stream.plan.measurement.version,
          .signature_sum = stream.frames->signature_sum(),
          .rx_port = stream.plan.rx_port,
          .stream_id = stream.plan.id};
}

// Any worker may meet frames with a signature; one without is looked for where it is expected.
void ExpectStreams(const LoadedJobs& jobs, const std::shared_ptr<const Retired>& retired,
                   Program& program) {
  auto classifier = std::make_shared<Classifier>();
  classifier->Remember(retired);
  for (const auto& [name, job] : jobs) {
    for (const auto& stream : job->streams) {
      program.kept.insert(program.kept.end(),
                          {stream.rx, stream.tx, stream.plan.measurement.integrity});
      if (stream.plan.signature) classifier->Add(stream.plan.id, ExpectedOf(stream));
    }
  }
  program.classifier = std::move(classifier);
}

Responders RespondersOf(uint16_t port, const LoadedJobs& jobs) {
  Responders responders;
  for (const auto& [name, job] : jobs) {
    for (const auto& responder : job->responders) {
      if (responder.plan->port == port && responder.Answers()) {
        responders.push_back(responder.answering);
      }
    }
  }
  return responders;
}

Matcher MatcherOf(uint16_t port, const LoadedJobs& jobs) {
  Matcher matcher;
  for (const auto& [name, job] : jobs) {
    for (const auto& stream : job->streams) {
      const Matches& matches = stream.plan.measurement.matches;
      if (stream.plan.rx_port == port && !matches.empty()) {
        matcher.Add(matches, ExpectedOf(stream));
      }
    }
  }
  return matcher;
}

}  // namespace

LoadedStream::LoadedStream(StreamPlan stream_plan)
    : plan(std::move(stream_plan)), frames(std::make_shared<const Frames>(plan)) {
  ResetCounters(0);
}

void LoadedStream::ResetCounters(uint64_t now_ns) {
  counters_since_ns = now_ns;
  numbered = true;
  schedule.reset();
  tx = std::make_shared<StreamTx>();
  tx->has_version = plan.measurement.version.exists();
  tx->base_ns = now_ns;
  rx = std::make_shared<StreamRx>();
  if (const uint32_t flows = plan.measurement.flows) rx->flows = std::make_unique<Flows>(flows);
}

Leg NewLeg(const StreamPlan& plan, const std::shared_ptr<const Frames>& frames) {
  Leg leg{.begin_ns = 0,
          .departures = plan.departures,
          .frames = frames,
          .cursor = std::make_shared<Cursor>()};
  if (plan.replay) {
    const auto feed = std::make_shared<ReplayFeed>(*plan.replay);
    leg.departures = std::make_shared<const Departures>(plan.replay->offset_ns, Replayed(feed));
    leg.frames = std::make_shared<const Frames>(feed);
  }
  return leg;
}

void LoadedStream::Start(Leg leg, uint64_t duration_ns, uint64_t packets) {
  const uint64_t start_ns = leg.begin_ns;
  schedule = std::make_shared<const Schedule>(std::move(leg), duration_ns, packets);
  sender = std::make_shared<Sender>(*schedule);
  tx->wake_ns.Set(start_ns);
  tx->sending.store(true, std::memory_order_release);
}

LoadedResponder::LoadedResponder(std::shared_ptr<const machine::ResponderPlan> responder_plan)
    : plan(std::move(responder_plan)),
      made(machine::FindMade(plan->machine)),
      counters(std::make_shared<ResponderCounters>(plan->machine.counters.size(),
                                                   plan->machine.histograms.size())) {}

void LoadedResponder::Start(Port& port, uint64_t start_ns, uint64_t duration_ns) {
  counters = std::make_shared<ResponderCounters>(plan->machine.counters.size(),
                                                 plan->machine.histograms.size());
  answering = std::make_shared<Answering>(plan, made, counters, port);
  const uint64_t end_us = duration_ns == 0 ? 0 : Microseconds(start_ns + duration_ns);
  answering->responder.Begin(Microseconds(start_ns), end_us);
}

void LoadedResponder::Stop() {
  answering.reset();
  counters->opening.store(false, std::memory_order_relaxed);
}

bool LoadedResponder::Sending() const {
  if (!Answers() || !plan->opening) return false;
  if (counters->opening.load(std::memory_order_relaxed)) return true;
  return plan->opening->total != 0 && counters->flows.Get() > 0;
}

LoadedJob::LoadedJob(Job job) : plan(std::move(job)) {
  for (const auto& responder : plan.responders) responders.emplace_back(responder);
  for (auto& stream : std::exchange(plan.streams, {})) {
    streams.emplace_back(std::move(stream));
  }
}

std::unique_ptr<Program> MakeProgram(const LoadedJobs& jobs,
                                     const std::shared_ptr<const Retired>& retired,
                                     const std::vector<std::unique_ptr<Port>>& ports, size_t worker,
                                     size_t workers, uint64_t epoch) {
  auto program = std::make_unique<Program>();
  program->epoch = epoch;
  ExpectStreams(jobs, retired, *program);
  for (size_t i = worker; i < ports.size(); i += workers) {
    const auto index = static_cast<uint16_t>(i);
    std::vector<SendEntry> streams = SendersOf(index, jobs);
    auto queue = std::make_unique<DueQueue>(streams.size());
    program->ports.push_back({.port = ports[i].get(),
                              .index = index,
                              .streams = std::move(streams),
                              .queue = std::move(queue),
                              .neighbours = NeighboursOf(index, jobs),
                              .matcher = MatcherOf(index, jobs),
                              .taps = nullptr,
                              .responders = RespondersOf(index, jobs)});
  }
  return program;
}

}  // namespace tester
