// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Capture files, frame by frame: pcap with micro- or nanoseconds in either byte order, and pcapng
// (draft-ietf-opsawg-pcapng) with Ethernet interfaces. Nothing in a file is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "wire/bytes.h"

namespace tester {

struct CapturedFrame {
  uint64_t time_ns = 0;
  std::vector<uint8_t> bytes;
};

class CaptureReader {
 public:
  // `where` starts messages. INVALID_ARGUMENT if it is no capture file.
  CaptureReader(std::istream& file, std::string where);

  // False at the end. INVALID_ARGUMENT where the file is cut short or damaged, and for frames that
  // are not Ethernet, not whole, or earlier than the one before.
  bool Next(CapturedFrame& frame);
  // How many frames it has given: the number of the last one, as Wireshark counts.
  uint64_t count() const { return count_; }

  [[noreturn]] void Refuse(std::string_view what) const;

 private:
  // A section's interface of pcapng; the only one of pcap.
  struct Interface {
    uint16_t link_type;
    uint64_t ticks_per_s;
    uint64_t offset_ns;  // modulo 2^64, as times are
  };
  struct Block {
    uint32_t type = 0;
    std::vector<uint8_t> body;
  };

  void BeginPcap(uint32_t magic);
  bool NextOfPcap(CapturedFrame& frame);
  bool NextOfPcapng(CapturedFrame& frame);
  bool NextBlock();
  // Reads the byte order and returns the length of the section's header block.
  uint32_t BeginSection();
  void AddInterface();
  void ReadPacket(CapturedFrame& frame);

  // Throws unless all are there; false when the file ends before the first and that is allowed.
  bool Read(uint8_t* to, size_t bytes, bool may_end);
  uint32_t Read32();
  uint16_t Get16(const uint8_t* at) const;
  uint32_t Get32(const uint8_t* at) const;
  // Refuses impossible lengths of a record: `bytes` in the file, `original` on the wire.
  void CheckLengths(uint32_t bytes, uint32_t original) const;
  void CheckLink(uint16_t link_type) const;
  void SetTime(const Interface& interface, uint64_t ticks, CapturedFrame& frame);

  std::istream& file_;
  std::string where_;
  bool is_pcapng_ = false;
  bool little_endian_ = true;
  uint64_t count_ = 0;
  uint64_t last_ns_ = 0;
  std::vector<Interface> interfaces_;
  Block block_;
};

}  // namespace tester
