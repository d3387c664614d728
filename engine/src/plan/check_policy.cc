// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/check_policy.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "base/int128.h"
#include "base/saturate.h"
#include "plan/refuse.h"
#include "plan/validate.h"
#include "policy/frame_addresses.h"
#include "wire/ethernet.h"
#include "wire/signature.h"

namespace tester {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
// The range stands for a longer list of values.
constexpr size_t kMostValues = 4096;

// Bits of a frame that change, and the values they may have.
struct Varied {
  BitSpan bits;
  std::string name;           // "editor 2"
  std::vector<Range> values;  // none: any
};

bool Overlap(const BitSpan& a, const BitSpan& b) { return a.begin < b.end && b.begin < a.end; }

Uint128 MaskOf(uint32_t bits) { return bits >= 128 ? ~Uint128{0} : (Uint128{1} << bits) - 1; }

template <typename Values>
std::vector<Range> EachOf(const Values& values) {
  if (values.size() <= static_cast<int>(kMostValues)) {
    std::vector<Range> each;
    for (const uint64_t value : values) each.push_back({value, value});
    return each;
  }
  const auto [least, most] = std::ranges::minmax_element(values);
  return {{*least, *most}};
}

std::vector<Range> ValuesOf(const v1::Step& step, uint32_t bits) {
  const Uint128 mask = MaskOf(bits);
  if (step.count() <= kMostValues) {
    std::vector<Range> each;
    for (uint64_t i = 0; i < step.count(); ++i) {
      const Uint128 value = (step.first() + i * static_cast<uint64_t>(step.increment())) & mask;
      each.push_back({value, value});
    }
    return each;
  }
  // The magnitude of the increment is right for the lowest one, too.
  const bool falls = step.increment() < 0;
  const Uint128 stride = falls ? Uint128{0} - static_cast<Uint128>(step.increment())
                               : static_cast<Uint128>(step.increment());
  const Uint128 way = stride * (step.count() - 1);  // less than 2^127
  const Uint128 room = falls ? Uint128{step.first()} : mask - step.first();
  if (way > room) return {{0, mask}};  // it wraps
  if (falls) return {{step.first() - way, step.first()}};
  return {{step.first(), step.first() + way}};
}

std::vector<Range> ValuesOf(const v1::Editor& editor) {
  switch (editor.source_case()) {
    case v1::Editor::kStep:
      return ValuesOf(editor.step(), editor.bits());
    case v1::Editor::kValues:
      return EachOf(editor.values().values());
    case v1::Editor::kRandomBits: {
      const uint64_t base = editor.random_bits().base() & ~editor.random_bits().mask();
      return {{base, base | editor.random_bits().mask()}};
    }
    case v1::Editor::kRandomRange: {
      const auto& range = editor.random_range();
      return {{range.first(), range.first() + (range.count() - 1)}};
    }
    case v1::Editor::kDistribution:
      return EachOf(editor.distribution().values());
    case v1::Editor::SOURCE_NOT_SET:
      break;
  }
  return {};
}

// The varied bits of one frame of a valid stream; its signature is at its end.
std::vector<Varied> VariedOf(const v1::Stream& stream, const FramesPlan& contents) {
  std::vector<Varied> varied;
  for (const auto& editor : stream.editors()) {
    varied.push_back({.bits = {editor.bit_offset(), editor.bit_offset() + editor.bits()},
                      .name = Cat("editor ", varied.size()),
                      .values = ValuesOf(editor)});
  }
  size_t index = 0;
  for (const Checksum& checksum : contents.checksums) {
    const auto begin = 8 * checksum.offset;
    varied.push_back({.bits = {begin, static_cast<uint32_t>(begin + 8 * checksum.bytes())},
                      .name = Cat("checksum ", index++),
                      .values = {}});
  }
  if (contents.version) {
    const Field& field = contents.version->field;
    varied.push_back(
        {.bits = {field.bit_offset(), field.bit_end()}, .name = "version", .values = {{0, 1}}});
  }
  return varied;
}

// The addresses of a place for the values of a field in it.
Range AddressesOf(const BitSpan& place, Uint128 address, const BitSpan& field, Range values) {
  const uint32_t begin = std::max(place.begin, field.begin);
  const uint32_t end = std::min(place.end, field.end);
  const uint32_t below = field.end - end;  // bits of the field behind the place
  const uint32_t shift = place.end - end;
  const Uint128 mask = MaskOf(end - begin);
  Range part{values.first >> below, values.last >> below};
  part = (part.first & ~mask) == (part.last & ~mask) ? Range{part.first & mask, part.last & mask}
                                                     : Range{0, mask};
  const Uint128 rest = address & ~(mask << shift);
  return {rest | part.first << shift, rest | part.last << shift};
}

class StreamCheck {
 public:
  StreamCheck(const v1::Stream& stream, const FramesPlan& contents, const AddressRules& rules,
              std::string_view where)
      : contents_(contents), rules_(rules), where_(where), varied_(VariedOf(stream, contents)) {}

  void Check(size_t index) {
    const Frame frame = contents_.frames[index];
    const std::string where = Cat(where_, ", frame ", index);
    const FrameAddresses found = FrameAddresses::Of(frame);
    if (!found.problem().empty()) Refuse(where, found.problem());
    if (found.is_other() && !rules_.AllowsOthers()) Refuse(where, rules_.OthersRefusal(frame));
    for (const BitSpan& structure : found.structure()) {
      for (const Varied& varied : varied_) {
        if (Overlap(structure, varied.bits)) RefuseUnknown(where, varied);
      }
      if (UnderSignature(frame, structure.end)) Refuse(where, "its signature lies in its headers");
    }
    for (const AddressPlace& place : found.places()) {
      if (rules_.Limits(place.family, place.side)) CheckPlace(frame, place, where);
    }
  }

 private:
  bool UnderSignature(Frame frame, uint32_t end) const {
    return contents_.signature && end > 8 * (frame.size() - wire::kSignatureBytes);
  }

  [[noreturn]] static void RefuseUnknown(const std::string& where, const Varied& varied) {
    Refuse(Cat(where, ", ", varied.name), "it changes bits ", varied.bits.begin, " to ",
           varied.bits.end - 1, ", by which the policy of this tester knows where a frame goes");
  }

  void CheckPlace(Frame frame, const AddressPlace& place, const std::string& where) {
    const Uint128 address = place.In(frame);
    if (!seen_.emplace(place.offset, place.family, place.side, address).second) return;
    const BitSpan bits{8 * place.offset,
                       static_cast<uint32_t>(8 * (place.offset + OctetsOf(place.family)))};
    if (UnderSignature(frame, bits.end)) {
      Refuse(where, "its signature lies in its ", place.name);
    }
    std::vector<const Varied*> fields;
    for (const Varied& varied : varied_) {
      if (!Overlap(bits, varied.bits)) continue;
      if (varied.values.empty()) RefuseUnknown(where, varied);
      fields.push_back(&varied);
    }
    if (fields.empty()) {
      CheckRange({address, address}, place, where);
    } else if (fields.size() == 1) {
      for (const Range& values : fields[0]->values) {
        CheckRange(AddressesOf(bits, address, fields[0]->bits, values), place,
                   Cat(where, ", ", fields[0]->name));
      }
    } else {
      CheckRange(OfSeveral(bits, address, fields), place, Cat(where, ", several editors"));
    }
  }

  // From the address with the least value of each field to that with the greatest ones.
  static Range OfSeveral(const BitSpan& bits, Uint128 address,
                         const std::vector<const Varied*>& fields) {
    Range range{address, address};
    for (const Varied* field : fields) {
      const uint32_t end = std::min(bits.end, field->bits.end);
      const uint32_t begin = std::max(bits.begin, field->bits.begin);
      const Uint128 mask = MaskOf(end - begin) << (bits.end - end);
      Range all{~Uint128{0}, 0};
      for (const Range& values : field->values) {
        const Range some = AddressesOf(bits, address, field->bits, values);
        all = {std::min(all.first, some.first & mask), std::max(all.last, some.last & mask)};
      }
      range = {(range.first & ~mask) | all.first, (range.last & ~mask) | all.last};
    }
    return range;
  }

  void CheckRange(Range range, const AddressPlace& place, const std::string& where) const {
    if (const auto wrong = rules_.FirstForbidden(place.family, place.side, range)) {
      Refuse(where, rules_.Refusal(place.name, place.family, place.side, *wrong));
    }
  }

  const FramesPlan& contents_;
  const AddressRules& rules_;
  const std::string_view where_;
  const std::vector<Varied> varied_;
  std::set<std::tuple<uint32_t, Family, Side, Uint128>> seen_;
};

Range RangeOf(const machine::Address& address) {
  const Uint128 way = Uint128{address.step} * (address.count - 1);
  const Uint128 high = address.first >> 64 << 64;
  if (way > UINT64_MAX - static_cast<uint64_t>(address.first)) return {high, high | UINT64_MAX};
  return {address.first, address.first + way};
}

void CheckAddresses(const AddressRules& rules, Family family, Side side, std::string_view name,
                    const machine::Address& address, std::string_view where) {
  if (const auto wrong = rules.FirstForbidden(family, side, RangeOf(address))) {
    Refuse(where, rules.Refusal(name, family, side, *wrong));
  }
}

double MeanBytes(const FramesPlan& contents) {
  double packets = 0;
  double bytes = 0;
  const auto add = [&](uint16_t frame, uint64_t count) {
    packets += static_cast<double>(count);
    bytes += static_cast<double>(count) * static_cast<double>(contents.frames[frame].size());
  };
  for (const OrderRun& run : contents.order) add(run.frame, run.packets);
  if (contents.order.empty()) {
    for (size_t i = 0; i < contents.frames.size(); ++i) add(static_cast<uint16_t>(i), 1);
  }
  return bytes / packets;
}

// With the times of the file, its mean rate.
uint64_t PacketsOf(const ReplayPlan& replay) {
  if (replay.rate) return DueBefore(*replay.rate, kSecondNs);
  const uint64_t run_ns = std::max<uint64_t>(replay.RunNs(), 1);
  return Saturate(Uint128{replay.summary.frames} * std::max(kSecondNs, run_ns) / run_ns);
}

}  // namespace

const AddressRules* LimitedAddresses(const PortLimits& port) {
  return port.policy != nullptr && port.policy->addresses.LimitsAny() ? &port.policy->addresses
                                                                      : nullptr;
}

void CheckFrameAllowed(Frame frame, const PortLimits& port, std::string_view where) {
  const AddressRules* rules = LimitedAddresses(port);
  if (rules == nullptr) return;
  const std::string objection = rules->Objection(frame);
  if (!objection.empty()) Refuse(where, objection);
}

void CheckStreamAllowed(const v1::Stream& stream, const StreamPlan& plan, const PortLimits& port,
                        std::string_view where) {
  const AddressRules* rules = LimitedAddresses(port);
  if (rules == nullptr || plan.replay) return;
  StreamCheck check(stream, plan.contents, *rules, where);
  for (size_t i = 0; i < plan.contents.frames.size(); ++i) check.Check(i);
}

void CheckNeighbourAllowed(Frame address, const Mac& mac, const PortLimits& port,
                           std::string_view where) {
  const AddressRules* rules = LimitedAddresses(port);
  if (rules == nullptr) return;
  const auto check = [&](Family family, Frame bytes, std::string_view name) {
    Uint128 value = 0;
    for (const uint8_t byte : bytes) value = value << 8 | byte;
    if (rules->FirstForbidden(family, Side::kSource, {value, value})) {
      Refuse(where, rules->Refusal(name, family, Side::kSource, value));
    }
  };
  check(address.size() == 4 ? Family::kIpv4 : Family::kIpv6, address, "address");
  check(Family::kMac, mac, "MAC address");
}

void CheckOpeningAllowed(const machine::ResponderPlan& plan, const PortLimits& port,
                         std::string_view where) {
  const AddressRules* rules = LimitedAddresses(port);
  if (rules == nullptr) return;
  const machine::Opening& opening = *plan.opening;
  CheckAddresses(*rules, Family::kMac, Side::kSource, "source MAC address", opening.source_mac,
                 where);
  CheckAddresses(*rules, Family::kMac, Side::kDestination, "destination MAC address",
                 opening.destination_mac, where);
  const auto& headers = plan.machine.headers;
  const auto outermost = std::ranges::find_if(headers, [](const machine::Header& header) {
    return header.kind == machine::HeaderKind::kIpv4 || header.kind == machine::HeaderKind::kIpv6;
  });
  if (outermost == headers.end()) return;
  const bool is_ipv4 = outermost->kind == machine::HeaderKind::kIpv4;
  const Family family = is_ipv4 ? Family::kIpv4 : Family::kIpv6;
  const size_t source = size_t{8} * (is_ipv4 ? 12 : 8);  // bits before it in the header
  const size_t bits = 8 * OctetsOf(family);
  for (size_t i = 0; i < plan.machine.flow.size(); ++i) {
    const machine::FieldPlace& place = plan.machine.flow[i].place;
    if (place.header != outermost - headers.begin() || place.bits != bits) continue;
    const bool is_source = place.offset == source;
    if (!is_source && place.offset != source + bits) continue;
    CheckAddresses(*rules, family, is_source ? Side::kSource : Side::kDestination,
                   is_source ? "source address" : "destination address", opening.addresses[i],
                   Cat(where, ", address ", i));
  }
}

void CheckPathAllowed(const PortLimits& port, std::string_view where) {
  if (LimitedAddresses(port) == nullptr || port.policy->paths) return;
  Refuse(where,
         "a path forwards whatever others send, to any address; the policy of this tester allows "
         "that only with `paths allow`");
}

Offered OfferedBy(const StreamPlan& plan, const PortLimits& port) {
  if (port.policy == nullptr || !port.policy->RateOf(port.name).any()) return {};
  const uint64_t packets =
      plan.replay ? PacketsOf(*plan.replay) : plan.departures->MostDue(kSecondNs);
  const double bytes = plan.replay ? static_cast<double>(plan.replay->summary.bytes) /
                                         static_cast<double>(plan.replay->summary.frames)
                                   : MeanBytes(plan.contents);
  constexpr double kBits = 8;
  return {.packets = packets,
          .bits = static_cast<double>(packets) * kBits * (bytes + wire::kFcsBytes)};
}

void RateSums::Add(const StreamPlan& stream) {
  if (!stream.sent_here()) return;
  Offered& sum = sums_[stream.tx_port];
  sum.packets = AddSaturating(sum.packets, stream.offered.packets);
  sum.bits += stream.offered.bits;
}

void RateSums::Check(std::string_view where) const {
  for (size_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].policy == nullptr) continue;
    const RateLimit limit = ports_[i].policy->RateOf(ports_[i].name);
    const auto refuse = [&](const auto& rate, uint64_t most, std::string_view unit) {
      throw Error(
          Code::kResourceExhausted,
          Cat(where, ": port ", Quote(ports_[i].name), " would send up to ", rate, " ", unit,
              " with all that is loaded; the policy of this tester allows ", most, " ", unit));
    };
    const Offered& sum = sums_[i];
    if (limit.packets && sum.packets > *limit.packets) refuse(sum.packets, *limit.packets, "pps");
    if (limit.bits && sum.bits > static_cast<double>(*limit.bits)) {
      refuse(static_cast<uint64_t>(sum.bits), *limit.bits, "bps");
    }
  }
}

}  // namespace tester
