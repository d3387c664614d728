// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sentences from pieces.
#pragma once

#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

namespace tester {

// Cat("stream ", 7, " is unknown")
template <typename... Pieces>
std::string Cat(const Pieces&... pieces) {
  std::ostringstream out;
  (out << ... << pieces);
  return out.str();
}

// "a, b, c"; "none" for an empty range.
template <typename Range>
std::string Join(const Range& range) {
  std::ostringstream out;
  std::string_view separator;
  for (const auto& item : range) {
    out << separator << item;
    separator = ", ";
  }
  return separator.empty() ? "none" : out.str();
}

// Text that a user typed, safe to print: quoted, unprintable bytes as \xNN, long texts cut.
std::string Quote(std::string_view text);

// "02:00:00:00:00:01"
std::string MacText(std::span<const uint8_t> mac);

// "192.0.2.1" or "2001:db8::1" for 4 or 16 bytes.
std::string AddressText(std::span<const uint8_t> address);

}  // namespace tester
