// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "wire/header_walk.h"

#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/udp.h"

namespace tester::wire {
namespace {

constexpr uint16_t kEtherTypeMpls = 0x8847;
constexpr uint16_t kEtherTypeMplsMulticast = 0x8848;
constexpr uint16_t kEtherTypeBridged = 0x6558;  // in GRE
constexpr uint8_t kProtocolIpv4 = 4;
constexpr uint8_t kProtocolIpv6 = 41;
constexpr uint8_t kProtocolGre = 47;
constexpr uint8_t kNextHeaderHopByHop = 0;
constexpr uint8_t kNextHeaderRouting = 43;
constexpr uint8_t kNextHeaderOptions = 60;
constexpr uint8_t kProtocolEthernet = 143;  // RFC 8986
constexpr uint16_t kPortVxlan = 4789;
constexpr size_t kMplsBytes = 4;
constexpr size_t kVxlanBytes = 8;
constexpr size_t kTcpBytes = 20;
constexpr size_t kIcmpBytes = 8;
constexpr size_t kAddress6Bytes = 16;

bool IsExtension(uint8_t next) {
  return next == kNextHeaderHopByHop || next == kNextHeaderRouting || next == kNextHeaderOptions;
}

}  // namespace

HeaderWalk::HeaderWalk(Frame frame, size_t end) : frame_(frame) { ReadEthernet(0, end); }

bool HeaderWalk::Add(HeaderKind kind, size_t begin, size_t size) {
  if (header_count_ == kMostHeaders) return false;
  headers_[header_count_++] = {.kind = kind, .at = {.begin = begin, .size = size}};
  return true;
}

void HeaderWalk::Add(const CoveredSum& sum) {
  if (sum_count_ < kMostSums) sums_[sum_count_++] = sum;
}

void HeaderWalk::ReadEthernet(size_t begin, size_t end) {
  const auto ethernet = Ethernet::Parse(frame_.first(end).subspan(begin));
  if (!ethernet || !Add(HeaderKind::kEthernet, begin, ethernet->header_bytes)) return;
  if (begin == 0) tags_ = (ethernet->header_bytes - kMacHeaderBytes) / kVlanTagBytes;
  ReadEtherType(ethernet->type, begin + ethernet->header_bytes, end);
}

void HeaderWalk::ReadEtherType(uint16_t type, size_t begin, size_t end) {
  if (type == kEtherTypeIpv4) ReadIpv4(begin, end);
  if (type == kEtherTypeIpv6) ReadIpv6(begin, end);
  if (type == kEtherTypeMpls || type == kEtherTypeMplsMulticast) ReadMpls(begin, end);
}

void HeaderWalk::ReadMpls(size_t begin, size_t end) {
  for (bool last = false; !last; begin += kMplsBytes) {
    if (!Has(begin, kMplsBytes, end) || !Add(HeaderKind::kMpls, begin, kMplsBytes)) return;
    last = (frame_[begin + 2] & 1) != 0;
  }
  ReadIp(begin, end);
}

// Nothing says which version follows, or whether it is IP (RFC 4928).
void HeaderWalk::ReadIp(size_t begin, size_t end) {
  if (begin >= end) return;
  const uint8_t version = frame_[begin] >> 4;
  if (version == 4) ReadIpv4(begin, end);
  if (version == 6) ReadIpv6(begin, end);
}

void HeaderWalk::ReadIpv4(size_t begin, size_t end) {
  if (!Has(begin, kIpv4HeaderBytes, end)) return Fault(HeaderFault::kIpLength);
  const uint8_t* ip = frame_.data() + begin;
  const size_t header_bytes = static_cast<size_t>(ip[0] & 15) * 4;
  if (ip[0] >> 4 != 4 || header_bytes < kIpv4HeaderBytes || !Has(begin, header_bytes, end)) {
    return Fault(HeaderFault::kIpv4Header);
  }
  if (!Add(HeaderKind::kIpv4, begin, header_bytes)) return;
  Add({.fault = HeaderFault::kIpv4Checksum,
       .offset = begin + 10,
       .may_be_left_out = false,
       .constant = 0,
       .covered = {{{.begin = begin, .size = header_bytes}}}});
  if (ip[8] == 0) Fault(HeaderFault::kTtl);
  const size_t total_bytes = Load16(ip + 2);
  if (begin + total_bytes != end) Fault(HeaderFault::kIpLength);
  if (total_bytes < header_bytes || begin + total_bytes > end) return;
  const bool fragment = (Load16(ip + 6) & 0x3fff) != 0;
  if (fragment) return;
  const PseudoHeader pseudo{.source = {.begin = begin + 12, .size = 8}, .destination = {}};
  ReadProtocol(ip[9], pseudo, begin + header_bytes, begin + total_bytes);
}

void HeaderWalk::ReadIpv6(size_t begin, size_t end) {
  if (!Has(begin, kIpv6HeaderBytes, end)) return Fault(HeaderFault::kIpLength);
  const uint8_t* ip = frame_.data() + begin;
  if (ip[0] >> 4 != 6) return Fault(HeaderFault::kIpv6Header);
  if (!Add(HeaderKind::kIpv6, begin, kIpv6HeaderBytes)) return;
  if (ip[7] == 0) Fault(HeaderFault::kTtl);
  const size_t packet_end = begin + kIpv6HeaderBytes + Load16(ip + 4);
  if (packet_end != end) Fault(HeaderFault::kIpLength);
  if (packet_end > end) return;
  PseudoHeader pseudo{.source = {.begin = begin + 8, .size = kAddress6Bytes},
                      .destination = {.begin = begin + 24, .size = kAddress6Bytes},
                      .v6 = true};
  uint8_t next = ip[6];
  size_t at = begin + kIpv6HeaderBytes;
  while (IsExtension(next)) {
    if (!Has(at, 8, packet_end)) return;
    const uint8_t* extension = frame_.data() + at;
    const size_t bytes = 8 + size_t{extension[1]} * 8;
    if (!Has(at, bytes, packet_end) || !Add(HeaderKind::kIpv6Extension, at, bytes)) return;
    if (next == kNextHeaderRouting && extension[3] != 0) {  // segments left
      // The pseudo header has the last destination (RFC 8200 section 8.1), the first of the
      // segment list (RFC 8754 section 2).
      constexpr uint8_t kSegmentRouting = 4;
      pseudo.known = extension[2] == kSegmentRouting && bytes >= 8 + kAddress6Bytes;
      pseudo.destination.begin = at + 8;
    }
    next = extension[0];
    at += bytes;
  }
  ReadProtocol(next, pseudo, at, packet_end);
}

void HeaderWalk::AddTransport(HeaderFault fault, size_t offset, uint8_t protocol,
                              const PseudoHeader& pseudo, Bytes body) {
  if (!pseudo.known) return;
  Add({.fault = fault,
       .offset = offset,
       .may_be_left_out = protocol == kProtocolUdp,
       .constant = uint64_t{protocol} + body.size,
       .covered = {pseudo.source, pseudo.destination, body}});
}

void HeaderWalk::ReadProtocol(uint8_t protocol, const PseudoHeader& pseudo, size_t begin,
                              size_t end) {
  const Bytes body{.begin = begin, .size = end - begin};
  if (protocol == kProtocolUdp) return ReadUdp(pseudo, begin, end);
  if (protocol == kProtocolGre) return ReadGre(begin, end);
  if (protocol == kProtocolIpv4) return ReadIpv4(begin, end);
  if (protocol == kProtocolIpv6) return ReadIpv6(begin, end);
  if (protocol == kProtocolEthernet) return ReadEthernet(begin, end);
  if (protocol == kProtocolTcp) {
    if (!Has(begin, kTcpBytes, end)) return Fault(HeaderFault::kTcpHeader);
    const size_t header_bytes = static_cast<size_t>(frame_[begin + 12] >> 4) * 4;
    if (header_bytes < kTcpBytes || !Has(begin, header_bytes, end)) {
      Fault(HeaderFault::kTcpHeader);
    } else {
      Add(HeaderKind::kTcp, begin, header_bytes);
    }
    AddTransport(HeaderFault::kTcpChecksum, begin + 16, protocol, pseudo, body);
  }
  if (protocol == (pseudo.v6 ? kNextHeaderIcmp6 : kProtocolIcmp)) {
    if (!Has(begin, kIcmpBytes, end)) return Fault(HeaderFault::kIcmpHeader);
    if (!Add(HeaderKind::kIcmp, begin, kIcmpBytes)) return;
    if (pseudo.v6) {
      AddTransport(HeaderFault::kIcmpChecksum, begin + 2, protocol, pseudo, body);
    } else {
      Add({.fault = HeaderFault::kIcmpChecksum,
           .offset = begin + 2,
           .may_be_left_out = false,
           .constant = 0,
           .covered = {{body}}});
    }
  }
}

void HeaderWalk::ReadUdp(const PseudoHeader& pseudo, size_t begin, size_t end) {
  if (!Has(begin, kUdpHeaderBytes, end)) return Fault(HeaderFault::kUdpLength);
  const uint8_t* udp = frame_.data() + begin;
  if (!Add(HeaderKind::kUdp, begin, kUdpHeaderBytes)) return;
  const size_t bytes = Load16(udp + 4);
  if (begin + bytes != end) Fault(HeaderFault::kUdpLength);
  if (bytes < kUdpHeaderBytes || begin + bytes > end) return;
  AddTransport(HeaderFault::kUdpChecksum, begin + 6, kProtocolUdp, pseudo,
               {.begin = begin, .size = bytes});
  if (Load16(udp + 2) == kPortVxlan) ReadVxlan(begin + kUdpHeaderBytes, begin + bytes);
}

void HeaderWalk::ReadVxlan(size_t begin, size_t end) {
  constexpr uint8_t kHasId = 0x08;  // RFC 7348: all other flags are 0
  if (!Has(begin, kVxlanBytes + kMacHeaderBytes, end) || frame_[begin] != kHasId) return;
  if (Add(HeaderKind::kTunnel, begin, kVxlanBytes)) ReadEthernet(begin + kVxlanBytes, end);
}

void HeaderWalk::ReadGre(size_t begin, size_t end) {
  constexpr uint16_t kChecksum = 0x8000;
  constexpr uint16_t kKey = 0x2000;
  constexpr uint16_t kSequence = 0x1000;
  if (!Has(begin, 4, end)) return;
  const uint16_t flags = Load16(frame_.data() + begin);
  if ((flags & ~(kChecksum | kKey | kSequence)) != 0) return;  // another version, or RFC 1701
  size_t bytes = 4;
  for (const uint16_t flag : {kChecksum, kKey, kSequence}) bytes += (flags & flag) != 0 ? 4U : 0U;
  if (!Has(begin, bytes, end) || !Add(HeaderKind::kTunnel, begin, bytes)) return;
  if ((flags & kChecksum) != 0) {
    Add({.fault = HeaderFault::kTunnelHeader,
         .offset = begin + 4,
         .may_be_left_out = false,
         .constant = 0,
         .covered = {{{.begin = begin, .size = end - begin}}}});
  }
  const uint16_t type = Load16(frame_.data() + begin + 2);
  if (type == kEtherTypeBridged) return ReadEthernet(begin + bytes, end);
  ReadEtherType(type, begin + bytes, end);
}

bool IsRight(const CoveredSum& sum, Frame frame) {
  if (sum.may_be_left_out && Load16(frame.data() + sum.offset) == 0) return true;
  uint64_t total = sum.constant;
  for (const Bytes& bytes : sum.covered) total += Sum(frame.subspan(bytes.begin, bytes.size));
  return Fold(total) == 0xffff;
}

HeaderFaults HeaderWalk::WrongSums() const {
  HeaderFaults wrong = kNoFaults;
  for (const CoveredSum& sum : sums()) {
    if (!IsRight(sum, frame_)) wrong |= BitOf(sum.fault);
  }
  return wrong;
}

HeaderFault HeaderWalk::PartAt(size_t offset) const {
  for (size_t i = header_count_; i-- > 0;) {
    const auto& [kind, at] = headers_[i];
    if (offset < at.begin || offset >= at.end()) continue;
    const size_t byte = offset - at.begin;
    switch (kind) {
      case HeaderKind::kEthernet:
        if (byte < 12) return HeaderFault::kMacAddresses;
        return byte + 2 >= at.size ? HeaderFault::kEtherType : HeaderFault::kVlanTag;
      case HeaderKind::kMpls:
        return HeaderFault::kMpls;
      case HeaderKind::kIpv4:
        if (byte == 2 || byte == 3) return HeaderFault::kIpLength;
        if (byte == 8) return HeaderFault::kTtl;
        if (byte == 9) return HeaderFault::kIpProtocol;
        if (byte == 10 || byte == 11) return HeaderFault::kIpv4Checksum;
        return byte >= 12 && byte < 20 ? HeaderFault::kIpAddresses : HeaderFault::kIpv4Header;
      case HeaderKind::kIpv6:
        if (byte == 4 || byte == 5) return HeaderFault::kIpLength;
        if (byte == 6) return HeaderFault::kIpProtocol;
        if (byte == 7) return HeaderFault::kTtl;
        return byte >= 8 ? HeaderFault::kIpAddresses : HeaderFault::kIpv6Header;
      case HeaderKind::kIpv6Extension:
        return HeaderFault::kIpv6Header;
      case HeaderKind::kUdp:
        if (byte >= 6) return HeaderFault::kUdpChecksum;
        return byte >= 4 ? HeaderFault::kUdpLength : HeaderFault::kUdpPorts;
      case HeaderKind::kTcp:
        return byte == 16 || byte == 17 ? HeaderFault::kTcpChecksum : HeaderFault::kTcpHeader;
      case HeaderKind::kIcmp:
        return byte == 2 || byte == 3 ? HeaderFault::kIcmpChecksum : HeaderFault::kIcmpHeader;
      case HeaderKind::kTunnel:
        return HeaderFault::kTunnelHeader;
    }
  }
  return HeaderFault::kOtherHeader;
}

}  // namespace tester::wire
