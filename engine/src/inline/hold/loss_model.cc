// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/hold/loss_model.h"

#include "base/random_numbers.h"

namespace tester {
namespace {

bool Happens(uint64_t seed, uint64_t k, uint64_t threshold) {
  return threshold == kAlways || RandomNumber(seed, k) < threshold;
}

}  // namespace

bool LossModel::Loses() {
  return std::visit([this](const auto& loss) { return Loses(loss); }, plan_);
}

bool LossModel::Loses(const ByRatio& ratio) {
  return Happens(ratio.seed, frame_++, ratio.threshold);
}

bool LossModel::Loses(const GilbertElliottLoss& bursts) {
  const uint64_t k = frame_++;
  const bool lost = Happens(bursts.seed, 2 * k, bad_ ? bursts.in_bad : bursts.in_good);
  if (Happens(bursts.seed, 2 * k + 1, bad_ ? bursts.to_good : bursts.to_bad)) bad_ = !bad_;
  return lost;
}

}  // namespace tester
