// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_query.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "plan/check_queues.h"
#include "plan/refuse.h"

namespace tester {
namespace {

constexpr size_t kMaxQueryNameBytes = 128;
constexpr int kMaxTests = 32;
constexpr int kMaxKeys = 8;
constexpr uint32_t kMaxFieldBytes = 64;
constexpr uint32_t kMaxOffset = 65'535;
constexpr uint32_t kMaxValueBytes = 8;
constexpr unsigned kMaxSummedBits = 32;
constexpr uint64_t kMinIntervalNs = 1000;
constexpr size_t kIntervalBytes = 8;
constexpr uint32_t kMaxEtherType = 0xffff;
constexpr uint32_t kMaxProtocol = 0xff;

std::vector<uint8_t> Octets(const std::string& text) { return {text.begin(), text.end()}; }

QueryOperand FieldOf(const v1::QueryField& field, std::string_view where) {
  if (!v1::QueryField::Part_IsValid(field.part())) {
    Refuse(where, "there is no part ", static_cast<int>(field.part()));
  }
  if (field.bytes() < 1 || field.bytes() > kMaxFieldBytes || field.offset() > kMaxOffset) {
    Refuse(where, "a field of ", field.bytes(), " bytes behind ", field.offset(),
           "; allowed are 1 to ", kMaxFieldBytes, " bytes behind at most ", kMaxOffset);
  }
  if (field.ether_type() > kMaxEtherType || field.protocol() > kMaxProtocol) {
    Refuse(where, "EtherType ", field.ether_type(), ", protocol ", field.protocol(), "; at most ",
           kMaxEtherType, " and ", kMaxProtocol);
  }
  const auto part = static_cast<QueryOperand::Part>(field.part());
  const bool has_protocol =
      part == QueryOperand::Part::kTransport || part == QueryOperand::Part::kPayload;
  if (field.protocol() != 0 && !has_protocol) {
    Refuse(where, "a protocol is only of what is behind the header of IP");
  }
  return {.part = part,
          .offset = field.offset(),
          .bytes = field.bytes(),
          .ether_type = static_cast<uint16_t>(field.ether_type()),
          .protocol = static_cast<uint8_t>(field.protocol()),
          .fact = QueryOperand::Fact::kNone};
}

QueryOperand OperandOf(const v1::QueryOperand& operand, std::string_view where) {
  if (operand.has_field()) return FieldOf(operand.field(), where);
  switch (operand.fact()) {
    case v1::QUERY_FACT_LENGTH:
      return {.fact = QueryOperand::Fact::kLength};
    case v1::QUERY_FACT_PORT:
      return {.fact = QueryOperand::Fact::kPort};
    case v1::QUERY_FACT_GAP:
      return {.fact = QueryOperand::Fact::kGap};
    default:
      Refuse(where, "an operand is a field or a fact");
  }
}

void RefuseGap(const QueryOperand& operand, std::string_view where) {
  if (operand.fact == QueryOperand::Fact::kGap) {
    Refuse(where, "a gap is between frames of one key: it can only be the value");
  }
}

void CheckMask(const std::string& mask, const QueryOperand& operand, std::string_view where) {
  if (mask.size() != operand.bytes) {
    Refuse(where, "a mask of ", mask.size(), " bytes for an operand of ", operand.bytes);
  }
}

QueryTest TestOf(const v1::QueryTest& test, std::string_view where) {
  const QueryOperand operand = OperandOf(test.operand(), where);
  RefuseGap(operand, where);
  CheckMask(test.mask(), operand, where);
  if (test.value().size() != operand.bytes) {
    Refuse(where, "a value of ", test.value().size(), " bytes for an operand of ", operand.bytes);
  }
  if (test.relation() > v1::Compare::RELATION_AT_LEAST ||
      !v1::Compare::Relation_IsValid(test.relation())) {
    Refuse(where, "there is no relation ", static_cast<int>(test.relation()));
  }
  QueryTest valid{.operand = operand,
                  .relation = static_cast<QueryTest::Relation>(test.relation()),
                  .mask = Octets(test.mask()),
                  .value = Octets(test.value())};
  for (size_t i = 0; i < valid.mask.size(); ++i) {
    if ((valid.value[i] & ~valid.mask[i]) != 0) {
      Refuse(where, "byte ", i, " of the value has bits that the mask has not");
    }
  }
  return valid;
}

void AddKeys(const v1::Query& query, QueryPlan& plan, std::string_view where) {
  if (query.keys_size() > kMaxKeys) {
    Refuse(where, query.keys_size(), " keys; at most ", kMaxKeys);
  }
  size_t end = plan.interval_ns != 0 ? kIntervalBytes : 0;
  const size_t most = end + kMaxQueryKeyBytes;
  for (int i = 0; i < query.keys_size(); ++i) {
    const std::string at = Cat(where, ", key ", i);
    const QueryOperand operand = OperandOf(query.keys(i).operand(), at);
    RefuseGap(operand, at);
    CheckMask(query.keys(i).mask(), operand, at);
    if (end + operand.bytes > most) {
      Refuse(at, "keys of more than ", kMaxQueryKeyBytes, " bytes together, by ",
             end + operand.bytes - most);
    }
    plan.keys.push_back(
        {.operand = operand, .mask = Octets(query.keys(i).mask()), .offset = end, .opposite = 0});
    end += operand.bytes;
  }
  plan.key_bytes = end;
  for (uint32_t i = 0; i < plan.keys.size(); ++i) {
    const uint32_t other = query.keys(static_cast<int>(i)).opposite();
    if (!plan.symmetric) continue;
    if (other >= plan.keys.size() || plan.keys[other].mask.size() != plan.keys[i].mask.size() ||
        query.keys(static_cast<int>(other)).opposite() != i) {
      Refuse(Cat(where, ", key ", i), "its opposite is key ", other,
             ", which is not there, not as wide, or another one's");
    }
    plan.keys[i].opposite = plan.keys[other].offset;
  }
}

void AddValue(const v1::QueryValue& value, QueryPlan& plan, std::string_view where) {
  const QueryOperand operand = OperandOf(value.operand(), where);
  if (!v1::QueryValue::Function_IsValid(value.function())) {
    Refuse(where, "there is no function ", static_cast<int>(value.function()));
  }
  const auto function = static_cast<QueryValue::Function>(value.function());
  CheckMask(value.mask(), operand, where);
  if (operand.bytes > kMaxValueBytes) {
    Refuse(where, "a value of ", operand.bytes, " bytes; at most ", kMaxValueBytes);
  }
  const uint64_t mask = LoadNumber(BytesOf(value.mask()).data(), value.mask().size());
  if (mask == 0) Refuse(where, "a mask without bits");
  const auto shift = static_cast<unsigned>(std::countr_zero(mask));
  const bool summed = function == QueryValue::Function::kSum;
  const unsigned bits = 64U - static_cast<unsigned>(std::countl_zero(mask)) - shift;
  if (summed && operand.fact == QueryOperand::Fact::kNone && bits > kMaxSummedBits) {
    Refuse(where, "the sum of a field of ", bits, " bits; at most ", kMaxSummedBits);
  }
  plan.value = QueryValue{.operand = operand, .mask = mask, .shift = shift, .function = function};
  const auto ports = std::ranges::count(plan.ports, true);
  if (plan.has_gap() && (ports != 1 || plan.transmitted == plan.received)) {
    Refuse(where, "gaps of ", ports, " ports",
           plan.transmitted == plan.received ? " in both directions" : "",
           "; they are of one port and one direction");
  }
}

}  // namespace

QueryPlan ValidateQuery(const v1::Query& query, std::span<const PortLimits> ports) {
  const std::string where = Cat("query ", Quote(query.name()));
  if (query.name().empty() || query.name().size() > kMaxQueryNameBytes) {
    Refuse(where, "a name of ", query.name().size(), " bytes; allowed are 1 to ",
           kMaxQueryNameBytes);
  }
  if (!v1::Capture::Direction_IsValid(query.direction())) {
    Refuse(where, "there is no direction ", static_cast<int>(query.direction()));
  }
  if (query.capacity() < 1 || query.capacity() > kMaxQueryKeys) {
    Refuse(where, "room for ", query.capacity(), " keys; allowed are 1 to ", kMaxQueryKeys);
  }
  if (query.interval_ns() != 0 && query.interval_ns() < kMinIntervalNs) {
    Refuse(where, "intervals of ", query.interval_ns(), " ns; at least ", kMinIntervalNs);
  }
  if (query.foreign() && query.streams_size() > 0) {
    Refuse(where, "streams, and frames of no stream; one of them");
  }
  if (query.tests_size() > kMaxTests) {
    Refuse(where, query.tests_size(), " tests; at most ", kMaxTests);
  }
  QueryPlan plan{.name = query.name(),
                 .ports = std::vector<bool>(ports.size(), query.ports().empty()),
                 .transmitted = query.direction() != v1::Capture::DIRECTION_RECEIVED,
                 .received = query.direction() != v1::Capture::DIRECTION_TRANSMITTED,
                 .streams = {query.streams().begin(), query.streams().end()},
                 .foreign = query.foreign(),
                 .tests = {},
                 .keys = {},
                 .key_bytes = 0,
                 .symmetric = query.symmetric(),
                 .value = {},
                 .capacity = query.capacity(),
                 .interval_ns = query.interval_ns()};
  for (const auto& port : query.ports()) plan.ports[FindPort(port, ports, where)] = true;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (plan.ports[i]) CheckOneQueue(ports[i], "queries", where);
  }
  for (int i = 0; i < query.tests_size(); ++i) {
    plan.tests.push_back(TestOf(query.tests(i), Cat(where, ", test ", i)));
  }
  AddKeys(query, plan, where);
  if (query.has_value()) AddValue(query.value(), plan, Cat(where, ", value"));
  return plan;
}

}  // namespace tester
