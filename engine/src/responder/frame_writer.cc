// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/frame_writer.h"

#include <cstring>
#include <span>

#include "responder/machine/narrow.h"
#include "responder/summed_writer.h"
#include "wire/checksum.h"

namespace tester::machine {
namespace {

void SetLengths(const FrameHeader& header, uint8_t* frame, size_t end) {
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
void SetChecksum(const FrameHeader& header, const FrameHeader* ip, uint8_t* frame, size_t end) {
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

size_t TrailerBytesOf(std::span<const FrameHeader> headers) {
  size_t bytes = 0;
  for (const FrameHeader& header : headers) bytes += TrailerBytes(header.kind);
  return bytes;
}

// A check that is behind the payload, and covers lengths: `end` is behind it.
void SetTrailer(std::span<const FrameHeader> headers, uint8_t* frame, size_t end) {
  for (size_t i = 0; i < headers.size(); ++i) {
    SetLengths(headers[i], frame, end);
    if (headers[i].kind != HeaderKind::kBth) continue;
    wire::SetIcrc(frame, headers[headers[i].ip].offset, headers[i - 1].offset,
                  end - wire::kIcrcBytes);
  }
}

// Finishes headers from the innermost one outwards. `end`: of the frame, including its trailer.
void Finish(std::span<const FrameHeader> headers, size_t trailer, uint8_t* frame, size_t end) {
  if (trailer != 0) SetTrailer(headers, frame, end);
  for (size_t i = headers.size(); i-- > 0;) {
    const FrameHeader& header = headers[i];
    if (LengthOf(header.kind).offset == 0 && ChecksumOffset(header.kind) == 0) continue;
    SetLengths(header, frame, end);
    SetChecksum(header, header.ip == kNone ? nullptr : &headers[header.ip], frame, end);
  }
}

uint64_t OptionValue(const Option& option, size_t which, const Context& context, size_t table) {
  const Expression& definition = context.machine->expressions[option.values[which]];
  return static_cast<uint64_t>(Value(definition, context, table));
}

// Returns its contribution to a sum.
uint64_t WriteOption(const Option& option, const Context& context, size_t table, uint8_t* to) {
  const bool pair = option.kind == OptionKind::kTimestamp || option.kind == OptionKind::kSack;
  const bool none = option.kind == OptionKind::kSackPermitted;
  return SetOption(option.kind, none ? 0 : OptionValue(option, 0, context, table),
                   pair ? OptionValue(option, 1, context, table) : 0, to);
}

const LaidTemplate& LaidOf(const FrameTemplate& frame, const Context& context) {
  size_t there = 0;
  for (size_t i = 0; i < frame.options.size(); ++i) {
    const uint16_t only_if = frame.options[i].only_if;
    const bool is_there =
        only_if == kNone || context.machine->registers[only_if].GetWide(context.state) != 0;
    there |= size_t{is_there} << i;
  }
  return frame.laid[there];
}

void SetAddresses(const FrameTemplate& frame, const Context& context, const LaidTemplate& laid,
                  uint8_t* to) {
  const Identity& flow = *context.identity;
  for (const FlowValue& value_of_flow : frame.flow) {
    const FlowField& field = context.machine->flow[value_of_flow.flow];
    const uint8_t* value = flow.key.data() + field.key_offset;
    uint8_t* header = to + laid.headers[value_of_flow.place.header].offset;
    if (value_of_flow.place.aligned()) {
      CopyField(header + value_of_flow.place.first(), value, field.bytes());
      continue;
    }
    const FieldPlace whole{
        .header = 0, .bits = static_cast<uint8_t>(field.bytes() * 8), .offset = 0};
    WriteField(value_of_flow.place, ReadField(whole, value), header);
  }
  std::memcpy(to, flow.link.data(), flow.link.size());
}

void SetField(const Edit& edit, const Context& context, size_t table, uint8_t* header) {
  const FieldPlace& place = edit.place;
  const Expression& expression = context.machine->expressions[edit.expression];
  uint8_t* at = header + place.first();
  if (expression.wide || !place.aligned() || (place.bits != 32 && place.bits != 16)) {
    WriteField(place, static_cast<Uint128>(Value(expression, context, table)), header);
    return;
  }
  const uint64_t value = edit.load.kind != FieldLoad::Kind::kNone
                             ? Load(edit.load, context.bases)
                             : static_cast<uint64_t>(NarrowValue(expression, context, table));
  if (place.bits == 32) {
    wire::Store(at, static_cast<uint32_t>(value));
  } else {
    wire::Store16(at, static_cast<uint16_t>(value));
  }
}

void SetWords(const FrameTemplate& frame, const Context& context, size_t table,
              const LaidTemplate& laid, uint8_t* to, Sums& sums) {
  for (const FlowValue& value_of_flow : frame.flow) {
    const uint8_t* key =
        context.identity->key.data() + context.machine->flow[value_of_flow.flow].key_offset;
    uint8_t* at =
        to + laid.headers[value_of_flow.place.header].offset + value_of_flow.place.first();
    const uint64_t word = SetKeyWord(at, value_of_flow.place.bits, key);
    (value_of_flow.place.header == frame.tcp ? sums.tcp : sums.addresses) += word;
  }
  uint8_t* const tcp = to + laid.headers[frame.tcp].offset;
  for (const Edit& edit : frame.edits) {
    const Expression& expression = context.machine->expressions[edit.expression];
    const uint64_t value = edit.load.kind != FieldLoad::Kind::kNone
                               ? Load(edit.load, context.bases)
                               : static_cast<uint64_t>(Value(expression, context, table));
    sums.tcp += SetWord(tcp + edit.place.first(), edit.place.bits, value);
  }
  for (size_t i = 0; i < frame.options.size(); ++i) {
    const uint16_t at = laid.options[i];
    if (at != kNone) sums.tcp += WriteOption(frame.options[i], context, table, to + at);
  }
}

// The repeated pattern of a body: FILL of model/message.py.
constexpr auto kBody = [] {
  std::array<uint8_t, kMaxFrameBytes> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>((157 * i + 101) % 251);
  return bytes;
}();

// Clamped: the length of a frame is checked later.
size_t BodyBytes(const FrameTemplate& frame, const Context& context, size_t table) {
  if (frame.body == kNone) return 0;
  const int64_t bytes = NarrowValue(context.machine->expressions[frame.body], context, table);
  return static_cast<size_t>(std::clamp<int64_t>(bytes, 0, kMaxFrameBytes));
}

}  // namespace

size_t WriteTemplate(const FrameTemplate& frame, const Context& context, size_t table,
                     const Piece& piece, size_t most, uint8_t* to) {
  const LaidTemplate& laid = LaidOf(frame, context);
  const size_t header_bytes = laid.octets.size();
  const size_t body_bytes = BodyBytes(frame, context, table);
  const size_t trailer = TrailerBytesOf(laid.headers);
  const size_t end = header_bytes + body_bytes + piece.bytes + trailer;
  if (end > most) return 0;
  if (frame.summed) {
    return WriteSummed(laid, laid.headers[1].offset, laid.headers[2].offset, context, piece, to,
                       [&](Sums& sums) { SetWords(frame, context, table, laid, to, sums); });
  }
  std::memcpy(to, laid.octets.data(), header_bytes);
  SetAddresses(frame, context, laid, to);
  for (const Edit& edit : frame.edits) {
    SetField(edit, context, table, to + laid.headers[edit.place.header].offset);
  }
  for (size_t i = 0; i < frame.options.size(); ++i) {
    const uint16_t at = laid.options[i];
    if (at != kNone) WriteOption(frame.options[i], context, table, to + at);
  }
  std::memcpy(to + header_bytes, kBody.data(), body_bytes);
  if (piece.message != nullptr) {
    WriteMessage(*piece.message, context, piece.offset, piece.bytes,
                 to + header_bytes + body_bytes);
  }
  Finish(laid.headers, trailer, to, end);
  return end;
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
  size_t trailer = 0;
  for (const Header& header : machine.headers) trailer += TrailerBytes(header.kind);
  const size_t bytes = packet.payload + keep + reply.append.size() + trailer;
  if (bytes > most) return 0;
  std::memcpy(to, packet.frame, packet.payload + keep);
  if (!reply.append.empty()) {
    std::memcpy(to + packet.payload + keep, reply.append.data(), reply.append.size());
  }
  std::array<FrameHeader, kMaxHeaders> headers;
  const size_t count = machine.headers.size();
  uint16_t ip = kNone;
  for (size_t i = 0; i < count; ++i) {
    const size_t next = i + 1 < count ? packet.headers[i + 1] : packet.payload;
    headers[i] = {.kind = machine.headers[i].kind,
                  .offset = packet.headers[i],
                  .octets = static_cast<uint16_t>(next - packet.headers[i]),
                  .ip = ip};
    if (IsIp(headers[i].kind)) ip = static_cast<uint16_t>(i);
  }
  for (const Edit& edit : reply.edits) {
    SetField(edit, context, table, to + headers[edit.place.header].offset);
  }
  Finish({headers.data(), count}, trailer, to, bytes);
  return bytes;
}

}  // namespace tester::machine
