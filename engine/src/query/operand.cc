// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "query/operand.h"

#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr size_t kTagBegin = wire::kMacHeaderBytes;  // behind the type that announces it
constexpr size_t kTagBytes = 4;                      // and the type of what follows

QueriedFrame::Fact FactOf(uint64_t number) {
  QueriedFrame::Fact fact;
  wire::Store64(fact.data(), number);
  return fact;
}

// Where a part begins and ends; nothing but an end of 0 where the frame has none.
struct Extent {
  size_t begin = 0;
  size_t end = 0;
};

Extent ExtentOf(const QueryOperand& operand, const QueriedFrame& queried) {
  using Part = QueryOperand::Part;
  const Segment& segment = queried.segment;
  switch (operand.part) {
    case Part::kFrame:
      return {0, queried.frame.size()};
    case Part::kTag:
      if (segment.link_end <= wire::kMacHeaderBytes) return {};
      return {kTagBegin, kTagBegin + kTagBytes};
    case Part::kNetwork:
      if (segment.link_end == 0) return {};
      return {segment.link_end, segment.end};
    case Part::kTransport:
      if (!segment.has_transport()) return {};
      return {segment.transport, segment.end};
    case Part::kPayload:
      if (!segment.has_network() || segment.later_fragment) return {};
      return {segment.payload, segment.end};
  }
  return {};
}

}  // namespace

QueriedFrame::QueriedFrame(Frame whole, uint16_t at_port, uint64_t at_ns)
    : frame(whole),
      segment(Segment::Of(whole)),
      now_ns(at_ns),
      length(FactOf(whole.size() + wire::kFcsBytes)),
      port(FactOf(at_port)) {}

const uint8_t* QueryOperand::Find(const QueriedFrame& queried) const {
  if (fact != Fact::kNone) [[unlikely]] {
    if (fact == Fact::kGap) return nullptr;
    return fact == Fact::kLength ? queried.length.data() : queried.port.data();
  }
  if (ether_type != 0 && ether_type != queried.segment.ether_type) return nullptr;
  if (protocol != 0 && protocol != queried.segment.protocol) return nullptr;
  const auto [begin, end] = ExtentOf(*this, queried);
  return begin + offset + bytes <= end ? queried.frame.data() + begin + offset : nullptr;
}

uint64_t LoadNumber(const uint8_t* from, size_t bytes) {
  switch (bytes) {
    case 1:
      return *from;
    case 2:
      return wire::Load16(from);
    case 4:
      return wire::Load<uint32_t>(from);
    case 8:
      return wire::Load64(from);
    default:
      break;
  }
  uint64_t number = 0;
  for (size_t i = 0; i < bytes; ++i) number = number << 8 | from[i];
  return number;
}

}  // namespace tester
