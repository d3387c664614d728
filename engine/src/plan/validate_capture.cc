// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_capture.h"

#include <algorithm>

#include "base/text.h"
#include "plan/check_queues.h"
#include "plan/refuse.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr size_t kMaxCaptureNameBytes = 128;
constexpr size_t kMaxFilterBytes = 4096;
constexpr uint32_t kMostAroundATrigger = 1'000'000'000;

void CheckSize(const CapturePlan& plan, std::span<const PortLimits> ports, std::string_view where) {
  if (plan.frames == 0) Refuse(where, "0 frames; at least 1");
  uint64_t longest = 0;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (plan.ports[i]) {
      longest = std::max<uint64_t>(longest, ports[i].max_frame_bytes - wire::kFcsBytes);
    }
  }
  longest = std::min<uint64_t>(longest, plan.snap_length);
  if (longest * plan.frames > kMaxCaptureBytes) {
    throw Error(Code::kResourceExhausted,
                Cat(where, ": ", plan.frames, " frames of up to ", longest, " bytes are ",
                    longest * plan.frames, " bytes; max_capture_bytes is ", kMaxCaptureBytes,
                    ": keep fewer frames, or less of each with a snap length"));
  }
}

std::shared_ptr<const Filter> ValidateFilter(const std::string& filter, std::string_view where) {
  if (filter.size() > kMaxFilterBytes || filter.find('\0') != std::string::npos) {
    Refuse(where, "a filter of ", filter.size(), " bytes; allowed are ", kMaxFilterBytes,
           " without zeros");
  }
  return filter.empty() ? nullptr : std::make_shared<const Filter>(filter, where);
}

TriggerPlan ValidateTrigger(const v1::Capture& capture, std::string_view where) {
  const v1::CaptureTrigger& trigger = capture.trigger();
  if (capture.keep() != v1::Capture::KEEP_FIRST || capture.frames() != 0 ||
      capture.direction() == v1::Capture::DIRECTION_TRANSMITTED) {
    Refuse(where,
           "keep or frames beside a trigger, or no frames that arrive; it keeps those before and "
           "after a frame that arrives");
  }
  if (trigger.before() > kMostAroundATrigger || trigger.after() > kMostAroundATrigger) {
    Refuse(where, trigger.before(), " frames before and ", trigger.after(),
           " after the trigger; at most ", kMostAroundATrigger, " each");
  }
  TriggerPlan plan{.kind = TriggerPlan::Kind::kGap,
                   .latency_ns = trigger.latency_ns(),
                   .before = trigger.before(),
                   .after = trigger.after()};
  switch (trigger.kind()) {
    case v1::CaptureTrigger::KIND_GAP:
      break;
    case v1::CaptureTrigger::KIND_LATENCY:
      plan.kind = TriggerPlan::Kind::kLatency;
      break;
    case v1::CaptureTrigger::KIND_DAMAGE:
      plan.kind = TriggerPlan::Kind::kDamage;
      break;
    case v1::CaptureTrigger::KIND_FILTER:
      plan.kind = TriggerPlan::Kind::kFilter;
      plan.filter = ValidateFilter(trigger.filter(), Cat(where, ", trigger"));
      if (plan.filter == nullptr) Refuse(where, "a trigger by filter without one");
      break;
    default:
      Refuse(where, "trigger kind ", static_cast<int>(trigger.kind()), " is none that there is");
  }
  return plan;
}

void CheckTrace(const v1::Capture& capture, std::string_view where) {
  if (capture.traced().every() == 0) Refuse(where, "every 0 frames; at least 1");
  if (capture.has_trigger()) Refuse(where, "a trigger; a trace has the frames from its start on");
  if (capture.ports_size() > 0 || capture.streams_size() > 0 || !capture.filter().empty() ||
      capture.direction() != v1::Capture::DIRECTION_BOTH ||
      capture.keep() != v1::Capture::KEEP_FIRST) {
    Refuse(where,
           "ports, streams, filter, direction or keep beside a path; a trace has the frames "
           "of the path");
  }
}

}  // namespace

CapturePlan ValidateTrace(const v1::Capture& capture, const PathPlan& path,
                          std::span<const PortLimits> ports) {
  v1::Capture of_ports = capture;
  const std::string where = Cat("trace ", Quote(capture.name()));
  CheckTrace(capture, where);
  of_ports.add_ports(ports[path.first_port].name);
  of_ports.add_ports(ports[path.second_port].name);
  of_ports.set_direction(v1::Capture::DIRECTION_RECEIVED);
  CapturePlan plan = ValidateCapture(of_ports, ports);
  plan.keep = Lane::Keep::kTrace;
  plan.every = capture.traced().every();
  return plan;
}

CapturePlan ValidateCapture(const v1::Capture& capture, std::span<const PortLimits> ports) {
  const std::string where = Cat("capture ", Quote(capture.name()));
  if (capture.name().empty() || capture.name().size() > kMaxCaptureNameBytes) {
    Refuse(where, "a name of ", capture.name().size(), " bytes; allowed are 1 to ",
           kMaxCaptureNameBytes);
  }
  if (!v1::Capture::Direction_IsValid(capture.direction())) {
    Refuse(where, "there is no direction ", static_cast<int>(capture.direction()));
  }
  if (!v1::Capture::Keep_IsValid(capture.keep())) {
    Refuse(where, "nothing is known to keep as ", static_cast<int>(capture.keep()));
  }
  CapturePlan plan{
      .name = capture.name(),
      .ports = std::vector<bool>(ports.size(), capture.ports().empty()),
      .transmitted = capture.direction() != v1::Capture::DIRECTION_RECEIVED,
      .received = capture.direction() != v1::Capture::DIRECTION_TRANSMITTED,
      .filter = nullptr,
      .streams = {capture.streams().begin(), capture.streams().end()},
      .keep = capture.keep() == v1::Capture::KEEP_LAST ? Lane::Keep::kLast : Lane::Keep::kFirst,
      .frames = capture.frames(),
      .snap_length = capture.snap_length() == 0 ? UINT32_MAX : capture.snap_length()};
  for (const auto& port : capture.ports()) plan.ports[FindPort(port, ports, where)] = true;
  if (capture.has_trigger()) {
    plan.trigger = ValidateTrigger(capture, where);
    for (size_t i = 0; i < ports.size(); ++i) {
      if (!plan.ports[i] || plan.trigger->kind != TriggerPlan::Kind::kGap) continue;
      CheckOneQueue(ports[i], "triggers by a gap", where);
    }
    plan.keep = Lane::Keep::kTriggered;
    plan.frames = plan.trigger->before + 1 + plan.trigger->after;
  }
  CheckSize(plan, ports, where);
  plan.filter = ValidateFilter(capture.filter(), where);
  return plan;
}

}  // namespace tester
