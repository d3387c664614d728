// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What lies between headers and signature of a stream's frames, to find what has arrived damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generator/order.h"
#include "wire/bytes.h"

namespace tester {

class Payloads {
 public:
  // Of each frame the bytes from `offset` to its signature. Without runs they come in turn.
  Payloads(const std::vector<std::vector<uint8_t>>& frames, const std::vector<OrderRun>& runs,
           size_t offset);

  // Whether the bytes of a frame that arrived, up to its signature, end as frame `sequence` did
  // when it was sent. `place` is that of the frame before.
  bool Match(OrderPlace& place, uint64_t sequence, Frame before_signature) const;

 private:
  std::vector<std::vector<uint8_t>> payloads_;
  Order order_;
};

}  // namespace tester
