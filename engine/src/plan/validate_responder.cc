// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_responder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "plan/check_policy.h"
#include "plan/check_queues.h"
#include "plan/protocol/compile_protocol.h"
#include "plan/refuse.h"
#include "plan/validate.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr size_t kMaxAccepts = 16;
constexpr uint32_t kMaxOpenedFlows = 1 << 24;

void Between(std::string_view where, std::string_view what, uint64_t given, uint64_t least,
             uint64_t most) {
  if (given >= least && given <= most) return;
  Refuse(where, what, " ", given, "; allowed are ", least, " to ", most);
}

Uint128 Number(const std::string& bytes, uint32_t bits, std::string_view where) {
  Uint128 value = 0;
  Between(where, "bytes of a number:", bytes.size(), 1, 16);
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  if (value > machine::MaskOf(bits)) Refuse(where, "a number that does not fit ", bits, " bits");
  return value;
}

machine::Accept ValidateAccept(const v1::Accept& accept, const machine::Machine& machine,
                               std::string_view where) {
  const auto& field = accept.field();
  const size_t headers = machine.headers.size();
  if (field.header() >= headers) {
    Refuse(where, "header ", field.header(), " of ", headers, "; they are numbered from 0");
  }
  const uint64_t bits = uint64_t{machine.headers[field.header()].octets} * 8;
  if (field.bits() < 1 || field.bits() > 128 || uint64_t{field.offset()} + field.bits() > bits) {
    Refuse(where, field.bits(), " bits from bit ", field.offset(), " on of ", bits,
           "; a field has 1 to 128, within its header");
  }
  const Uint128 first = Number(accept.first(), field.bits(), where);
  Between(where, "count", accept.count(), 1, UINT64_MAX);
  const machine::FieldPlace place{.header = static_cast<uint8_t>(field.header()),
                                  .bits = static_cast<uint8_t>(field.bits()),
                                  .offset = static_cast<uint16_t>(field.offset())};
  return {.place = place,
          .load = machine::FieldLoadOf(place),
          .low = static_cast<uint64_t>(first),
          .high = static_cast<uint64_t>(first >> 64),
          .step = accept.step(),
          .count = accept.count()};
}

machine::Address ValidateAddress(const v1::Address& address, uint32_t bits,
                                 std::string_view where) {
  Between(where, "count", address.count(), 1, UINT64_MAX);
  Between(where, "every", address.every(), 1, UINT64_MAX);
  return {.first = Number(address.first(), bits, where),
          .step = address.step(),
          .count = address.count(),
          .every = address.every()};
}

machine::Address ValidateMacs(const v1::Address& address, std::string_view where) {
  const machine::Address valid = ValidateAddress(address, 48, where);
  constexpr uint64_t kGroup = uint64_t{1} << 40;
  if (address.first().size() != 6 || (static_cast<uint64_t>(valid.first) & kGroup) != 0) {
    Refuse(where, "needed are 6 bytes of a unicast address");
  }
  return valid;
}

void ValidateRate(const v1::Opening& opening, std::string_view where, machine::Opening& valid) {
  if (!opening.has_rate()) return;
  constexpr uint64_t kMost = uint64_t{1} << 62;
  Between(where, "openings of the rate:", opening.rate().openings(), 1, kMost);
  Between(where, "nanoseconds of the rate:", opening.rate().nanoseconds(), 1, kMost);
  valid.openings = opening.rate().openings();
  valid.nanoseconds = opening.rate().nanoseconds();
}

machine::Opening ValidateOpening(const v1::Opening& opening, const machine::ResponderPlan& plan,
                                 std::string_view where) {
  const auto& flow = plan.machine.flow;
  if (static_cast<size_t>(opening.addresses_size()) != flow.size()) {
    Refuse(where, opening.addresses_size(), " addresses; a flow is known by ", flow.size(),
           " fields, and each needs one");
  }
  machine::Opening valid{
      .flows = opening.flows(),
      .addresses = {},
      .source_mac = ValidateMacs(opening.source_mac(), Cat(where, ", source_mac")),
      .destination_mac = ValidateMacs(opening.destination_mac(), Cat(where, ", destination_mac")),
      .connections = opening.connections(),
      .total = opening.total(),
      .first_flow = opening.first_flow(),
      .reopen = {}};
  Between(where, "flows", valid.flows, 1, kMaxOpenedFlows);
  Between(where, "first_flow", valid.first_flow, 0, valid.flows - 1);
  for (size_t i = 0; i < flow.size(); ++i) {
    valid.addresses.push_back(ValidateAddress(opening.addresses(static_cast<int>(i)),
                                              flow[i].place.bits, Cat(where, ", address ", i)));
  }
  const bool keeps = plan.machine.keeps_flows;
  Between(where, "connections", valid.connections, keeps ? 1 : 0,
          keeps ? std::min(valid.flows, plan.capacity) : 0);
  ValidateRate(opening, where, valid);
  Between(where, "reopen", static_cast<uint64_t>(opening.reopen()), 0, v1::Opening::REOPEN_NEVER);
  valid.reopen = static_cast<machine::Reopen>(opening.reopen());
  return valid;
}

std::vector<bool> ValidateFailures(const v1::Opening& opening, size_t counters,
                                   std::string_view where) {
  std::vector<bool> failures(counters);
  for (const uint32_t counter : opening.failures()) {
    if (counter >= counters) {
      Refuse(where, "failure ", counter, " of ", counters, " counters; they are numbered from 0");
    }
    failures[counter] = true;
  }
  return failures;
}

}  // namespace

std::shared_ptr<const machine::ResponderPlan> ValidateResponder(const v1::Responder& responder,
                                                                std::string_view job,
                                                                std::span<const PortLimits> ports) {
  const std::string where = Cat("job ", Quote(job), ", responder ", Quote(responder.name()));
  Between(where, "bytes of the name:", responder.name().size(), 1, kMaxJobNameBytes);
  auto plan = std::make_shared<machine::ResponderPlan>();
  plan->name = responder.name();
  plan->port = FindPort(responder.port(), ports, Cat(where, ", port"));
  plan->out_port = responder.out_port().empty()
                       ? plan->port
                       : FindPort(responder.out_port(), ports, Cat(where, ", out_port"));
  CheckOneQueue(ports[plan->port], "responders", where);
  CheckOneQueue(ports[plan->out_port], "responders", where);
  if (ports[plan->out_port].worker != ports[plan->port].worker) {
    throw Error(
        Code::kFailedPrecondition,
        Cat(where, ": ports ", Quote(responder.port()), " and ", Quote(responder.out_port()),
            " are served by different workers; start the ", "engine with one CPU"));
  }
  Between(where, "vlan", responder.vlan(), 0, kMaxVlan);
  plan->vlan = static_cast<uint16_t>(responder.vlan());
  const size_t tag = plan->vlan != 0 ? wire::kVlanTagBytes : 0;
  plan->most_bytes = static_cast<uint32_t>(std::min<size_t>(
      ports[plan->out_port].max_frame_bytes - wire::kFcsBytes - tag, machine::kMaxFrameBytes));
  plan->seed = responder.seed();
  plan->machine = CompileProtocol(responder.protocol(), where);
  const bool keeps = plan->machine.keeps_flows;
  Between(where, "flow_capacity", responder.flow_capacity(), keeps ? 1 : 0,
          keeps ? kMaxResponderFlows : 0);
  plan->capacity = responder.flow_capacity();
  plan->is_trigger = responder.trigger();
  plan->most_taken = responder.most();
  if (plan->is_trigger && (keeps || responder.has_opening())) {
    Refuse(where, "a trigger keeps no flows and opens none");
  }
  if (!plan->is_trigger && plan->most_taken != 0) Refuse(where, "most is of a trigger only");
  plan->is_shared = responder.shared();
  if (plan->is_shared && (plan->is_trigger || plan->vlan != 0)) {
    Refuse(where, "one that shares its packets is no trigger and has no vlan");
  }
  if (plan->out_port != plan->port && responder.has_opening()) {
    Refuse(where, "an end that opens flows sends from its own port");
  }
  Between(where, "accepts:", static_cast<uint64_t>(responder.accepts_size()), 0, kMaxAccepts);
  for (const auto& accept : responder.accepts()) {
    plan->accepts.push_back(
        ValidateAccept(accept, plan->machine, Cat(where, ", accept ", plan->accepts.size())));
  }
  plan->failures =
      ValidateFailures(responder.opening(), plan->machine.counters.size(), Cat(where, ", opening"));
  if (responder.has_opening()) {
    plan->opening = ValidateOpening(responder.opening(), *plan, Cat(where, ", opening"));
    CheckOpeningAllowed(*plan, ports[plan->out_port], Cat(where, ", opening"));
  }
  return plan;
}

void CheckResponders(const Job& job, std::span<const Job* const> loaded) {
  std::set<std::string> names;
  for (const auto& responder : job.responders) {
    if (names.insert(responder->name).second) continue;
    Refuse(Cat("job ", Quote(job.name)), "responder ", Quote(responder->name),
           " is given twice; it must be unique");
  }
  size_t responders = job.responders.size();
  uint64_t flows = 0;
  for (const auto& responder : job.responders) flows += responder->capacity;
  for (const Job* other : loaded) {
    responders += other->responders.size();
    for (const auto& responder : other->responders) flows += responder->capacity;
  }
  if (responders > kMaxResponders) {
    throw Error(Code::kResourceExhausted,
                Cat("job ", Quote(job.name), ": ", job.responders.size(), " responders would make ",
                    responders, " loaded ones; max_responders is ", kMaxResponders));
  }
  if (flows > kMaxResponderFlows) {
    throw Error(Code::kResourceExhausted,
                Cat("job ", Quote(job.name), ": its flow_capacity would make ", flows,
                    " flows; max_responder_flows is ", kMaxResponderFlows));
  }
}

}  // namespace tester
