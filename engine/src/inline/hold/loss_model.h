// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The losses of an impairment: at random, or in bursts as Gilbert and Elliott have them (the model
// of netem's gemodel). Frame k is judged by the same random numbers each time.
#pragma once

#include <cstdint>

#include "inline/path_plan.h"

namespace tester {

class LossModel {
 public:
  explicit LossModel(const LossPlan& plan) : plan_(plan) {}

  // Whether the next frame is lost.
  bool Loses();

 private:
  bool Loses(NoLoss) { return false; }
  bool Loses(const ByRatio& ratio);
  bool Loses(const GilbertElliottLoss& bursts);

  const LossPlan plan_;
  uint64_t frame_ = 0;  // the next one
  bool bad_ = false;
};

}  // namespace tester
