// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/jobs.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

// Unloaded jobs that are remembered, with the client that unloaded them.
constexpr size_t kMostUnloaded = 256;

std::shared_ptr<const Retired> WithStreams(const Retired* before,
                                           const std::vector<LoadedJob*>& jobs) {
  std::vector<Retired::Stream> streams;
  for (const LoadedJob* job : jobs) {
    for (const auto& stream : job->streams) {
      if (!stream.plan.contents.signature) continue;
      streams.push_back({.id = stream.plan.id, .signature_sum = stream.frames->signature_sum()});
    }
  }
  return Retired::With(before, streams);
}

}  // namespace

std::vector<LoadedJob*> Jobs::Find(const Names& names) const {
  std::vector<LoadedJob*> found;
  for (const auto& name : names) {
    const auto at = loaded_.find(name);
    if (at == loaded_.end()) {
      std::vector<std::string> loaded;
      for (const auto& [loaded_name, job] : loaded_) loaded.push_back(Quote(loaded_name));
      const auto gone = std::find_if(unloaded_.rbegin(), unloaded_.rend(),
                                     [&](const auto& unloaded) { return unloaded.first == name; });
      throw Error(Code::kNotFound,
                  Cat("no job ", Quote(name),
                      gone == unloaded_.rend() ? "" : Cat("; it was unloaded by ", gone->second),
                      "; loaded are ", Join(loaded)));
    }
    if (std::find(found.begin(), found.end(), at->second.get()) == found.end()) {
      found.push_back(at->second.get());
    }
  }
  return found;
}

std::vector<LoadedJob*> Jobs::All() const {
  std::vector<LoadedJob*> all;
  for (const auto& [name, job] : loaded_) all.push_back(job.get());
  return all;
}

LoadedStream& Jobs::FindStream(const std::string& job, uint32_t stream_id,
                               std::string_view where) const {
  std::vector<uint16_t> ids;
  for (auto& stream : Find({job}).front()->streams) {
    if (stream.plan.id == stream_id) return stream;
    ids.push_back(stream.plan.id);
  }
  throw Error(Code::kNotFound, Cat(where, ": no such stream; the job has ", Join(ids)));
}

LoadedJob& Jobs::Load(const Job& plan, const Ports& ports) {
  std::vector<const Job*> beside;
  std::vector<Job> plans;
  plans.reserve(loaded_.size());
  for (const auto& [name, other] : loaded_) {
    plans.push_back(other->plan);
    for (const auto& stream : other->streams) plans.back().streams.push_back(stream.plan);
    beside.push_back(&plans.back());
  }
  CheckBeside(plan, {.ports = ports.limits(), .loaded = beside});
  return *loaded_.emplace(plan.name, std::make_unique<LoadedJob>(plan, ports)).first->second;
}

LoadedJobs Jobs::Unload(const std::vector<LoadedJob*>& jobs, const std::string& by) {
  retired_ = WithStreams(retired_.get(), jobs);
  LoadedJobs gone;
  for (const LoadedJob* job : jobs) {
    unloaded_.emplace_back(job->plan.name, by.empty() ? "somebody" : by);
    gone.insert(loaded_.extract(job->plan.name));
  }
  while (unloaded_.size() > kMostUnloaded) unloaded_.pop_front();
  return gone;
}

}  // namespace tester
