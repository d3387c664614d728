// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Stops jobs that send frames which the policy forbids, where this shows only when they send.
#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "tester/tester.h"

namespace tester {
namespace {

bool SendsFrom(const LoadedJob& job, uint16_t port) {
  return std::ranges::any_of(job.streams,
                             [&](const LoadedStream& stream) {
                               return stream.plan.tx_port == port && stream.Sending();
                             }) ||
         std::ranges::any_of(job.responders,
                             [&](const LoadedResponder& responder) {
                               return responder.plan->out_port == port && responder.Answers();
                             }) ||
         std::ranges::any_of(job.paths, [&](const LoadedPath& path) {
           return path.forwarding && path.plan->Has(port);
         });
}

}  // namespace

void Tester::AdmitRates(const LoadedJob& job, std::string_view where) {
  const uint64_t now_ns = clock_.Now();
  const auto admit = [&](uint16_t port) {
    rates_.Admit(port, 0, 0, now_ns, where);
    fences_.OpenRate(port);  // one may be left, if a worker was stuck
  };
  for (const auto& stream : job.streams) {
    if (stream.plan.sent_here()) admit(stream.plan.tx_port);
  }
  for (const auto& responder : job.responders) admit(responder.plan->out_port);
  for (const auto& path : job.paths) {
    for (const uint16_t port : path.plan->Ports()) admit(port);
  }
}

void Tester::StopForbidden(const std::vector<LoadedJob*>& jobs, const std::string& why) {
  std::vector<std::string> names;
  for (const LoadedJob* job : jobs) names.push_back(job->plan.name);
  Log(LogLevel::kWarning, "policy", {{"stops", Join(names)}, {"reason", why}});
  if (!jobs.empty()) StopJobs(jobs, Cat("the policy of the tester: ", why), OpenFlows::kAbandon);
}

void Tester::EnforcePolicy() {
  CloseFences();
  const std::lock_guard lock(mutex_);
  std::vector<PortRates::Excess> excesses;
  {
    const std::lock_guard excesses_lock(excesses_mutex_);
    excesses.swap(excesses_);
  }
  for (const auto& excess : excesses) {
    std::vector<LoadedJob*> jobs = jobs_.All();
    std::erase_if(jobs, [&](const LoadedJob* job) { return !SendsFrom(*job, excess.port); });
    StopForbidden(jobs, excess.text);
    fences_.OpenRate(excess.port);
  }
  for (LoadedJob* job : jobs_.All()) {
    for (const auto& responder : job->responders) {
      if (!responder.Answers()) continue;
      const SendQueue& output = responder.running->output;
      if (!output.forbidden.load(std::memory_order_acquire)) continue;
      const AddressRules& rules = *ports_[responder.plan->out_port].allowed;
      StopForbidden({job},
                    Cat("responder ", Quote(responder.plan->name),
                        " would have sent a frame: ", rules.Objection(output.forbidden_frame)));
      break;
    }
  }
}

}  // namespace tester
