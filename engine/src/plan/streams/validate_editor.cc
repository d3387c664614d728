// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/streams/validate_editor.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "plan/refuse.h"
#include "plan/streams/validate_source.h"
#include "wire/bytes.h"
#include "wire/signature.h"

namespace tester {
namespace {

// The bits of a frame that something changes, each but once.
class Claims {
 public:
  // Byte `end` of every frame is the first one that may not change.
  Claims(size_t end, bool signature) : end_(8 * uint64_t{end}), signature_(signature) {}

  void Add(uint64_t begin, uint64_t bits, const std::string& what, std::string_view where) {
    if (begin + bits > end_) {
      Refuse(where, what, " is bits ", begin, " to ", begin + bits - 1, "; the shortest frame",
             signature_ ? ", without its signature," : "", " has bits 0 to ", end_ - 1);
    }
    for (const auto& other : taken_) {
      if (begin < other.end && other.begin < begin + bits) {
        Refuse(where, what, " shares bit ", std::max(begin, other.begin), " with ", other.what);
      }
    }
    taken_.push_back({.begin = begin, .end = begin + bits, .what = what});
  }

 private:
  struct Claim {
    uint64_t begin;
    uint64_t end;
    std::string what;
  };

  uint64_t end_;
  bool signature_;
  std::vector<Claim> taken_;
};

Checksum::Kind KindOf(const v1::Checksum& checksum, std::string_view where) {
  switch (checksum.kind()) {
    case v1::Checksum::KIND_INTERNET:
      return Checksum::Kind::kInternet;
    case v1::Checksum::KIND_INTERNET_NOT_ZERO:
      return Checksum::Kind::kInternetNotZero;
    case v1::Checksum::KIND_CRC32C:
      return Checksum::Kind::kCrc32c;
    default:
      Refuse(where, "kind ", static_cast<int>(checksum.kind()), " is none that there is");
  }
}

void CheckCrc(const Checksum& crc, size_t shortest, std::string_view where) {
  const uint64_t end = uint64_t{crc.offset} + Checksum::kCrcBytes;
  if (crc.begin > crc.offset || end + crc.tail > shortest) {
    Refuse(where, "a CRC at byte ", crc.offset, " that covers byte ", crc.begin,
           " to the frame's end less ", crc.tail,
           "; it must lie in what it covers, and the shortest ", "frame has ", shortest, " bytes");
  }
}

// UDP's 0 means no checksum; an edited frame must not become such a frame.
void CheckNotZero(const Checksum& checksum, const FramesPlan& plan, std::string_view where) {
  for (size_t i = 0; i < plan.frames.size(); ++i) {
    if (wire::Load16(plan.frames[i].data() + checksum.offset) != 0) continue;
    Refuse(where, "frame ", i, " has 0 at byte ", checksum.offset, ", which is no checksum");
  }
}

Checksum ValidateChecksum(const v1::Checksum& checksum, const FramesPlan& plan, size_t shortest,
                          Claims& claims, std::string_view where) {
  const Checksum valid{.kind = KindOf(checksum, where),
                       .offset = checksum.offset(),
                       .begin = checksum.begin(),
                       .tail = checksum.tail()};
  claims.Add(8 * uint64_t{valid.offset}, 8 * valid.bytes(), "the checksum", where);
  if (valid.kind == Checksum::Kind::kCrc32c) {
    CheckCrc(valid, shortest, where);
  } else if (valid.begin != 0 || valid.tail != 0) {
    Refuse(where, "begin ", valid.begin, " and tail ", valid.tail, " are for KIND_CRC32C only");
  }
  if (valid.kind == Checksum::Kind::kInternetNotZero) CheckNotZero(valid, plan, where);
  return valid;
}

std::vector<Coverage> CoverageOf(const google::protobuf::RepeatedPtrField<v1::Coverage>& coverage,
                                 const FramesPlan& plan, std::string_view where) {
  std::vector<Coverage> valid;
  for (const auto& each : coverage) {
    if (each.checksum() >= plan.checksums.size()) {
      Refuse(where, "coverage names checksum ", each.checksum(), "; the stream has ",
             plan.checksums.size());
    }
    const auto index = static_cast<uint8_t>(each.checksum());
    for (const auto& other : valid) {
      if (other.checksum == index)
        Refuse(where, "coverage names checksum ", each.checksum(), " twice");
    }
    valid.push_back({.checksum = index, .weight = each.weight()});
  }
  return valid;
}

Editor ValidateEditor(const v1::Editor& editor, const FramesPlan& plan, Claims& claims,
                      const std::string& where) {
  constexpr uint32_t kMostBits = 64;
  if (editor.bits() < 1 || editor.bits() > kMostBits) {
    Refuse(where, "a field of ", editor.bits(), " bits; allowed are 1 to ", kMostBits);
  }
  if (editor.every() < 1) Refuse(where, "every is 0; at least 1");
  claims.Add(editor.bit_offset(), editor.bits(), "the field", where);
  const Field field(editor.bit_offset(), editor.bits());
  return {.field = field,
          .every = editor.every(),
          .source = ValidateSource(editor, field, where),
          .coverage = CoverageOf(editor.coverage(), plan, where)};
}

void CheckCount(int count, size_t most, std::string_view what, std::string_view where) {
  if (static_cast<size_t>(count) > most) {
    Refuse(where, count, " ", what, "; allowed are up to ", most);
  }
}

VersionPlan ValidateVersion(const v1::Version& version, const FramesPlan& plan, Claims& claims,
                            const std::string& where) {
  claims.Add(version.bit_offset(), 1, "its bit", where);
  const Field field(version.bit_offset(), 1);
  for (size_t i = 0; i < plan.frames.size(); ++i) {
    if (field.Read(plan.frames[i].data()) != 0) {
      Refuse(where, "bit ", version.bit_offset(), " is 1 in frame ", i, "; it must be 0");
    }
  }
  return {.field = field, .coverage = CoverageOf(version.coverage(), plan, where)};
}

}  // namespace

void ValidateEditors(const v1::Stream& stream, std::string_view where, FramesPlan& plan) {
  CheckCount(stream.editors_size(), kMaxEditors, "editors", where);
  CheckCount(stream.checksums_size(), kMaxChecksums, "checksums", where);
  size_t shortest = SIZE_MAX;
  for (const auto& frame : plan.frames) shortest = std::min(shortest, frame.size());
  Claims claims(shortest - (plan.signature ? wire::kSignatureBytes : 0), plan.signature);
  for (const auto& checksum : stream.checksums()) {
    const std::string which = Cat(where, ", checksum ", plan.checksums.size());
    plan.checksums.push_back(ValidateChecksum(checksum, plan, shortest, claims, which));
  }
  for (const auto& editor : stream.editors()) {
    const std::string which = Cat(where, ", editor ", plan.editors.size());
    plan.editors.push_back(ValidateEditor(editor, plan, claims, which));
  }
  if (stream.has_version()) {
    plan.version = ValidateVersion(stream.version(), plan, claims, Cat(where, ", version"));
  }
}

}  // namespace tester
