// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/payload.h"

#include <algorithm>

#include "wire/signature.h"

namespace tester {

namespace {

std::vector<OrderRun> InTurn(size_t frames) {
  std::vector<OrderRun> runs;
  for (size_t i = 0; i < frames; ++i) {
    runs.push_back({.frame = static_cast<uint16_t>(i), .packets = 1});
  }
  return runs;
}

}  // namespace

Payloads::Payloads(const std::vector<std::vector<uint8_t>>& frames,
                   const std::vector<OrderRun>& runs, size_t offset)
    : order_(runs.empty() ? InTurn(frames.size()) : runs) {
  for (const auto& frame : frames) {
    payloads_.emplace_back(frame.begin() + static_cast<ptrdiff_t>(offset),
                           frame.end() - static_cast<ptrdiff_t>(wire::kSignatureBytes));
  }
}

bool Payloads::Match(OrderPlace& place, uint64_t sequence, Frame before_signature) const {
  uint16_t frame = 0;
  order_.Choose(place, sequence, 1, &frame);
  const auto& payload = payloads_[frame];
  return before_signature.size() >= payload.size() &&
         std::equal(payload.begin(), payload.end(), before_signature.last(payload.size()).begin());
}

}  // namespace tester
