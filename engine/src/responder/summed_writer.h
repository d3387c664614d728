// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of templates with a precomputed sum (FrameTemplate::summed): whoever sets a word adds it
// to the sum, so that no written byte is read again.
#pragma once

#include <cstdint>
#include <cstring>

#include "responder/frame_writer.h"
#include "responder/machine/context.h"
#include "wire/bytes.h"
#include "wire/checksum.h"

namespace tester::machine {

struct Sums {
  uint64_t addresses = 0;  // in both checksums
  uint64_t tcp = 0;
};

// Sets a number of 16 or 32 bits. Returns its contribution to a sum.
inline uint64_t SetWord(uint8_t* to, uint32_t bits, uint64_t value) {
  if (bits == 32) {
    wire::Store(to, static_cast<uint32_t>(value));
    return static_cast<uint32_t>(value);
  }
  wire::Store16(to, static_cast<uint16_t>(value));
  return static_cast<uint16_t>(value);
}

// A word of the flow's key, where it is.
inline uint64_t SetKeyWord(uint8_t* to, uint32_t bits, const uint8_t* key) {
  return SetWord(to, bits, bits == 32 ? wire::Load<uint32_t>(key) : wire::Load16(key));
}

// Sets the values of an option that is laid out. Returns their contribution to a sum.
inline uint64_t SetOption(OptionKind kind, uint64_t first, uint64_t second, uint8_t* to) {
  switch (kind) {
    case OptionKind::kMss:
      return SetWord(to + 2, 16, first);
    case OptionKind::kWindowScale:
      to[3] = static_cast<uint8_t>(first);
      return to[3];
    case OptionKind::kSackPermitted:
      return 0;
    case OptionKind::kTimestamp:
    case OptionKind::kSack:
      break;
  }
  return SetWord(to + 4, 32, first) + SetWord(to + 8, 32, second);
}

// `ip` and `tcp`: offsets of these headers. `set(sums)` sets the changing words.
template <typename Set>
size_t WriteSummed(const LaidTemplate& laid, size_t ip, size_t tcp, const Context& context,
                   const Piece& piece, uint8_t* to, Set set) {
  const size_t header_bytes = laid.octets.size();
  const size_t end = header_bytes + piece.bytes;
  std::memcpy(to, laid.octets.data(), header_bytes);
  const Link& link = context.identity->link;
  std::memcpy(to, link.data(), link.size());
  Sums sums;
  set(sums);
  if (piece.message != nullptr) {
    sums.tcp += WriteMessage(*piece.message, context, piece.offset, piece.bytes, to + header_bytes);
  }
  const uint64_t ip_bytes = SetWord(to + ip + 2, 16, end - ip);
  const uint64_t ip_sum = laid.ip_sum + sums.addresses + ip_bytes;
  const uint64_t tcp_sum = laid.tcp_sum + sums.tcp + sums.addresses + (end - tcp);
  const auto checksum = [](uint64_t sum) { return static_cast<uint16_t>(~wire::Fold(sum)); };
  wire::Store16(to + ip + ChecksumOffset(HeaderKind::kIpv4), checksum(ip_sum));
  wire::Store16(to + tcp + ChecksumOffset(HeaderKind::kTcp), checksum(tcp_sum));
  return end;
}

}  // namespace tester::machine
