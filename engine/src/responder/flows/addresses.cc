// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flows/addresses.h"

#include <algorithm>

namespace tester::machine {

bool Takes(const std::vector<Accept>& accepts, const Packet& packet) {
  return std::all_of(accepts.begin(), accepts.end(), [&packet](const Accept& accept) {
    const uint8_t* header = packet.frame + packet.headers[accept.place.header];
    uint64_t low;
    uint64_t mask = accept.load.mask;
    if (accept.load.kind != FieldLoad::Kind::kNone) {
      low = LoadFrom(header, accept.load);
    } else {
      const Uint128 value = ReadField(accept.place, header);
      if (static_cast<uint64_t>(value >> 64) != accept.high) return false;
      low = static_cast<uint64_t>(value);
      mask = NarrowMask(std::min<uint32_t>(accept.place.bits, 64));
    }
    const uint64_t from_first = (low - accept.low) & mask;
    if (accept.step == 0) return from_first == 0;
    if (accept.step == 1) return from_first < accept.count;
    return from_first % accept.step == 0 && from_first / accept.step < accept.count;
  });
}

void SetAddresses(const Machine& machine, const Opening& opening, uint64_t number,
                  Identity& identity) {
  for (const FlowField& field : machine.flow) {
    const FieldPlace whole{
        .header = 0, .bits = static_cast<uint8_t>(field.bytes() * 8), .offset = 0};
    const Uint128 value = opening.addresses[field.opposite].Of(number) & MaskOf(field.place.bits);
    WriteField(whole, value, identity.key.data() + field.key_offset);
  }
  constexpr FieldPlace kMac{.header = 0, .bits = 48, .offset = 0};
  WriteField(kMac, opening.destination_mac.Of(number), identity.link.data());
  WriteField(kMac, opening.source_mac.Of(number), identity.link.data() + 6);
}

}  // namespace tester::machine
