// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/payload.h"

#include <algorithm>
#include <utility>

#include "wire/signature.h"

namespace tester {

Payloads::Payloads(const std::vector<std::vector<uint8_t>>& frames, std::vector<uint32_t> order,
                   size_t offset)
    : order_(std::move(order)) {
  for (const auto& frame : frames) {
    payloads_.emplace_back(frame.begin() + static_cast<ptrdiff_t>(offset),
                           frame.end() - static_cast<ptrdiff_t>(wire::kSignatureBytes));
  }
}

bool Payloads::Match(uint64_t sequence, Frame before_signature) const {
  size_t index = 0;
  if (!order_.empty()) {
    index = order_[sequence % order_.size()];
  } else if (payloads_.size() > 1) {
    index = sequence % payloads_.size();
  }
  const auto& payload = payloads_[index];
  return before_signature.size() >= payload.size() &&
         std::equal(payload.begin(), payload.end(), before_signature.last(payload.size()).begin());
}

}  // namespace tester
