// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The parts of checksums that are known before a frame is sent (RFC 1071: a sum is the sum of its
// parts'). In a template of TCP over IPv4 these are all words that do not change; in a message, the
// bytes that fill it.
#include <algorithm>
#include <span>

#include "plan/protocol/protocol_compiler.h"
#include "responder/packet.h"
#include "wire/checksum.h"

namespace tester {
namespace {

using machine::HeaderKind;

constexpr size_t kMacAddressBytes = 12;
constexpr size_t kIpLengthAt = 2;
constexpr size_t kIpBytes = 20;
constexpr size_t kTcpOffsetAt = 12;

// The bytes of a frame that are not the template's; false where two things would set the same one,
// or something else than a word.
class Changing {
 public:
  explicit Changing(size_t bytes) : taken_(bytes) {}

  bool Take(size_t at, size_t bytes) {
    if (at % 2 != 0 || at + bytes > taken_.size()) return false;
    for (size_t i = at; i < at + bytes; ++i) {
      if (taken_[i]) return false;
      taken_[i] = true;
    }
    return true;
  }
  bool TakeWord(const machine::FieldPlace& place, size_t header) {
    if (!place.aligned() || (place.bits != 16 && place.bits != 32)) return false;
    return Take(header + place.first(), place.bytes());
  }
  void Clear(std::span<uint8_t> octets) const {
    for (size_t i = 0; i < octets.size(); ++i) {
      if (taken_[i]) octets[i] = 0;
    }
  }

 private:
  std::vector<bool> taken_;
};

// Marks the changing bytes of a template without options.
bool Mark(const machine::FrameTemplate& frame, Changing& changing) {
  const size_t ip = frame.headers[1].offset;
  const size_t tcp = frame.headers[2].offset;
  bool sound = changing.Take(0, kMacAddressBytes) && changing.Take(ip + kIpLengthAt, 2) &&
               changing.Take(ip + machine::ChecksumOffset(HeaderKind::kIpv4), 2) &&
               changing.Take(tcp + machine::ChecksumOffset(HeaderKind::kTcp), 2);
  for (const auto& value : frame.flow) {
    // The addresses of IPv4 are part of both sums.
    const bool address =
        value.place.header == 1 && value.place.first() >= 12 && value.place.bits == 32;
    sound = sound && (address || value.place.header == 2) &&
            changing.TakeWord(value.place, frame.headers[value.place.header].offset);
  }
  for (const auto& edit : frame.edits) {
    sound = sound && edit.place.header == 2 && changing.TakeWord(edit.place, tcp);
  }
  // The length of its header is in the template.
  return sound && changing.Take(tcp + kTcpOffsetAt, 2);
}

void SumLaid(const Changing& changing, machine::LaidTemplate& laid) {
  const size_t ip = laid.headers[1].offset;
  const size_t tcp = laid.headers[2].offset;
  const uint16_t offset_and_flags = wire::Load16(&laid.octets[tcp + kTcpOffsetAt]);
  // Options come behind all that changes.
  changing.Clear(std::span(laid.octets).first(tcp + kIpBytes));
  constexpr uint16_t kFlags = 0x0fff;
  const size_t words = laid.headers[2].octets / 4U;
  wire::Store16(&laid.octets[tcp + kTcpOffsetAt],
                static_cast<uint16_t>((offset_and_flags & kFlags) | words << 12));
  laid.octets[ip] = static_cast<uint8_t>((laid.octets[ip] & 0xf0U) | kIpBytes / 4);
  laid.ip_sum = wire::Fold(wire::Sum(std::span(laid.octets).subspan(ip, kIpBytes)));
  laid.tcp_sum = wire::Fold(wire::Sum(std::span(laid.octets).subspan(tcp)) +
                            machine::ProtocolOf(HeaderKind::kTcp));
}

}  // namespace

void SumTemplate(machine::FrameTemplate& frame) {
  if (!machine::IsTcpOverIpv4(frame.headers) || frame.headers[1].octets != kIpBytes) return;
  if (frame.body != machine::kNone) return;
  Changing changing(frame.octets.size());
  if (!Mark(frame, changing)) return;
  for (auto& laid : frame.laid) SumLaid(changing, laid);
  frame.summed = true;
}

void SumFill(machine::TableMessage& message) {
  uint64_t sum = 0;
  message.fill_sums.push_back(0);
  for (size_t i = 0; i < message.fill.size(); ++i) {
    sum += static_cast<uint64_t>(message.fill[i]) << (i % 2 == 0 ? 8 : 0);
    message.fill_sums.push_back(wire::Fold(sum));
  }
}

}  // namespace tester
