// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/flow_memory.h"

#include "base/memory.h"
#include "base/text.h"
#include "stats/flows.h"

namespace tester {
namespace {

uint64_t BytesOf(const StreamPlan& stream) {
  return uint64_t{stream.measurement.flows} * sizeof(Flows::Counts);
}

uint64_t BytesOfResponders(const Job& job) {
  uint64_t bytes = 0;
  for (const auto& responder : job.responders) bytes += machine::Responder::BytesFor(*responder);
  return bytes;
}

}  // namespace

void CheckFlowMemory(const Job& job) {
  uint64_t bytes = BytesOfResponders(job);
  for (const StreamPlan& stream : job.streams) bytes += BytesOf(stream);
  CheckMemory(bytes, AvailableMemory(), Cat("job ", Quote(job.name)));
}

void CheckFlowMemory(const std::vector<LoadedJob*>& jobs) {
  uint64_t bytes = 0;
  for (const LoadedJob* job : jobs) {
    bytes += BytesOfResponders(job->plan);
    for (const LoadedStream& stream : job->streams) bytes += BytesOf(stream.plan);
  }
  const auto available = AvailableMemory();
  if (HasMemory(bytes, available)) return;
  std::vector<std::string> names;
  for (const LoadedJob* job : jobs) names.push_back(Quote(job->plan.name));
  CheckMemory(bytes, available, Cat("the start of ", Join(names)));
}

}  // namespace tester
