// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/paths/validate_event.h"

#include <algorithm>
#include <array>
#include <string>

#include "plan/refuse.h"
#include "plan/validate.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr uint32_t kMostNumberedFlows = 65'536;
constexpr uint32_t kMostIterations = 65'535;
constexpr size_t kMostPatternBytes = 1 << 20;
constexpr uint32_t kMostFrameBytes = 65'535;
constexpr uint32_t kMostReorderFrames = 65'535;
constexpr uint64_t kMostRewrittenBytes = 64;
constexpr uint64_t kLongestBlackholeNs = 3'600'000'000'000;
// An interface takes milliseconds to go down.
constexpr uint64_t kShortestLinkDownNs = 10'000'000;

ByPattern ValidatePattern(std::string_view pattern, std::string_view where) {
  CheckRange(where, "bytes of the pattern:", pattern.size(), 1, kMostPatternBytes);
  const Frame bytes = BytesOf(pattern);
  if (std::ranges::any_of(bytes, [](uint8_t byte) { return byte > 1; }) ||
      std::ranges::find(bytes, 1) == bytes.end()) {
    Refuse(where, "a pattern has bytes of 0 and 1, one of which is 1");
  }
  return {.selects = {bytes.begin(), bytes.end()}};
}

Selection ValidateSelection(const v1::Event& event, std::string_view where) {
  const bool one =
      event.select_case() == v1::Event::kNumber || event.select_case() == v1::Event::kCarried;
  if (!one && event.iteration() != 0) {
    Refuse(where, "an iteration without a number: only a numbered packet is known again");
  }
  switch (event.select_case()) {
    case v1::Event::kNumber:
      CheckRange(where, "number", event.number(), 1, UINT64_MAX);
      CheckRange(where, "iteration", event.iteration(), 1, kMostIterations);
      return ByNumber{.number = event.number(), .iteration = event.iteration()};
    case v1::Event::kEvery:
      CheckRange(where, "every", event.every(), 1, UINT64_MAX);
      return ByEvery{.packets = event.every()};
    case v1::Event::kRatio:
      CheckRange(where, "threshold", event.ratio().threshold(), 1, UINT64_MAX);
      return ByRatio{.seed = event.ratio().seed(), .threshold = event.ratio().threshold()};
    case v1::Event::kCarried:
      CheckRange(where, "flow", event.flow(), 1, kMostNumberedFlows);
      CheckRange(where, "iteration", event.iteration(), 1, kMostIterations);
      return ByCarried{.sequence = event.carried().sequence(),
                       .from_start = event.carried().from_start(),
                       .iteration = event.iteration()};
    case v1::Event::kPattern:
      return ValidatePattern(event.pattern(), where);
    case v1::Event::SELECT_NOT_SET:
      break;
  }
  Refuse(where, "it selects no packet; give number, every, ratio, carried or pattern");
}

RewritePacket ValidateRewrite(const v1::RewriteBits& rewrite, std::string_view where) {
  CheckRange(where, "part", static_cast<uint64_t>(rewrite.part()), 0, v1::Corrupt::PART_FRAME);
  CheckRange(where, "bytes of the mask:", rewrite.mask().size(), 1, kMostRewrittenBytes);
  CheckRange(where, "offset", rewrite.offset(), 0, kMostFrameBytes - rewrite.mask().size());
  CheckRange(where, "protocol", rewrite.protocol(), 0, UINT8_MAX);
  const uint32_t version = rewrite.ip_version();
  if (version != 0 && version != 4 && version != 6) {
    Refuse(where, "ip_version ", version, "; give 4, 6 or none");
  }
  if (rewrite.value().size() != rewrite.mask().size()) {
    Refuse(where, "a value of ", rewrite.value().size(), " bytes under a mask of ",
           rewrite.mask().size(), "; give as many");
  }
  const Frame mask = BytesOf(rewrite.mask());
  const Frame value = BytesOf(rewrite.value());
  for (size_t i = 0; i < mask.size(); ++i) {
    if ((value[i] & ~mask[i]) != 0) Refuse(where, "bits of the value are not under the mask");
  }
  return {.part = static_cast<Part>(rewrite.part()),
          .ip_version = static_cast<uint8_t>(version),
          .protocol = static_cast<uint8_t>(rewrite.protocol()),
          .offset = rewrite.offset(),
          .mask = {mask.begin(), mask.end()},
          .value = {value.begin(), value.end()},
          .repair = rewrite.repair()};
}

TakeLinkDown ValidateLinkDown(const v1::LinkDown& down, const PathPlan& path,
                              std::span<const PortLimits> ports, std::string_view where) {
  CheckRange(where, "duration_ns", down.duration_ns(), kShortestLinkDownNs, kLongestBlackholeNs);
  if (!path.beside.empty()) {
    Refuse(where,
           "a path with several ports at its first end has no link that could be taken down for "
           "all of "
           "them; use a blackhole of both ways");
  }
  TakeLinkDown plan{.duration_ns = down.duration_ns(), .ports = {}};
  const std::array ends{path.first_port, path.second_port};
  for (const auto& name : down.ports()) {
    const auto end = std::ranges::find(ends, name, [&](uint16_t port) { return ports[port].name; });
    if (end == ends.end()) {
      Refuse(where, "port ", Quote(name), " is none of its path; there are ",
             Quote(ports[ends[0]].name), " and ", Quote(ports[ends[1]].name));
    }
    plan.ports[static_cast<size_t>(end - ends.begin())] = true;
  }
  if (down.ports().empty()) plan.ports.fill(true);
  for (size_t i = 0; i < ends.size(); ++i) {
    const PortLimits& port = ports[ends[i]];
    if (!plan.ports[i] || !port.interface.empty()) continue;
    Refuse(
        where, "port ", Quote(port.name),
        " has no interface of the kernel, whose link could be taken down; name ports that have one "
        "(iface:, af_xdp:, af_packet:), or use a blackhole of both ways");
  }
  return plan;
}

PacketAction ValidateAction(const v1::Event& event, const PathPlan& path,
                            std::span<const PortLimits> ports, std::string_view where) {
  switch (event.action_case()) {
    case v1::Event::kDrop:
      return DropPacket{};
    case v1::Event::kMarkCe:
      return MarkPacket{};
    case v1::Event::kCorrupt: {
      const auto& corrupt = event.corrupt();
      CheckRange(where, "part", static_cast<uint64_t>(corrupt.part()), 0, v1::Corrupt::PART_FRAME);
      CheckRange(where, "bit", corrupt.bit(), 0, kMostFrameBytes * 8 - 1);
      return CorruptPacket{.part = static_cast<Part>(corrupt.part()),
                           .bit = corrupt.bit(),
                           .repair = corrupt.repair()};
    }
    case v1::Event::kDuplicate:
      return DuplicatePacket{};
    case v1::Event::kTruncate:
      CheckRange(where, "bytes", event.truncate().bytes(), wire::kMinFrameBytes, kMostFrameBytes);
      return TruncatePacket{.bytes = event.truncate().bytes()};
    case v1::Event::kDelay:
      CheckRange(where, "delay_ns", event.delay().delay_ns(), 1, kMostDelayNs);
      return DelayPacket{.delay_ns = event.delay().delay_ns(),
                         .overtaken = event.delay().overtaken()};
    case v1::Event::kReorder:
      CheckRange(where, "frames", event.reorder().frames(), 1, kMostReorderFrames);
      CheckRange(where, "limit_ns", event.reorder().limit_ns(), 1, kMostDelayNs);
      return ReorderPacket{.frames = event.reorder().frames(),
                           .limit_ns = event.reorder().limit_ns()};
    case v1::Event::kRewrite:
      return ValidateRewrite(event.rewrite(), where);
    case v1::Event::kBlackhole:
      CheckRange(where, "duration_ns", event.blackhole().duration_ns(), 1, kLongestBlackholeNs);
      return BlackholePath{.duration_ns = event.blackhole().duration_ns(),
                           .flow_only = event.blackhole().flow_only(),
                           .both_ways = event.blackhole().both_ways()};
    case v1::Event::kLinkDown:
      return ValidateLinkDown(event.link_down(), path, ports, where);
    case v1::Event::kReset:
      return ResetConnection{};
    case v1::Event::ACTION_NOT_SET:
      break;
  }
  Refuse(where, "nothing happens; give an action");
}

}  // namespace

EventPlan ValidateEvent(const v1::Event& event, const PathPlan& path,
                        std::span<const PortLimits> ports, std::string_view path_where) {
  const std::string where = Cat(path_where, ", event ", Quote(event.name()));
  const size_t watches = path.watches.size();
  CheckRange(where, "bytes of the name:", event.name().size(), 1, kMaxJobNameBytes);
  if (event.watch() >= watches) {
    Refuse(where, "watch ", event.watch(), " of ", watches, "; they are numbered from 0");
  }
  CheckRange(where, "heading", static_cast<uint64_t>(event.heading()), 0,
             v1::Event::HEADING_BACKWARD);
  CheckRange(where, "flow", event.flow(), 0, kMostNumberedFlows);
  return {.name = event.name(),
          .watch = event.watch(),
          .heading = static_cast<Heading>(event.heading()),
          .flow = event.flow(),
          .data_only = event.data_only(),
          .selection = ValidateSelection(event, where),
          .action = ValidateAction(event, path, ports, where)};
}

}  // namespace tester
