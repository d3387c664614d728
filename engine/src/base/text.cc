// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"

#include <arpa/inet.h>

#include <array>
#include <cstddef>

namespace tester {
namespace {

constexpr size_t kLongestQuote = 128;
constexpr std::string_view kHexDigits = "0123456789abcdef";

void AppendHex(std::string& out, uint8_t byte) {
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, kLongestQuote)) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      AppendHex(out, byte);
    }
  }
  return out += text.size() > kLongestQuote ? "...\"" : "\"";
}

std::string MacText(std::span<const uint8_t> mac) {
  std::string out;
  for (const uint8_t byte : mac) {
    if (!out.empty()) out += ':';
    AppendHex(out, byte);
  }
  return out;
}

std::string AddressText(std::span<const uint8_t> address) {
  if (address.size() != 4 && address.size() != 16) return Cat(address.size(), " bytes");
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(address.size() == 4 ? AF_INET : AF_INET6, address.data(), text.data(), text.size());
  return text.data();
}

}  // namespace tester
