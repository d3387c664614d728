// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The addresses from and to which frames may be sent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/int128.h"
#include "policy/frame_addresses.h"
#include "policy/ranges.h"

namespace tester {

class AddressRules {
 public:
  // `text` as in Parse; INVALID_ARGUMENT with a message that starts with `where`.
  void Allow(Side side, std::string_view text, std::string_view where);
  void AllowOthers() { others_ = true; }

  bool LimitsAny() const { return LimitsIp() || limits_mac_[0] || limits_mac_[1]; }
  // IPv4 and IPv6 of one side are limited together: rules for IPv4 alone forbid all IPv6 addresses
  // of that side, and vice versa.
  bool Limits(Family family, Side side) const;
  // The lowest forbidden address of a range; nothing when all are allowed.
  std::optional<Uint128> FirstForbidden(Family family, Side side, Range range) const;
  bool AllowsOthers() const { return others_ || !LimitsIp(); }

  // Whether a frame of at least 14 bytes may be sent.
  bool Allows(Frame frame) const;
  // Why not, for a person; empty: it may be sent.
  std::string Objection(Frame frame) const;
  // `destination IPv4 address 192.0.2.1 may not be sent; allowed are 10.0.0.0/8`.
  std::string Refusal(std::string_view name, Family family, Side side, Uint128 address) const;
  std::string OthersRefusal(Frame frame) const;

 private:
  bool LimitsIp() const { return limits_ip_[0] || limits_ip_[1]; }
  const Ranges& Of(Family family, Side side) const {
    return allowed_[static_cast<size_t>(side)][static_cast<size_t>(family)];
  }

  std::array<std::array<Ranges, kFamilies>, kSides> allowed_;
  std::array<std::array<std::string, kFamilies>, kSides> texts_;  // as given
  std::array<bool, kSides> limits_ip_{};
  std::array<bool, kSides> limits_mac_{};
  bool others_ = false;
};

// Addresses with their family. "10.0.0.0/8", "2001:db8::1", "02:00:00:00:00:00/8",
// "10.0.0.1-10.0.0.9".
struct AddressRange {
  Family family;
  Range range;
};
std::optional<AddressRange> ParseAddressRange(std::string_view text);

std::string AddressText(Family family, Uint128 address);

}  // namespace tester
