// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Addresses as arithmetic: the packets that a responder takes, and the key of each flow that it
// opens.
#pragma once

#include <cstdint>
#include <vector>

#include "responder/flows/flow.h"
#include "responder/machine/machine.h"
#include "responder/packet.h"

namespace tester::machine {

// responder.proto, Accept.
struct Accept {
  FieldPlace place;
  FieldLoad load;
  uint64_t low;   // of the first one
  uint64_t high;  // bits above
  uint64_t step;
  uint64_t count;
};

bool Takes(const std::vector<Accept>& accepts, const Packet& packet);

// responder.proto, Address: of flow f.
struct Address {
  Uint128 first;
  uint64_t step;
  uint64_t count;
  uint64_t every;

  Uint128 Of(uint64_t flow) const {
    const uint64_t low = static_cast<uint64_t>(first) + flow / every % count * step;
    return first >> 64 << 64 | low;
  }
};

enum class Reopen : uint8_t { kEndedWell, kAlways, kNever };

struct Opening {
  uint32_t flows;
  std::vector<Address> addresses;  // of the flow's fields, as in sent frames
  Address source_mac;
  Address destination_mac;
  uint32_t connections;
  uint64_t openings = 0;  // per `nanoseconds`; 0: as fast as possible
  uint64_t nanoseconds = 1;
  uint64_t total;
  uint32_t first_flow = 0;  // is opened first
  Reopen reopen;
};

// Sets the addresses of a flow that is opened.
void SetAddresses(const Machine& machine, const Opening& opening, uint64_t number,
                  Identity& identity);

}  // namespace tester::machine
