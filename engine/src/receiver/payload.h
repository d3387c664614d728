// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What lies between headers and signature of a stream's frames, to find what has arrived damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/bytes.h"

namespace tester {

class Payloads {
 public:
  // Of each frame the bytes from `offset` to its signature; which of them frame k has: see
  // Stream.order.
  Payloads(const std::vector<std::vector<uint8_t>>& frames, std::vector<uint32_t> order,
           size_t offset);

  // Whether the bytes of a frame that arrived, up to its signature, end as frame `sequence` did
  // when it was sent.
  bool Match(uint64_t sequence, Frame before_signature) const;

 private:
  std::vector<std::vector<uint8_t>> payloads_;
  std::vector<uint32_t> order_;
};

}  // namespace tester
