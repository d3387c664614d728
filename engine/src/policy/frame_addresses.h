// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The positions of the addresses in a frame, and the bits that decide these positions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/int128.h"
#include "wire/bytes.h"

namespace tester {

enum class Family : uint8_t { kMac, kIpv4, kIpv6 };
enum class Side : uint8_t { kSource, kDestination };
inline constexpr size_t kFamilies = 3;
inline constexpr size_t kSides = 2;

constexpr size_t OctetsOf(Family family) {
  constexpr std::array<size_t, kFamilies> kBytes = {6, 4, 16};
  return kBytes[static_cast<size_t>(family)];
}

struct AddressPlace {
  Family family;
  Side side;
  uint32_t offset;        // of its first byte
  std::string_view name;  // "source IPv4 address"

  Uint128 In(Frame frame) const;
};

struct BitSpan {
  uint32_t begin;
  uint32_t end;
};

// Addresses of the Ethernet header and of the IPv4, IPv6 or ARP packet behind it and its VLAN tags,
// SNAP, MPLS labels or PPPoE. Packets inside other tunnels are not parsed.
class FrameAddresses {
 public:
  // `frame` has at least 14 bytes.
  static FrameAddresses Of(Frame frame);

  // A target of ARP or neighbour discovery (RFC 826, RFC 4861) is where the frame goes to.
  std::span<const AddressPlace> places() const { return {places_.data(), place_count_}; }
  // The bits that decide these positions.
  std::span<const BitSpan> structure() const { return {structure_.data(), structure_count_}; }
  // Neither IPv4, IPv6 nor ARP.
  bool is_other() const { return is_other_; }
  // Why these positions do not decide where the frame goes; empty: they do.
  std::string_view problem() const { return problem_; }

 private:
  static constexpr size_t kMostPlaces = 7;
  static constexpr size_t kMostStructure = 57;

  void AddPlace(Family family, Side side, size_t offset, std::string_view name);
  void AddStructure(size_t begin, size_t end);  // bits
  void AddBytes(size_t offset, size_t bytes) { AddStructure(8 * offset, 8 * (offset + bytes)); }
  // Continues at an EtherType; `headers` precede it.
  void WalkType(Frame frame, size_t at, size_t headers);
  void WalkPayload(Frame frame, size_t at, uint16_t type, size_t headers);
  void WalkLlc(Frame frame, size_t at, size_t headers);
  void WalkMpls(Frame frame, size_t at);
  void WalkPpp(Frame frame, size_t at);
  void WalkIpv4(Frame frame, size_t at);
  void WalkIpv6(Frame frame, size_t at);
  void WalkOptions(Frame frame, size_t at);
  void WalkArp(Frame frame, size_t at);

  std::array<AddressPlace, kMostPlaces> places_;
  std::array<BitSpan, kMostStructure> structure_;
  size_t place_count_ = 0;
  size_t structure_count_ = 0;
  bool is_other_ = false;
  std::string_view problem_;
};

}  // namespace tester
