// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/frame_writer.h"

#include <cstring>

#include "responder/narrow.h"
#include "wire/checksum.h"

namespace tester::machine {
namespace {

// One header of a frame that is being written.
struct Written {
  HeaderKind kind;
  uint16_t offset;
  uint16_t octets;  // options included
};

using Headers = std::array<Written, kMaxHeaders>;

void SetLengths(const Written& header, uint8_t* frame, size_t end) {
  uint8_t* at = frame + header.offset;
  const size_t words = header.octets / 4U;
  if (header.kind == HeaderKind::kIpv4) at[0] = static_cast<uint8_t>((at[0] & 0xf0U) | words);
  if (header.kind == HeaderKind::kTcp) at[12] = static_cast<uint8_t>((at[12] & 0x0fU) | words << 4);
  if (const LengthField length = LengthOf(header.kind); length.offset != 0) {
    const size_t bytes = end - header.offset - length.not_counted;
    wire::Store16(at + length.offset, static_cast<uint16_t>(bytes));
  }
}

// `ip`: the header that carries it; null: none.
void SetChecksum(const Written& header, const Written* ip, uint8_t* frame, size_t end) {
  const size_t offset = ChecksumOffset(header.kind);
  if (offset == 0) return;
  uint8_t* at = frame + header.offset;
  const bool udp = header.kind == HeaderKind::kUdp;
  const bool over_ipv4 = ip != nullptr && ip->kind == HeaderKind::kIpv4;
  if (udp && over_ipv4 && wire::Load16(at + offset) == 0) return;  // RFC 768: none
  wire::Store16(at + offset, 0);
  const size_t bytes = header.kind == HeaderKind::kIpv4 ? header.octets : end - header.offset;
  uint64_t sum = wire::Sum({at, bytes});
  if (const uint8_t protocol = ProtocolOf(header.kind); protocol != 0 && ip != nullptr) {
    sum += PseudoHeaderSum(ip->kind, frame + ip->offset, protocol, bytes);
  }
  const auto checksum = static_cast<uint16_t>(~wire::Fold(sum));
  wire::Store16(at + offset, udp && checksum == 0 ? 0xffff : checksum);
}

// From the innermost header outwards.
void Finish(const Headers& headers, size_t count, uint8_t* frame, size_t end) {
  for (size_t i = count; i-- > 0;) {
    const Written* ip = nullptr;
    for (size_t below = i; below-- > 0 && ip == nullptr;) {
      if (IsIp(headers[below].kind)) ip = &headers[below];
    }
    SetLengths(headers[i], frame, end);
    SetChecksum(headers[i], ip, frame, end);
  }
}

size_t OptionBytes(OptionKind kind) {
  return kind == OptionKind::kTimestamp || kind == OptionKind::kSack ? 12 : 4;
}

// With no-operations before it, RFC 9293 3.2, RFC 7323 and RFC 2018.
void WriteOption(const Option& option, const Context& context, size_t table, uint8_t* to) {
  const auto value = [&](size_t which) {
    return static_cast<uint32_t>(
        Value(context.machine->expressions[option.values[which]], context, table));
  };
  switch (option.kind) {
    case OptionKind::kMss:
      wire::Store<uint32_t>(to, 0x02040000 | (value(0) & 0xffff));
      return;
    case OptionKind::kWindowScale:
      wire::Store<uint32_t>(to, 0x01030300 | (value(0) & 0xff));
      return;
    case OptionKind::kSackPermitted:
      wire::Store<uint32_t>(to, 0x01010402);
      return;
    case OptionKind::kTimestamp:
    case OptionKind::kSack:
      wire::Store<uint32_t>(to, option.kind == OptionKind::kSack ? 0x0101050a : 0x0101080a);
      wire::Store<uint32_t>(to + 4, value(0));
      wire::Store<uint32_t>(to + 8, value(1));
  }
}

bool IsThere(const Option& option, const Context& context) {
  const auto& registers = context.machine->registers;
  return option.only_if == kNone || registers[option.only_if].GetWide(context.state) != 0;
}

size_t OptionsBytes(const FrameTemplate& frame, const Context& context) {
  size_t bytes = 0;
  for (const Option& option : frame.options) {
    if (IsThere(option, context)) bytes += OptionBytes(option.kind);
  }
  return bytes;
}

// Where the template's headers are in the frame, the options being `options` bytes.
size_t Lay(const FrameTemplate& frame, size_t options, Headers& headers) {
  for (size_t i = 0; i < frame.headers.size(); ++i) {
    const FrameHeader& own = frame.headers[i];
    const size_t shift = frame.tcp != kNone && i > frame.tcp ? options : 0;
    const size_t longer = i == frame.tcp ? options : 0;
    headers[i] = {.kind = own.kind,
                  .offset = static_cast<uint16_t>(own.offset + shift),
                  .octets = static_cast<uint16_t>(own.octets + longer)};
  }
  return frame.headers.size();
}

void CopyTemplate(const FrameTemplate& frame, const Context& context, size_t table, size_t options,
                  uint8_t* to) {
  if (options == 0) {
    std::memcpy(to, frame.octets.data(), frame.octets.size());
    return;
  }
  const FrameHeader& tcp = frame.headers[frame.tcp];
  const size_t begin = tcp.offset + size_t{tcp.octets};
  std::memcpy(to, frame.octets.data(), begin);
  uint8_t* at = to + begin;
  for (const Option& option : frame.options) {
    if (!IsThere(option, context)) continue;
    WriteOption(option, context, table, at);
    at += OptionBytes(option.kind);
  }
  std::memcpy(at, frame.octets.data() + begin, frame.octets.size() - begin);
}

void SetAddresses(const FrameTemplate& frame, const Context& context, const Headers& headers,
                  uint8_t* to) {
  const Identity& flow = *context.identity;
  for (const FlowValue& own : frame.flow) {
    const FlowField& field = context.machine->flow[own.flow];
    const uint8_t* value = flow.key.data() + field.key_offset;
    uint8_t* header = to + headers[own.place.header].offset;
    if (own.place.aligned()) {
      std::memcpy(header + own.place.first(), value, field.bytes());
      continue;
    }
    const Place whole{.header = 0, .bits = static_cast<uint8_t>(field.bytes() * 8), .offset = 0};
    WritePlace(own.place, ReadPlace(whole, value), header);
  }
  std::memcpy(to, flow.link.data(), flow.link.size());
}

void SetField(const Place& place, const Expression& expression, const Context& context,
              size_t table, uint8_t* header) {
  uint8_t* at = header + place.first();
  if (!expression.wide && place.aligned() && place.bits == 32) {
    wire::Store(at, static_cast<uint32_t>(NarrowValue(expression, context, table)));
  } else if (!expression.wide && place.aligned() && place.bits == 16) {
    wire::Store16(at, static_cast<uint16_t>(NarrowValue(expression, context, table)));
  } else {
    WritePlace(place, static_cast<UnsignedWide>(Value(expression, context, table)), header);
  }
}

}  // namespace

size_t WriteTemplate(const FrameTemplate& frame, const Context& context, size_t table,
                     const Piece& piece, size_t most, uint8_t* to) {
  const size_t options = OptionsBytes(frame, context);
  const size_t own = frame.octets.size() + options;
  if (own + piece.bytes > most) return 0;
  Headers headers;
  const size_t count = Lay(frame, options, headers);
  CopyTemplate(frame, context, table, options, to);
  SetAddresses(frame, context, headers, to);
  for (const Edit& edit : frame.edits) {
    SetField(edit.place, context.machine->expressions[edit.expression], context, table,
             to + headers[edit.place.header].offset);
  }
  if (piece.message != nullptr) {
    WriteMessage(*piece.message, context, piece.offset, piece.bytes, to + own);
  }
  Finish(headers, count, to, own + piece.bytes);
  return own + piece.bytes;
}

size_t WriteReply(const Reply& reply, const Context& context, size_t table, size_t most,
                  uint8_t* to) {
  const Machine& machine = *context.machine;
  const Packet& packet = *context.packet;
  size_t keep = packet.payload_bytes;
  if (reply.keep != kNone) {
    const int64_t wanted = Clamped(machine.expressions[reply.keep], context, table);
    keep = static_cast<size_t>(std::clamp<int64_t>(wanted, 0, packet.payload_bytes));
  }
  const size_t bytes = packet.payload + keep + reply.append.size();
  if (bytes > most) return 0;
  std::memcpy(to, packet.frame, packet.payload + keep);
  if (!reply.append.empty()) {
    std::memcpy(to + packet.payload + keep, reply.append.data(), reply.append.size());
  }
  Headers headers;
  const size_t count = machine.headers.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t next = i + 1 < count ? packet.headers[i + 1] : packet.payload;
    headers[i] = {.kind = machine.headers[i].kind,
                  .offset = packet.headers[i],
                  .octets = static_cast<uint16_t>(next - packet.headers[i])};
  }
  for (const Edit& edit : reply.edits) {
    SetField(edit.place, machine.expressions[edit.expression], context, table,
             to + headers[edit.place.header].offset);
  }
  Finish(headers, count, to, bytes);
  return bytes;
}

}  // namespace tester::machine
