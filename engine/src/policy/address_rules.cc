// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "policy/address_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

struct OneAddress {
  Family family;
  Uint128 value;
};

Uint128 ValueOf(Frame bytes) {
  Uint128 value = 0;
  for (const uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

std::optional<OneAddress> ParseMac(std::string_view text) {
  constexpr size_t kText = 17;
  if (text.size() != kText) return std::nullopt;
  Uint128 value = 0;
  for (size_t at = 0; at < kText; at += 3) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(&text[at], &text[at] + 2, byte, 16);
    const bool goes_on = at + 2 == kText || text[at + 2] == ':';
    if (error != std::errc() || end != &text[at] + 2 || !goes_on) return std::nullopt;
    value = value << 8 | byte;
  }
  return OneAddress{Family::kMac, value};
}

std::optional<OneAddress> ParseAddress(std::string_view text) {
  const std::string copy(text);
  std::array<uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, copy.c_str(), bytes.data()) == 1) {
    return OneAddress{Family::kIpv4, ValueOf(Frame(bytes).first(4))};
  }
  if (::inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1) {
    return OneAddress{Family::kIpv6, ValueOf(bytes)};
  }
  return ParseMac(text);
}

}  // namespace

std::string AddressText(Family family, Uint128 address) {
  std::vector<uint8_t> bytes(OctetsOf(family));
  for (size_t i = bytes.size(); i-- > 0; address >>= 8) bytes[i] = static_cast<uint8_t>(address);
  return family == Family::kMac ? MacText(bytes) : AddressText(bytes);
}

std::optional<AddressRange> ParseAddressRange(std::string_view text) {
  if (const size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto first = ParseAddress(text.substr(0, dash));
    const auto last = ParseAddress(text.substr(dash + 1));
    if (!first || !last || first->family != last->family || first->value > last->value) {
      return std::nullopt;
    }
    return AddressRange{first->family, {first->value, last->value}};
  }
  const size_t slash = text.find('/');
  const auto address = ParseAddress(text.substr(0, slash));
  if (!address) return std::nullopt;
  const size_t bits = 8 * OctetsOf(address->family);
  size_t length = bits;
  if (slash != std::string_view::npos) {
    const std::string_view number = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), length);
    if (error != std::errc() || end != number.data() + number.size() || length > bits) {
      return std::nullopt;
    }
  }
  // C++ has no shift by all bits of a number.
  const Uint128 rest =
      length == 0 ? ~Uint128{0} >> (128 - bits) : (Uint128{1} << (bits - length)) - 1;
  if ((address->value & rest) != 0) return std::nullopt;  // more than the prefix
  return AddressRange{address->family, {address->value, address->value | rest}};
}

void AddressRules::Allow(Side side, std::string_view text, std::string_view where) {
  const auto parsed = ParseAddressRange(text);
  if (!parsed) {
    throw Error(
        Code::kInvalidArgument,
        Cat(where, ": ", Quote(text),
            " is no address; allowed are IPv4, IPv6 and MAC addresses, ADDRESS/LENGTH with no "
            "bits behind the prefix, and FIRST-LAST"));
  }
  const auto index = static_cast<size_t>(side);
  const auto family = static_cast<size_t>(parsed->family);
  allowed_[index][family].Add(parsed->range);
  texts_[index][family] += Cat(texts_[index][family].empty() ? "" : ", ", text);
  (parsed->family == Family::kMac ? limits_mac_ : limits_ip_)[index] = true;
}

bool AddressRules::Limits(Family family, Side side) const {
  return (family == Family::kMac ? limits_mac_ : limits_ip_)[static_cast<size_t>(side)];
}

std::optional<Uint128> AddressRules::FirstForbidden(Family family, Side side, Range range) const {
  if (!Limits(family, side)) return std::nullopt;
  // A host without an address (DHCP, duplicate address detection) sends from the unspecified
  // address, which is always allowed.
  if (family != Family::kMac && side == Side::kSource && range.first == 0) {
    if (range.last == 0) return std::nullopt;
    range.first = 1;
  }
  return Of(family, side).FirstOutside(range);
}

bool AddressRules::Allows(Frame frame) const {
  const FrameAddresses found = FrameAddresses::Of(frame);
  if (!found.problem().empty() || (found.is_other() && !AllowsOthers())) return false;
  return std::ranges::all_of(found.places(), [&](const AddressPlace& place) {
    const Uint128 value = place.In(frame);
    return !FirstForbidden(place.family, place.side, {value, value});
  });
}

std::string AddressRules::Objection(Frame frame) const {
  const FrameAddresses found = FrameAddresses::Of(frame);
  if (!found.problem().empty()) return std::string(found.problem());
  if (found.is_other() && !AllowsOthers()) return OthersRefusal(frame);
  for (const AddressPlace& place : found.places()) {
    const Uint128 value = place.In(frame);
    if (FirstForbidden(place.family, place.side, {value, value})) {
      return Refusal(place.name, place.family, place.side, value);
    }
  }
  return {};
}

std::string AddressRules::Refusal(std::string_view name, Family family, Side side,
                                  Uint128 address) const {
  const std::string& allowed = texts_[static_cast<size_t>(side)][static_cast<size_t>(family)];
  return Cat(name, " ", AddressText(family, address),
             " may not be sent; the policy of this tester allows ",
             allowed.empty() ? "none of this family" : allowed);
}

std::string AddressRules::OthersRefusal(Frame frame) const {
  const auto ethernet = wire::Ethernet::Parse(frame);
  std::array<char, 5> type{};
  const unsigned value = ethernet ? ethernet->type : 0;
  std::to_chars(type.data(), type.data() + 4, value, 16);
  return Cat("it is neither IPv4, IPv6 nor ARP (EtherType 0x", type.data(),
             "); the policy of this tester allows others only with `others allow`");
}

}  // namespace tester
