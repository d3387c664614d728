// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Capture files as bytes, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tester {

class CaptureBytes {
 public:
  explicit CaptureBytes(bool little_endian = true) : little_endian_(little_endian) {}

  CaptureBytes& Put16(uint16_t value) { return Put(value, 2); }
  CaptureBytes& Put32(uint32_t value) { return Put(value, 4); }
  CaptureBytes& Put64(uint64_t value) { return Put(value, 8); }
  CaptureBytes& PutBytes(const std::string& bytes) {
    text_ += bytes;
    return *this;
  }

  CaptureBytes& PcapHeader(uint32_t magic = 0xa1b2c3d4, uint32_t link = 1) {
    return Put32(magic).Put16(2).Put16(4).Put32(0).Put32(0).Put32(262'144).Put32(link);
  }
  CaptureBytes& PcapFrame(uint32_t seconds, uint32_t fraction, const std::string& frame) {
    const auto bytes = static_cast<uint32_t>(frame.size());
    return Put32(seconds).Put32(fraction).Put32(bytes).Put32(bytes).PutBytes(frame);
  }

  CaptureBytes& Block(uint32_t type, std::string body) {
    body.resize((body.size() + 3) / 4 * 4);
    const auto length = static_cast<uint32_t>(body.size() + 12);
    return Put32(type).Put32(length).PutBytes(body).Put32(length);
  }
  CaptureBytes& Section() {
    return Block(0x0a0d0d0a, Same().Put32(0x1a2b3c4d).Put16(1).Put16(0).Put64(UINT64_MAX).text());
  }
  // No resolution: microseconds, without saying so.
  CaptureBytes& Interface(int resolution = -1, uint16_t link = 1) {
    CaptureBytes body = Same().Put16(link).Put16(0).Put32(0);
    if (resolution >= 0) {
      body.Put16(9).Put16(1).PutBytes({static_cast<char>(resolution), 0, 0, 0}).Put32(0);
    }
    return Block(1, body.text());
  }
  CaptureBytes& Packet(uint32_t interface, uint64_t ticks, const std::string& frame) {
    const auto bytes = static_cast<uint32_t>(frame.size());
    CaptureBytes body = Same().Put32(interface).Put32(static_cast<uint32_t>(ticks >> 32));
    body.Put32(static_cast<uint32_t>(ticks)).Put32(bytes).Put32(bytes).PutBytes(frame);
    return Block(6, body.text());
  }

  const std::string& text() const { return text_; }
  CaptureBytes Same() const { return CaptureBytes(little_endian_); }

 private:
  CaptureBytes& Put(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      const int shift = 8 * (little_endian_ ? i : bytes - 1 - i);
      text_ += static_cast<char>(value >> shift & 0xff);
    }
    return *this;
  }

  bool little_endian_;
  std::string text_;
};

}  // namespace tester
