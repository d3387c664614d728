// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/packet.h"

#include "wire/checksum.h"

namespace tester::machine {
namespace {

constexpr uint32_t kDefaultMss = 536;  // RFC 9293 3.7.1
constexpr uint32_t kMostWscale = 14;   // RFC 7323 2.3: a larger one counts as 14
constexpr size_t kTailBytes = 20;      // of an IPv4 or TCP header without options

struct Reader {
  size_t begin = 0;
  size_t end = 0;
  bool cut = false;     // a length has been read
  bool uneven = false;  // a header ends before the header around it
  size_t trailer = 0;   // bytes of a check behind `end`
};

bool IsAnnounced(const Header& header, const uint8_t* at) {
  for (const Announced& announced : header.announced) {
    if (LoadFrom(at, announced.load) != announced.value) return false;
  }
  return std::all_of(header.wide.begin(), header.wide.end(),
                     [at](const auto& fixed) { return ReadField(fixed.place, at) == fixed.value; });
}

// The bytes of a header that may have options; 0: fewer than it can have.
size_t HeaderBytes(const Header& header, const uint8_t* at) {
  size_t bytes = header.octets;
  if (header.kind == HeaderKind::kIpv4) bytes = static_cast<size_t>(at[0] & 0x0fU) * 4;
  if (header.kind == HeaderKind::kTcp) bytes = static_cast<size_t>(at[12] >> 4) * 4;
  const bool has_tail = header.kind == HeaderKind::kIpv4 || header.kind == HeaderKind::kTcp;
  return has_tail && bytes < kTailBytes ? 0 : bytes;
}

// Checks that hold for every header of a kind.
bool IsSound(HeaderKind kind, const uint8_t* at) {
  if (kind == HeaderKind::kIpv6) return at[0] >> 4 == 6;
  if (kind != HeaderKind::kIpv4) return true;
  constexpr uint16_t kFragment = 0x3fff;  // more fragments, or an offset
  return at[0] >> 4 == 4 && (wire::Load16(at + 6) & kFragment) == 0;
}

Parsed Next(const Header& header, const uint8_t* frame, Reader& reader) {
  const uint8_t* at = frame + reader.begin;
  if (reader.end - reader.begin < header.octets) return Parsed::kForeign;
  if (!IsAnnounced(header, at)) return Parsed::kForeign;
  if (!IsSound(header.kind, at)) return Parsed::kMalformed;
  size_t end = reader.end;
  if (const LengthField length = LengthOf(header.kind); length.offset != 0) {
    end = reader.begin + wire::Load16(at + length.offset) + length.not_counted;
    reader.uneven |= reader.cut && end != reader.end;
    reader.cut = true;
  }
  const size_t bytes = HeaderBytes(header, at);
  if (const size_t trailer = TrailerBytes(header.kind); trailer != 0) {
    if (end < reader.begin + bytes + trailer) return Parsed::kMalformed;
    end -= trailer;
    reader.trailer = trailer;
  }
  if (bytes == 0 || end < reader.begin + bytes || end > reader.end) return Parsed::kMalformed;
  reader.begin += bytes;
  reader.end = end;
  return Parsed::kGood;
}

// All that most segments have (RFC 7323, appendix A).
bool ReadTimestampAlone(const uint8_t* at, const uint8_t* end, PacketFacts& facts) {
  constexpr uint32_t kTwoBlanksAndTimestamp = 0x0101080a;
  if (end - at != 12 || wire::Load<uint32_t>(at) != kTwoBlanksAndTimestamp) return false;
  facts[kHasTimestamp] = 1;
  facts[kTsVal] = wire::Load<uint32_t>(at + 4);
  facts[kTsEcr] = wire::Load<uint32_t>(at + 8);
  return true;
}

void ReadOptions(const uint8_t* at, const uint8_t* end, PacketFacts& facts) {
  while (at < end && *at != 0) {
    if (*at == 1) {
      ++at;
      continue;
    }
    const size_t length = at + 1 < end ? at[1] : 0;
    if (length < 2 || length > static_cast<size_t>(end - at)) return;
    if (*at == 2 && length == 4) facts[kMss] = wire::Load16(at + 2);
    if (*at == 3 && length == 3) {
      facts[kWscale] = std::min<uint32_t>(at[2], kMostWscale);
      facts[kHasWscale] = 1;
    }
    if (*at == 4 && length == 2) facts[kSackPermitted] = 1;
    if (*at == 8 && length == 10) {
      facts[kHasTimestamp] = 1;
      facts[kTsVal] = wire::Load<uint32_t>(at + 2);
      facts[kTsEcr] = wire::Load<uint32_t>(at + 6);
    }
    at += length;
  }
}

void ReadTcp(const uint8_t* header, const uint8_t* end, PacketFacts& facts) {
  facts = {};
  facts[kFin] = header[13] & 1U;
  facts[kSyn] = header[13] >> 1 & 1U;
  facts[kMss] = kDefaultMss;
  const uint8_t* const options = header + kTailBytes;
  if (!ReadTimestampAlone(options, end, facts)) ReadOptions(options, end, facts);
}

// In ones' complement 0 and 0xffff are the same; zeros alone sum up to 0.
bool IsRightSum(uint64_t sum) { return wire::Fold(sum) == 0xffff || sum == 0; }

// In the byte order of the machine; the ones' complement sum does not depend on it.
uint64_t NativePseudoHeaderSum(HeaderKind ip, const uint8_t* header, uint8_t protocol,
                               size_t bytes) {
  const bool v4 = ip == HeaderKind::kIpv4;
  const uint64_t others = uint64_t{protocol} + (bytes >> 16) + (bytes & 0xffff);
  return wire::NativeHeaderSum(header + (v4 ? 12 : 8), v4 ? 8 : 32) +
         wire::SwapToBigEndian(wire::Fold(others));
}

bool IsRight(const Machine& machine, const Packet& packet, size_t index, size_t next, size_t ip) {
  const HeaderKind kind = machine.headers[index].kind;
  const size_t at = packet.headers[index];
  if (kind == HeaderKind::kBth) {
    return wire::HasRightIcrc(packet.frame, packet.headers[ip], packet.headers[index - 1],
                              packet.payload + packet.payload_bytes);
  }
  if (ChecksumOffset(kind) == 0) return true;
  if (kind == HeaderKind::kIpv4) {
    return IsRightSum(wire::NativeHeaderSum(packet.frame + at, next - at));
  }
  const HeaderKind carrier = ip < index ? machine.headers[ip].kind : HeaderKind::kPlain;
  if (kind == HeaderKind::kUdp && wire::Load16(packet.frame + at + 6) == 0) {
    return carrier == HeaderKind::kIpv4;  // RFC 768: none
  }
  const Frame all = Frame(packet.frame, packet.facts[kFrameLength]).subspan(at);
  uint64_t sum = wire::NativeSum(all);
  if (ProtocolOf(kind) != 0 && IsIp(carrier)) {
    sum += NativePseudoHeaderSum(carrier, packet.frame + packet.headers[ip], ProtocolOf(kind),
                                 all.size());
  }
  return IsRightSum(sum);
}

bool HasRightChecksums(const Machine& machine, const Packet& packet) {
  const size_t count = machine.headers.size();
  size_t ip = count;  // the innermost one so far
  for (size_t i = 0; i < count; ++i) {
    const size_t next = i + 1 < count ? packet.headers[i + 1] : packet.payload;
    if (!IsRight(machine, packet, i, next, ip)) return false;
    if (IsIp(machine.headers[i].kind)) ip = i;
  }
  return true;
}

// Parses nearly every segment: TCP over IPv4 without options and without errors. False: anything
// else, which the general parser handles.
bool ParseUsual(const Machine& machine, Frame frame, Packet& packet) {
  constexpr size_t kIp = 14;
  constexpr size_t kTcp = kIp + kTailBytes;
  if (frame.size() < kTcp + kTailBytes || !IsTcpOverIpv4(machine.headers)) return false;
  const uint8_t* const at = frame.data();
  const uint8_t* const ip = at + kIp;
  const uint8_t* const tcp = at + kTcp;
  const size_t end = kIp + wire::Load16(ip + 2);
  const size_t payload = kTcp + static_cast<size_t>(tcp[12] >> 4) * 4;
  if (ip[0] != 0x45 || !IsSound(HeaderKind::kIpv4, ip) || end > frame.size() || payload > end ||
      payload < kTcp + kTailBytes || !IsAnnounced(machine.headers[0], at) ||
      !IsAnnounced(machine.headers[1], ip) || !IsAnnounced(machine.headers[2], tcp)) {
    return false;
  }
  const uint64_t addresses = wire::NativeHeaderSum(ip + 12, 8);
  const uint64_t others = ProtocolOf(HeaderKind::kTcp) + end - kTcp;
  const uint64_t pseudo = addresses + wire::SwapToBigEndian(static_cast<uint16_t>(others));
  if (!IsRightSum(addresses + wire::NativeHeaderSum(ip, 12)) ||
      !IsRightSum(pseudo + wire::NativeSum({tcp, end - kTcp}))) {
    return false;
  }
  packet.frame = at;
  packet.headers[0] = 0;
  packet.headers[1] = kIp;
  packet.headers[2] = kTcp;
  packet.payload = static_cast<uint32_t>(payload);
  packet.payload_bytes = static_cast<uint32_t>(end - payload);
  packet.taken = 0;
  packet.before = 0;
  ReadTcp(tcp, at + payload, packet.facts);
  packet.facts[kPayloadLength] = packet.facts[kPayloadLeft] = packet.payload_bytes;
  packet.facts[kPayloadAhead] = 0;
  packet.facts[kFrameLength] = end;
  return true;
}

}  // namespace

uint64_t PseudoHeaderSum(HeaderKind ip, const uint8_t* header, uint8_t protocol, size_t bytes) {
  return wire::SwapToBigEndian(wire::Fold(NativePseudoHeaderSum(ip, header, protocol, bytes)));
}

Parsed Parse(const Machine& machine, Frame frame, Packet& packet) {
  if (ParseUsual(machine, frame, packet)) return Parsed::kGood;
  Reader reader{.begin = 0, .end = frame.size()};
  packet.frame = frame.data();
  for (size_t i = 0; i < machine.headers.size(); ++i) {
    const Header& header = machine.headers[i];
    packet.headers[i] = static_cast<uint16_t>(reader.begin);
    const Parsed parsed = Next(header, frame.data(), reader);
    if (parsed != Parsed::kGood) return parsed;
    if (i == machine.tcp) {
      ReadTcp(frame.data() + packet.headers[i], frame.data() + reader.begin, packet.facts);
    }
  }
  packet.payload = static_cast<uint32_t>(reader.begin);
  packet.payload_bytes = static_cast<uint32_t>(reader.end - reader.begin);
  packet.taken = 0;
  packet.before = 0;
  packet.facts[kPayloadLength] = packet.facts[kPayloadLeft] = packet.payload_bytes;
  packet.facts[kPayloadAhead] = 0;
  packet.facts[kFrameLength] = reader.end + reader.trailer;
  if (reader.uneven || !HasRightChecksums(machine, packet)) return Parsed::kMalformed;
  return Parsed::kGood;
}

}  // namespace tester::machine
