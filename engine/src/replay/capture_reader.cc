// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/capture_reader.h"

#include <utility>

#include "base/error.h"
#include "base/int128.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr uint64_t kNsPerS = 1'000'000'000;
constexpr uint16_t kEthernet = 1;
constexpr uint32_t kMostFrameBytes = 262'144;  // the longest frame that libpcap writes
constexpr uint32_t kMostBlockBytes = 1U << 24;

constexpr uint32_t kPcapMicroseconds = 0xa1b2c3d4;
constexpr uint32_t kPcapNanoseconds = 0xa1b23c4d;
constexpr size_t kPcapHeaderBytes = 24;
constexpr size_t kPcapRecordBytes = 16;

constexpr uint32_t kSection = 0x0a0d0d0a;  // the same in both byte orders
constexpr uint32_t kByteOrder = 0x1a2b3c4d;
constexpr uint32_t kInterface = 1;
constexpr uint32_t kPacket = 2;
constexpr uint32_t kSimplePacket = 3;
constexpr uint32_t kEnhancedPacket = 6;
constexpr uint32_t kBlockFrameBytes = 12;  // type and twice the length
constexpr size_t kInterfaceBytes = 8;
constexpr size_t kPacketBytes = 20;
constexpr uint16_t kResolution = 9;
constexpr uint16_t kOffset = 14;

constexpr size_t Padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

// if_tsresol: a negative power of 10, or of 2 if the highest bit is set; 0 where none fits.
uint64_t TicksPerSecond(uint8_t resolution) {
  const unsigned power = resolution & 0x7fU;
  if (resolution >= 0x80) return power < 64 ? uint64_t{1} << power : 0;
  if (power > 19) return 0;
  uint64_t ticks = 1;
  for (unsigned i = 0; i < power; ++i) ticks *= 10;
  return ticks;
}

}  // namespace

CaptureReader::CaptureReader(std::istream& file, std::string where)
    : file_(file), where_(std::move(where)) {
  const uint32_t magic = Read32();
  if (magic == kSection) {
    is_pcapng_ = true;
    block_.body.resize(BeginSection() - kBlockFrameBytes);
    // The rest of the header block: version, length of the section and options.
    Read(block_.body.data(), block_.body.size(), false);
  } else {
    BeginPcap(magic);
  }
}

void CaptureReader::Refuse(std::string_view what) const {
  throw Error(Code::kInvalidArgument, Cat(where_, ": ", what));
}

bool CaptureReader::Read(uint8_t* to, size_t bytes, bool may_end) {
  file_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(bytes));
  const auto got = static_cast<size_t>(file_.gcount());
  if (got == bytes) return true;
  if (got == 0 && may_end) return false;
  Refuse(Cat("the file ends in the middle, after ", count_, " frames; it is cut short"));
}

uint32_t CaptureReader::Read32() {
  std::array<uint8_t, 4> bytes;
  Read(bytes.data(), bytes.size(), false);
  return Get32(bytes.data());
}

uint16_t CaptureReader::Get16(const uint8_t* at) const {
  const uint16_t big = wire::Load16(at);
  return little_endian_ ? __builtin_bswap16(big) : big;
}

uint32_t CaptureReader::Get32(const uint8_t* at) const {
  const auto big = wire::Load<uint32_t>(at);
  return little_endian_ ? __builtin_bswap32(big) : big;
}

void CaptureReader::CheckLink(uint16_t link_type) const {
  if (link_type != kEthernet) {
    Refuse(Cat("link type ", link_type, "; only Ethernet (", kEthernet, ") can be sent"));
  }
}

void CaptureReader::CheckLengths(uint32_t bytes, uint32_t original) const {
  if (bytes > kMostFrameBytes) {
    Refuse(Cat("frame ", count_ + 1, " says that it has ", bytes, " bytes; the file is damaged"));
  }
  if (bytes != original) {
    Refuse(Cat("of frame ", count_ + 1, ", which had ", original, " bytes, only ", bytes,
               " were captured; capture whole frames"));
  }
}

void CaptureReader::SetTime(const Interface& interface, uint64_t ticks, CapturedFrame& frame) {
  const Uint128 ns = Uint128{ticks} * kNsPerS / interface.ticks_per_s;
  frame.time_ns = static_cast<uint64_t>(ns) + interface.offset_ns;
  if (count_ > 0 && frame.time_ns < last_ns_) {
    Refuse(Cat("frame ", count_ + 1, " is ", last_ns_ - frame.time_ns,
               " ns earlier than the one before; sort the file, for instance with reordercap"));
  }
  last_ns_ = frame.time_ns;
  ++count_;
}

bool CaptureReader::Next(CapturedFrame& frame) {
  return is_pcapng_ ? NextOfPcapng(frame) : NextOfPcap(frame);
}

void CaptureReader::BeginPcap(uint32_t magic) {
  for (const bool little_endian : {true, false}) {
    const uint32_t seen = little_endian ? magic : __builtin_bswap32(magic);
    if (seen != kPcapMicroseconds && seen != kPcapNanoseconds) continue;
    little_endian_ = little_endian;
    std::array<uint8_t, kPcapHeaderBytes - 4> header;
    Read(header.data(), header.size(), false);
    const uint32_t link = Get32(header.data() + 16);
    if (link > UINT16_MAX) Refuse("its frames have an FCS; only frames without can be sent");
    CheckLink(static_cast<uint16_t>(link));
    interfaces_.push_back({.link_type = kEthernet,
                           .ticks_per_s = seen == kPcapNanoseconds ? kNsPerS : uint64_t{1'000'000},
                           .offset_ns = 0});
    return;
  }
  Refuse("neither a pcap nor a pcapng file");
}

bool CaptureReader::NextOfPcap(CapturedFrame& frame) {
  std::array<uint8_t, kPcapRecordBytes> record;
  if (!Read(record.data(), record.size(), true)) return false;
  const uint32_t bytes = Get32(record.data() + 8);
  CheckLengths(bytes, Get32(record.data() + 12));
  frame.bytes.resize(bytes);
  Read(frame.bytes.data(), bytes, false);
  const Interface& only = interfaces_.front();
  SetTime(only, Get32(record.data()) * only.ticks_per_s + Get32(record.data() + 4), frame);
  return true;
}

uint32_t CaptureReader::BeginSection() {
  std::array<uint8_t, 8> bytes;
  Read(bytes.data(), bytes.size(), false);
  little_endian_ = true;
  if (Get32(bytes.data() + 4) != kByteOrder) little_endian_ = false;
  if (Get32(bytes.data() + 4) != kByteOrder) Refuse("a pcapng section in no known byte order");
  const uint32_t length = Get32(bytes.data());
  constexpr uint32_t kLeast = 28;
  if (length < kLeast || length > kMostBlockBytes || length % 4 != 0) {
    Refuse(Cat("a pcapng section header of ", length, " bytes; the file is damaged"));
  }
  interfaces_.clear();
  return length;
}

bool CaptureReader::NextBlock() {
  std::array<uint8_t, 4> type;
  if (!Read(type.data(), type.size(), true)) return false;
  block_.type = Get32(type.data());
  const uint32_t length = block_.type == kSection ? BeginSection() : Read32();
  const uint32_t read = block_.type == kSection ? kBlockFrameBytes : kBlockFrameBytes - 4;
  if (length < kBlockFrameBytes || length > kMostBlockBytes || length % 4 != 0) {
    Refuse(
        Cat("after frame ", count_, " a pcapng block of ", length, " bytes; the file is damaged"));
  }
  block_.body.resize(length - read);
  Read(block_.body.data(), block_.body.size(), false);
  if (Get32(block_.body.data() + block_.body.size() - 4) != length) {
    Refuse(Cat("after frame ", count_, " a pcapng block with two lengths; the file is damaged"));
  }
  block_.body.resize(block_.body.size() - 4);
  return true;
}

bool CaptureReader::NextOfPcapng(CapturedFrame& frame) {
  while (NextBlock()) {
    switch (block_.type) {
      case kInterface:
        AddInterface();
        break;
      case kEnhancedPacket:
        ReadPacket(frame);
        return true;
      case kPacket:
      case kSimplePacket:
        Refuse(Cat("frame ", count_ + 1,
                   " is in a block of an outdated kind or without a time; convert the file, for "
                   "instance with editcap"));
      default:
        break;  // names, statistics, comments: nothing to send
    }
  }
  return false;
}

void CaptureReader::AddInterface() {
  const std::vector<uint8_t>& body = block_.body;
  if (body.size() < kInterfaceBytes) Refuse("a pcapng interface without type; the file is damaged");
  Interface made{.link_type = Get16(body.data()), .ticks_per_s = 1'000'000, .offset_ns = 0};
  for (size_t at = kInterfaceBytes; at + 4 <= body.size();) {
    const uint16_t option = Get16(body.data() + at);
    const uint16_t bytes = Get16(body.data() + at + 2);
    at += 4;
    if (option == 0 || at + bytes > body.size()) break;
    if (option == kResolution && bytes == 1) made.ticks_per_s = TicksPerSecond(body[at]);
    if (option == kOffset && bytes == 8) {
      const uint64_t first = Get32(body.data() + at);
      const uint64_t second = Get32(body.data() + at + 4);
      made.offset_ns = (little_endian_ ? second << 32 | first : first << 32 | second) * kNsPerS;
    }
    at += Padded(bytes);
  }
  if (made.ticks_per_s == 0) Refuse("a pcapng interface whose times are too fine to be read");
  interfaces_.push_back(made);
}

void CaptureReader::ReadPacket(CapturedFrame& frame) {
  const std::vector<uint8_t>& body = block_.body;
  if (body.size() < kPacketBytes) {
    Refuse(Cat("frame ", count_ + 1, " has no header; the file is damaged"));
  }
  const uint32_t index = Get32(body.data());
  if (index >= interfaces_.size()) {
    Refuse(Cat("frame ", count_ + 1, " is of interface ", index, "; the section has ",
               interfaces_.size()));
  }
  const Interface& interface = interfaces_[index];
  CheckLink(interface.link_type);
  const uint32_t bytes = Get32(body.data() + 12);
  CheckLengths(bytes, Get32(body.data() + 16));
  if (bytes > body.size() - kPacketBytes) {
    Refuse(Cat("frame ", count_ + 1, " is longer than its block; the file is damaged"));
  }
  const auto begin = body.begin() + kPacketBytes;
  frame.bytes.assign(begin, begin + bytes);
  SetTime(interface, uint64_t{Get32(body.data() + 4)} << 32 | Get32(body.data() + 8), frame);
}

}  // namespace tester
