// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_measurement.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "plan/job.h"
#include "plan/refuse.h"
#include "plan/streams/validate_fields.h"
#include "wire/ethernet.h"
#include "wire/signature.h"

namespace tester {
namespace {

constexpr size_t kMostMaskBytes = 64;  // of a match
constexpr uint32_t kInternetBytes = 2;
constexpr uint32_t kCrc32cBytes = 4;

// The bytes of the shortest frame that are not its signature.
size_t BytesInEveryFrame(const v1::Stream& stream) {
  size_t least = SIZE_MAX;
  for (const auto& frame : stream.frames()) least = std::min(least, frame.size());
  return least - (stream.signature() ? wire::kSignatureBytes : 0);
}

uint32_t ValidateFlows(const v1::Stream& stream, std::string_view where) {
  if (stream.flows() > kMaxFlows) {
    Refuse(where, "flows ", stream.flows(), "; at most ", kMaxFlows);
  }
  if (stream.flows() != 0 && !stream.signature()) {
    Refuse(where, "flows ", stream.flows(), " without signature, by which they are known");
  }
  return stream.flows();
}

// Adds the conditions of a match to those of earlier matches, by byte.
void AddMatch(const v1::Match& match, std::string_view where, std::map<uint32_t, ByteMatch>& all) {
  const Frame mask = BytesOf(match.mask());
  const Frame value = BytesOf(match.value());
  if (mask.empty() || mask.size() > kMostMaskBytes || value.size() != mask.size()) {
    Refuse(where, "a mask of ", mask.size(), " and a value of ", value.size(),
           " bytes; both must have the same length, 1 to ", kMostMaskBytes);
  }
  if (match.offset() > UINT16_MAX) {
    Refuse(where, "offset ", match.offset(), "; at most ", UINT16_MAX);
  }
  for (size_t i = 0; i < mask.size(); ++i) {
    const auto offset = match.offset() + static_cast<uint32_t>(i);
    if ((value[i] & ~mask[i]) != 0) {
      Refuse(where, "byte ", i, " of value has bits that mask has not");
    }
    if (mask[i] == 0) continue;
    ByteMatch& byte = all.try_emplace(offset, ByteMatch{offset, 0, 0}).first->second;
    if (((byte.value ^ value[i]) & byte.mask & mask[i]) != 0) {
      Refuse(where, "another match asks for another value of byte ", offset);
    }
    byte.mask = static_cast<uint8_t>(byte.mask | mask[i]);
    byte.value = static_cast<uint8_t>(byte.value | value[i]);
  }
}

Matches ValidateMatches(const v1::Stream& stream, std::string_view where) {
  if (stream.matches().empty()) return {};
  if (stream.signature()) {
    Refuse(where, "matches beside a signature, by which its frames are known");
  }
  return ReadMatches(stream.matches(), where);
}

// The first byte behind everything that changes from frame to frame, without the signature.
uint32_t EndOfChanges(const v1::Stream& stream) {
  uint32_t end = 0;
  for (const auto& editor : stream.editors()) {
    end = std::max(end, (editor.bit_offset() + editor.bits() + 7) / 8);
  }
  for (const auto& checksum : stream.checksums()) {
    const bool is_crc = checksum.kind() == v1::Checksum::KIND_CRC32C;
    end = std::max(end, checksum.offset() + (is_crc ? kCrc32cBytes : kInternetBytes));
  }
  if (stream.has_version()) end = std::max(end, stream.version().bit_offset() / 8 + 1);
  return end;
}

// Whether a changing field controls the fragmentation of an IP packet.
bool EditsFragments(const v1::Stream& stream, Frame frame) {
  const auto ethernet = wire::Ethernet::Parse(frame);
  if (!ethernet) return false;
  const bool v6 = ethernet->type == wire::kEtherTypeIpv6;
  const size_t ip_bit = ethernet->header_bytes * 8;
  const size_t begin = ip_bit + (v6 ? 6 * 8 : 6 * 8 + 2);  // next header; more fragments and offset
  const size_t end = ip_bit + (v6 ? 7 * 8 : 8 * 8);
  return std::any_of(stream.editors().begin(), stream.editors().end(), [&](const auto& editor) {
    return editor.bit_offset() < end && editor.bit_offset() + editor.bits() > begin;
  });
}

void CheckPayload(const v1::Stream& stream, std::string_view where) {
  const uint32_t offset = stream.payload_offset();
  if (offset == 0) return;
  if (!stream.signature() || stream.frames().empty()) {
    Refuse(where, "payload_offset ", offset, " of a stream without signature and frames");
  }
  const size_t most = BytesInEveryFrame(stream);
  if (offset > most || offset < EndOfChanges(stream)) {
    Refuse(where, "payload_offset ", offset,
           "; behind the last field that changes and before "
           "the signature are ",
           EndOfChanges(stream), " to ", most);
  }
}

std::vector<uint8_t> ValidateKept(const v1::Stream& stream, std::string_view where) {
  const Frame kept = BytesOf(stream.kept_headers());
  if (kept.empty()) return {};
  if (!stream.signature() || stream.frames().empty()) {
    Refuse(where, "kept_headers of a stream without signature and frames");
  }
  if (const size_t most = BytesInEveryFrame(stream); kept.size() > most) {
    Refuse(where, "kept_headers of ", kept.size(), " bytes; before the signature are ", most);
  }
  return {kept.begin(), kept.end()};
}

HeaderRules RulesOf(const v1::Stream& stream, std::string_view where) {
  HeaderRules rules{.kept = ValidateKept(stream, where), .changes = {}, .updated_checksums = {}};
  const auto add_change = [&rules](size_t begin, size_t bits, bool updates_checksums = true) {
    rules.changes.push_back(
        {.bits = {.begin = begin, .end = begin + bits}, .updates_checksums = updates_checksums});
  };
  for (const auto& editor : stream.editors()) {
    add_change(editor.bit_offset(), editor.bits(), !editor.coverage().empty());
  }
  if (stream.has_version()) {
    add_change(stream.version().bit_offset(), 1, !stream.version().coverage().empty());
  }
  for (const auto& checksum : stream.checksums()) {
    const bool is_crc = checksum.kind() == v1::Checksum::KIND_CRC32C;
    add_change(size_t{checksum.offset()} * 8, size_t{is_crc ? kCrc32cBytes : kInternetBytes} * 8);
    if (!is_crc) rules.updated_checksums.push_back(checksum.offset());
  }
  return rules;
}

std::shared_ptr<const Integrity> ValidateContent(const v1::Stream& stream,
                                                 const std::vector<OrderRun>& order,
                                                 std::string_view where) {
  CheckPayload(stream, where);
  HeaderRules rules = RulesOf(stream, where);
  if (!stream.signature() || stream.frames().empty()) return nullptr;
  std::vector<std::vector<uint8_t>> frames;
  for (const auto& frame : stream.frames()) frames.emplace_back(frame.begin(), frame.end());
  return std::make_shared<const Integrity>(
      Integrity::Sent{.frames = frames,
                      .order = order,
                      .payload_offset = stream.payload_offset(),
                      .fragments_by_field = EditsFragments(stream, frames.front()),
                      .edited = !stream.editors().empty(),
                      .headers = std::move(rules)});
}

}  // namespace

Matches ReadMatches(const google::protobuf::RepeatedPtrField<v1::Match>& matches,
                    std::string_view where) {
  std::map<uint32_t, ByteMatch> bytes;
  for (int i = 0; i < matches.size(); ++i) {
    AddMatch(matches[i], Cat(where, ", match ", i), bytes);
  }
  if (bytes.empty() || bytes.size() > kMostMatchBytes) {
    Refuse(where, "matches look at ", bytes.size(), " bytes; allowed are 1 to ", kMostMatchBytes);
  }
  Matches read;
  for (const auto& [offset, byte] : bytes) read.push_back(byte);
  return read;
}

MeasurementPlan ValidateMeasurement(const v1::Stream& stream, const FramesPlan& contents,
                                    std::string_view where) {
  return {.version =
              stream.has_version() ? VersionBit::At(stream.version().bit_offset()) : VersionBit{},
          .flows = ValidateFlows(stream, where),
          .matches = ValidateMatches(stream, where),
          .integrity = ValidateContent(stream, contents.order, where),
          .fields = ValidateFields(stream, contents, where)};
}

namespace {

using Streams = std::vector<std::pair<const StreamPlan*, const Job*>>;

void CheckExclusion(const Job& job, const StreamPlan& stream, const Streams& others) {
  for (const auto& [other, owner] : others) {
    if (other->rx_port != stream.rx_port ||
        Exclude(other->measurement.matches, stream.measurement.matches)) {
      continue;
    }
    throw Error(owner == &job ? Code::kInvalidArgument : Code::kAlreadyExists,
                Cat("job ", Quote(job.name), ", stream ", stream.id, " ", Quote(stream.name),
                    ": its matches and those of stream ", other->id, " of job ", Quote(owner->name),
                    " can hold of the same frame"));
  }
}

}  // namespace

void CheckMeasurements(const Job& job, std::span<const Job* const> loaded) {
  uint64_t flows = 0;
  Streams matched;
  const auto add = [&](const Job& owner, const StreamPlan& stream) {
    flows += stream.measurement.flows;
    if (!stream.measurement.matches.empty()) matched.emplace_back(&stream, &owner);
  };
  for (const Job* other : loaded) {
    for (const auto& stream : other->streams) add(*other, stream);
  }
  for (const auto& stream : job.streams) {
    if (!stream.measurement.matches.empty()) CheckExclusion(job, stream, matched);
    add(job, stream);
  }
  if (flows > kMaxFlows) {
    throw Error(Code::kResourceExhausted, Cat("job ", Quote(job.name), " would make ", flows,
                                              " loaded flows; max_flows is ", kMaxFlows));
  }
}

}  // namespace tester
