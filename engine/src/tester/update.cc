// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Replaces a stream, which may be sending, by another one.
#include <span>
#include <utility>
#include <vector>

#include "base/run_apart.h"
#include "base/text.h"
#include "plan/check_policy.h"
#include "tester/tester.h"

namespace tester {
namespace {

// The time between an update and its begin: workers adopt the program meanwhile.
constexpr uint64_t kUpdateLeadNs = 500'000;

// Equal frames continue at their position; different ones begin anew.
bool SendsTheSame(const StreamPlan& a, const StreamPlan& b) {
  return !a.contents_key.empty() && a.contents_key == b.contents_key;
}

std::vector<FieldExpectation> ExpectationsOf(const MeasurementPlan& plan) {
  return plan.fields ? plan.fields->expectations() : std::vector<FieldExpectation>{};
}

// Counters continue, so their meaning must stay the same.
void CheckStays(const LoadedStream& stream, const StreamPlan& plan, const Frames& frames,
                std::string_view where) {
  const auto refuse_if = [&](bool changed, std::string_view field) {
    if (!changed) return;
    throw Error(Code::kInvalidArgument,
                Cat(where, ", ", field, ": it can not change; load the stream as another job"));
  };
  refuse_if(plan.tx_port != stream.plan.tx_port, "tx_port");
  refuse_if(plan.rx_port != stream.plan.rx_port, "rx_port");
  refuse_if(plan.contents.signature != stream.plan.contents.signature, "signature");
  refuse_if(frames.signature_sum() != stream.frames->signature_sum(), "sum of the signature");
  const MeasurementPlan& before = stream.plan.measurement;
  const MeasurementPlan& after = plan.measurement;
  refuse_if(after.flows != before.flows, "flows");
  refuse_if(after.version != before.version, "version");
  refuse_if(after.matches != before.matches, "matches");
  refuse_if(ExpectationsOf(after) != ExpectationsOf(before), "expected_fields");
  if (SendsTheSame(plan, stream.plan)) return;
  // Sequence numbers would no longer say which flow a frame is of.
  refuse_if(before.flows != 0, "contents of a stream with flows");
}

}  // namespace

uint64_t Tester::Update(const std::string& job_name, const v1::Stream& update,
                        const Client& client) {
  const std::string where = Cat("update of job ", Quote(job_name), ", stream ", update.id());
  {
    // Checked before the file is read, which no other call waits for.
    const std::lock_guard lock(mutex_);
    CheckLease(client);
    RefuseEnded();
    jobs_.FindStream(job_name, update.id(), where);
  }
  StreamPlan plan =
      update.departures().has_replay()
          ? RunApart([update, job_name,
                      ports = ports_.limits()] { return ValidateStream(update, job_name, ports); },
                     [this, &client] { CheckAdmitted(client); })
          : ValidateStream(update, job_name, ports_.limits());
  const std::lock_guard lock(mutex_);
  CheckLease(client);
  LoadedStream& stream = jobs_.FindStream(job_name, update.id(), where);
  auto frames = std::make_shared<const Frames>(plan.contents);
  CheckStays(stream, plan, *frames, where);
  RateSums rates(ports_.limits());
  for (const LoadedJob* job : jobs_.All()) {
    for (const auto& other : job->streams) rates.Add(&other == &stream ? plan : other.plan);
  }
  rates.Check(where);
  if (plan.sent_here()) {
    rates_.Admit(plan.tx_port, 0, 0, clock_.Now(), where);  // it begins with its first frame again
  }
  if (SendsTheSame(plan, stream.plan)) {
    frames = stream.frames;
  } else {
    stream.numbered = false;  // sequence numbers no longer identify frames
  }
  uint64_t effective_ns = clock_.Now();
  if (stream.schedule && stream.Sending()) {
    const Schedule& schedule = *stream.schedule;
    ScheduleSegment segment = NewSegment(plan, frames);
    ReadAhead(std::span<const ScheduleSegment>(&segment, 1));
    if (const ReplayFeed* feed = segment.frames->feed()) stream.fault = feed->fault();
    effective_ns = schedule.ChangeNs(clock_.Now() + kUpdateLeadNs);
    const bool same = frames == stream.frames;
    segment.begin_ns = effective_ns;
    if (same) segment.cursor = schedule.last_segment().cursor;
    stream.schedule = std::make_shared<const Schedule>(
        schedule.Updated(std::move(segment), stream.tx->segment.Get()));
  }
  stream.plan = std::move(plan);
  stream.frames = std::move(frames);
  LoadedJob& job = *jobs_.Find({job_name}).front();
  ++job.updates;
  job.updated_by = client.name;
  Publish();
  return effective_ns;
}

}  // namespace tester
