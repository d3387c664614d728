// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The stations behind the several ports of a path's first end, by the addresses that they send
// from: of Ethernet, or of IP. Its memory is taken when it is made.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/open_table.h"
#include "wire/bytes.h"

namespace tester {

class Stations {
 public:
  static constexpr size_t kEverywhere = SIZE_MAX;
  // Later stations stay unknown; frames to them are flooded.
  static constexpr size_t kMost = 4096;

  explicit Stations(bool known_by_ip) : known_by_ip_(known_by_ip), slots_(2 * kMost) {}

  // A frame has come from behind the port of this number.
  void Learn(Frame frame, size_t port);
  // The number of the port behind which the receiver of a frame is.
  size_t PortFor(Frame frame);

 private:
  // 128 bits; of Ethernet and IPv4 the lower ones. 0: none, or of a group.
  struct Address {
    uint64_t upper = 0;
    uint64_t lower = 0;

    bool operator==(const Address&) const = default;
  };
  struct Slot {
    Address address{};
    size_t port = kEverywhere;

    bool IsFree() const { return address == Address{}; }
  };

  enum class End : uint8_t { kReceiver, kSender };
  Address AddressOf(Frame frame, End end) const;
  // The slot of an address, or the free slot for it.
  Slot& SlotOf(const Address& address);

  const bool known_by_ip_;
  template <typename T>
  using Vector = std::vector<T>;

  OpenTable<Slot, Vector> slots_;
  size_t known_ = 0;
};

}  // namespace tester
