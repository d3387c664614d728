// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/events/resets.h"

#include <algorithm>
#include <cstring>

#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester {
namespace {

constexpr size_t kTcpBytes = 20;
constexpr uint8_t kRst = 0x04;
constexpr uint8_t kAck = 0x10;
constexpr uint8_t kUsualTtl = 64;

void SwapBytes(uint8_t* one, uint8_t* other, size_t bytes) {
  std::swap_ranges(one, one + bytes, other);
}

// Sets the checksums, and the length of the IP packet, of a segment without payload.
void Finish(uint8_t* ip, bool ipv4, size_t headers) {
  uint8_t* const tcp = ip + headers;
  const size_t bytes = headers + kTcpBytes;
  uint64_t pseudo = wire::kProtocolTcp + kTcpBytes;
  if (ipv4) {
    wire::Store16(ip + 2, static_cast<uint16_t>(bytes));
    constexpr uint16_t kDoNotCut = 0x4000;
    wire::Store16(ip + 6, static_cast<uint16_t>(wire::Load16(ip + 6) & kDoNotCut));  // it is whole
    wire::Store16(ip + 10, 0);
    wire::Store16(ip + 10, wire::Checksum({ip, headers}));
    pseudo += wire::Sum({ip + 12, 8});
  } else {
    wire::Store16(ip + 4, static_cast<uint16_t>(bytes - wire::kIpv6HeaderBytes));
    pseudo += wire::Sum({ip + 8, 32});
  }
  wire::Store16(tcp + 16, 0);
  wire::Store16(tcp + 16, wire::Checksum({tcp, kTcpBytes}, pseudo));
}

// All of the header but its ports.
void WriteTcp(uint8_t* tcp, uint32_t sequence, uint32_t acknowledgment, uint8_t flags) {
  std::memset(tcp + 4, 0, kTcpBytes - 4);
  wire::Store(tcp + 4, sequence);
  wire::Store(tcp + 8, acknowledgment);
  tcp[12] = kTcpBytes / 4 << 4;
  tcp[13] = flags;
}

}  // namespace

size_t Resets::Make(MutableFrame frame, const Segment& segment, const NumberedFlow* flow,
                    size_t direction) {
  const size_t end = segment.transport + kTcpBytes;
  if (!segment.is_tcp() || segment.resets() || end > frame.size()) return 0;
  if (segment.fragment_header) return 0;  // its receiver would wait for the rest
  const bool acknowledges = (segment.tcp_flags & kAck) != 0;
  const auto acknowledged = wire::Load<uint32_t>(frame.data() + segment.transport + 8);
  Clear();
  if (acknowledges) {
    // The sender has probably received the segments in flight. If it has not, it expects the number
    // that it has acknowledged; if it has, the second answer finds the connection closed.
    const size_t back = 1 - direction;
    if (flow != nullptr && flow->seen[back] && flow->next[back] != acknowledged) {
      AnswerWith(frame, segment,
                 {.sequence = flow->next[back], .acknowledgment = 0, .flags = kRst});
    }
    AnswerWith(frame, segment, {.sequence = acknowledged, .acknowledgment = 0, .flags = kRst});
  } else {
    AnswerWith(frame, segment,
               {.sequence = 0,
                .acknowledgment = segment.sequence + segment.sequence_numbers,
                .flags = kRst | kAck});
  }
  uint8_t* const ip = frame.data() + segment.network;
  const size_t headers = segment.transport - segment.network;
  WriteTcp(ip + headers, segment.sequence, acknowledges ? acknowledged : 0,
           acknowledges ? kRst | kAck : kRst);
  Finish(ip, segment.ip_version == 4, headers);
  const size_t bytes = std::min(frame.size(), std::max(end, wire::kMinFrameBytes));
  std::ranges::fill(frame.subspan(end, bytes - end), uint8_t{0});
  return bytes;
}

void Resets::AnswerWith(Frame frame, const Segment& segment, const Bare& bare) {
  const bool ipv4 = segment.ip_version == 4;
  Answer& answer = answers_[count_++];
  answer.octets.fill(0);
  uint8_t* const ip = answer.octets.data() + segment.network;
  const size_t headers = ipv4 ? wire::kIpv4HeaderBytes : wire::kIpv6HeaderBytes;
  std::memcpy(answer.octets.data(), frame.data(), segment.network + headers);
  SwapBytes(answer.octets.data(), answer.octets.data() + 6, 6);
  if (ipv4) {
    ip[0] = 0x45;
    ip[8] = kUsualTtl;
    SwapBytes(ip + 12, ip + 16, 4);
  } else {
    ip[6] = wire::kProtocolTcp;
    ip[7] = kUsualTtl;
    SwapBytes(ip + 8, ip + 24, 16);
  }
  uint8_t* const tcp = ip + headers;
  std::memcpy(tcp, frame.data() + segment.transport + 2, 2);
  std::memcpy(tcp + 2, frame.data() + segment.transport, 2);
  WriteTcp(tcp, bare.sequence, bare.acknowledgment, bare.flags);
  Finish(ip, ipv4, headers);
  answer.bytes = std::max(segment.network + headers + kTcpBytes, wire::kMinFrameBytes);
}

}  // namespace tester
