// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Answers ARP requests and neighbour solicitations for addresses a job has said are its own. Pure:
// a frame in, a frame out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wire/bytes.h"
#include "wire/ipv6.h"

namespace tester {

// An IPv4 address is held as IPv4-mapped IPv6 (RFC 4291 2.5.5.2).
using Address = wire::Ipv6Address;

// From 4 or 16 bytes.
Address MakeAddress(Frame bytes);
bool IsIpv4(const Address& address);
// The 4 or 16 bytes.
Frame AddressBytes(const Address& address);

struct Neighbour {
  Address address;
  Mac mac;

  bool operator==(const Neighbour&) const = default;
};

// The addresses of one port, immutable once it is in use.
class NeighbourTable {
 public:
  explicit NeighbourTable(std::vector<Neighbour> neighbours);
  const Mac* Find(const Address& address) const;

 private:
  std::vector<Neighbour> neighbours_;  // by address
};

// Room that an answer or a question may need.
inline constexpr size_t kNeighbourFrameBytes = 128;

// Writes the answer to a request for an entry of `table` into `reply` (kNeighbourFrameBytes).
// Returns its length, padded to the shortest frame; 0 without an answer.
size_t AnswerNeighbour(Frame request, const NeighbourTable& table, MutableFrame reply);

// Reads an ARP reply or neighbour advertisement; nothing for any other frame.
std::optional<Neighbour> ReadAdvertisement(Frame frame);

struct Question {
  Address address;
  Address source_address;  // of the same family
  Mac source_mac;
  uint16_t vlan;  // 0: none
};

// The ARP request or neighbour solicitation.
std::vector<uint8_t> AskNeighbour(const Question& question);

}  // namespace tester
