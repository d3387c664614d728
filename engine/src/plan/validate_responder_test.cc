// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_responder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "plan/job.h"
#include "plan/validate.h"

namespace tester {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<PortLimits> kPorts = {{.name = "a", .max_frame_bytes = 1522},
                                        {.name = "b", .max_frame_bytes = 9018}};
const std::string kMac("\x02\x00\x00\x00\x00\x01", 6);

void SetField(v1::Field& field, uint32_t offset, uint32_t bits) {
  field.set_offset(offset);
  field.set_bits(bits);
}

void SetAddress(v1::Address& address, const std::string& first) {
  address.set_first(first);
  address.set_count(4);
  address.set_every(1);
}

// Two states, no rows, and a flow for each Ethernet source; it opens four flows.
v1::Responder Sound() {
  v1::Responder responder;
  responder.set_name("x");
  responder.set_port("b");
  responder.set_flow_capacity(8);
  auto& protocol = *responder.mutable_protocol();
  protocol.set_name("p");
  auto& header = *protocol.add_headers();
  header.set_kind(v1::Header::KIND_ETHERNET);
  header.set_octets(std::string(14, '\0'));
  SetField(*protocol.add_flow()->mutable_field(), 48, 48);
  protocol.add_registers()->set_bits(8);
  auto& table = *protocol.add_tables();
  table.set_name("t");
  table.set_states(2);
  table.set_events(3);
  table.set_state(0);
  for (int cell = 0; cell < 6; ++cell) {
    table.add_first(0);
    table.add_count(0);
  }
  table.add_counters("well");
  table.add_counters("badly");
  auto& accept = *responder.add_accepts();
  SetField(*accept.mutable_field(), 96, 16);
  accept.set_first("\x08\x06");
  accept.set_count(1);
  auto& opening = *responder.mutable_opening();
  opening.set_flows(4);
  opening.set_connections(2);
  opening.add_failures(1);
  SetAddress(*opening.add_addresses(), kMac);
  SetAddress(*opening.mutable_source_mac(), kMac);
  SetAddress(*opening.mutable_destination_mac(), kMac);
  return responder;
}

void ExpectRefused(const std::function<void(v1::Responder&)>& change, Code code, const char* says) {
  v1::Responder responder = Sound();
  change(responder);
  try {
    ValidateResponder(responder, "j", kPorts);
    FAIL() << "not refused: " << responder.ShortDebugString();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.what(), HasSubstr(says));
  }
}

void ExpectInvalid(const std::function<void(v1::Responder&)>& change, const char* says) {
  ExpectRefused(change, Code::kInvalidArgument, says);
}

TEST(ValidateResponder, WhatIsSaidCounts) {
  const auto plan = ValidateResponder(Sound(), "j", kPorts);
  EXPECT_EQ(plan->name, "x");
  EXPECT_EQ(plan->port, 1);
  EXPECT_EQ(plan->most_bytes, 9014);
  EXPECT_EQ(plan->capacity, 8);
  EXPECT_THAT(plan->failures, ElementsAre(false, true));
  ASSERT_EQ(plan->accepts.size(), 1);
  EXPECT_EQ(plan->accepts[0].low, 0x0806);
  ASSERT_TRUE(plan->opening.has_value());
  EXPECT_EQ(plan->opening->connections, 2);
}

TEST(ValidateResponder, ATagTakesRoomInAFrame) {
  v1::Responder responder = Sound();
  responder.set_vlan(7);
  EXPECT_EQ(ValidateResponder(responder, "j", kPorts)->most_bytes, 9010);
}

TEST(ValidateResponder, WhatCannotBeIsRefused) {
  ExpectInvalid([](auto& x) { x.set_name(""); }, "bytes of the name: 0; allowed are 1 to");
  ExpectRefused([](auto& x) { x.set_port("c"); }, Code::kNotFound, "\"c\"");
  ExpectInvalid([](auto& x) { x.set_vlan(4095); }, "vlan 4095; allowed are 0 to 4094");
  ExpectInvalid([](auto& x) { x.set_flow_capacity(0); }, "flow_capacity 0; allowed are 1 to");
  ExpectInvalid([](auto& x) { x.set_flow_capacity(kMaxResponderFlows + 1); }, "flow_capacity");
  ExpectInvalid([](auto& x) { x.mutable_protocol()->clear_headers(); }, "protocol \"p\"");
}

TEST(ValidateResponder, WhatIsAcceptedIsAFieldOfAHeader) {
  const auto accept = [](const auto& change, const char* says) {
    ExpectInvalid([&](auto& x) { change(*x.mutable_accepts(0)); }, says);
  };
  accept([](auto& x) { x.mutable_field()->set_header(1); }, "header 1 of 1");
  accept([](auto& x) { x.mutable_field()->set_offset(97); }, "16 bits from bit 97 on of 112");
  accept([](auto& x) { x.mutable_field()->set_bits(0); }, "0 bits from");
  accept([](auto& x) { x.mutable_field()->set_offset(UINT32_MAX); }, "within its header");
  accept([](auto& x) { x.set_first(""); }, "bytes of a number: 0");
  accept([](auto& x) { x.set_first(std::string(17, 1)); }, "bytes of a number: 17");
  accept([](auto& x) { x.set_first("\x01\x08\x06"); }, "does not fit 16 bits");
  accept([](auto& x) { x.set_count(0); }, "count 0");
  ExpectInvalid(
      [](auto& x) {
        while (x.accepts_size() < 17) *x.add_accepts() = x.accepts(0);
      },
      "accepts: 17; allowed are 0 to 16");
}

TEST(ValidateResponder, WhatIsOpenedCanBeOpened) {
  const auto opening = [](const auto& change, const char* says) {
    ExpectInvalid([&](auto& x) { change(*x.mutable_opening()); }, says);
  };
  opening([](auto& x) { x.set_flows(0); }, "flows 0; allowed are 1 to 16777216");
  opening([](auto& x) { x.clear_addresses(); }, "0 addresses; a flow is known by 1 fields");
  opening([](auto& x) { x.mutable_addresses(0)->set_every(0); }, "address 0: every 0");
  opening([](auto& x) { x.mutable_source_mac()->set_first("\x02"); }, "source_mac");
  opening([](auto& x) { x.mutable_destination_mac()->mutable_first()->at(0) = 1; }, "unicast");
  opening([](auto& x) { x.set_first_flow(4); }, "first_flow 4; allowed are 0 to 3");
  opening([](auto& x) { x.set_connections(0); }, "connections 0; allowed are 1 to 4");
  opening([](auto& x) { x.set_connections(5); }, "connections 5; allowed are 1 to 4");
  opening([](auto& x) { x.mutable_rate()->set_openings(1); }, "nanoseconds of the rate: 0");
  opening([](auto& x) { x.mutable_rate()->set_nanoseconds(1); }, "openings of the rate: 0");
  opening([](auto& x) { x.set_reopen(static_cast<v1::Opening::Reopen>(3)); }, "reopen 3");
  opening([](auto& x) { x.set_failures(0, 2); }, "failure 2 of 2 counters");
  ExpectInvalid([](auto& x) { x.set_flow_capacity(1); }, "connections 2; allowed are 1 to 1");
}

Job JobOf(const char* name, std::vector<v1::Responder> responders) {
  Job job;
  job.name = name;
  for (const auto& responder : responders) {
    job.responders.push_back(ValidateResponder(responder, name, kPorts));
  }
  return job;
}

void ExpectTooMuch(const Job& job, std::vector<const Job*> loaded, Code code, const char* says) {
  try {
    CheckResponders(job, loaded);
    FAIL() << "not refused: " << says;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.what(), HasSubstr(says));
  }
}

// A valid trigger.
v1::Responder SoundTrigger() {
  v1::Responder responder = Sound();
  responder.clear_opening();
  responder.set_flow_capacity(0);
  responder.mutable_protocol()->clear_flow();
  auto& table = *responder.mutable_protocol()->mutable_tables(0);
  table.set_states(1);
  table.clear_state();
  responder.mutable_protocol()->clear_registers();
  for (auto* cells : {table.mutable_first(), table.mutable_count()}) cells->Truncate(3);
  responder.set_trigger(true);
  responder.set_most(5);
  responder.set_out_port("a");
  return responder;
}

TEST(ValidateResponder, ATriggerMaySendFromAnotherPort) {
  const auto plan = ValidateResponder(SoundTrigger(), "j", kPorts);
  EXPECT_TRUE(plan->is_trigger);
  EXPECT_EQ(plan->most_taken, 5U);
  EXPECT_EQ(plan->port, 1U);
  EXPECT_EQ(plan->out_port, 0U);
  EXPECT_EQ(plan->most_bytes, 1518U) << "of the port by which frames leave";
}

TEST(ValidateResponder, WhatATriggerCannotBeIsRefused) {
  const auto refused = [](v1::Responder responder, std::span<const PortLimits> ports) {
    try {
      ValidateResponder(responder, "j", ports);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  v1::Responder flows = Sound();
  flows.set_trigger(true);
  EXPECT_THAT(refused(flows, kPorts), HasSubstr("a trigger keeps no flows and opens none"));
  v1::Responder most = Sound();
  most.set_most(1);
  EXPECT_THAT(refused(most, kPorts), HasSubstr("most is of a trigger only"));
  v1::Responder out = Sound();
  out.set_out_port("a");
  EXPECT_THAT(refused(out, kPorts), HasSubstr("sends from its own port"));
  out.set_out_port("c");
  EXPECT_THAT(refused(out, kPorts), HasSubstr("\"c\""));
  std::vector<PortLimits> apart = kPorts;
  apart[0].worker = 1;
  EXPECT_THAT(refused(SoundTrigger(), apart), HasSubstr("are served by different workers"));
  v1::Responder shared = SoundTrigger();
  shared.set_shared(true);
  EXPECT_THAT(refused(shared, kPorts), HasSubstr("shares its packets is no trigger"));
  v1::Responder tagged = Sound();
  tagged.set_shared(true);
  EXPECT_TRUE(ValidateResponder(tagged, "j", kPorts)->is_shared);
  tagged.set_vlan(5);
  EXPECT_THAT(refused(tagged, kPorts), HasSubstr("and has no vlan"));
}

TEST(CheckResponders, NamesAreUniqueInAJob) {
  const Job other = JobOf("k", {Sound()});
  EXPECT_NO_THROW(CheckResponders(JobOf("j", {Sound()}), std::vector<const Job*>{&other}));
  ExpectTooMuch(JobOf("j", {Sound(), Sound()}), {}, Code::kInvalidArgument, "\"x\" is given twice");
}

TEST(CheckResponders, JobsShareTheRoomForFlows) {
  v1::Responder large = Sound();
  large.set_flow_capacity(kMaxResponderFlows - 8);
  const Job other = JobOf("k", {large});
  EXPECT_NO_THROW(CheckResponders(JobOf("j", {Sound()}), std::vector<const Job*>{&other}));
  large.set_flow_capacity(kMaxResponderFlows - 7);
  const Job larger = JobOf("k", {large});
  ExpectTooMuch(JobOf("j", {Sound()}), {&larger}, Code::kResourceExhausted, "8388609 flows");
}

TEST(CheckResponders, JobsShareTheirNumber) {
  const Job one = JobOf("k", {Sound()});
  const std::vector<const Job*> loaded(kMaxResponders, &one);
  ExpectTooMuch(JobOf("j", {Sound()}), loaded, Code::kResourceExhausted, "257 loaded ones");
}

}  // namespace
}  // namespace tester
