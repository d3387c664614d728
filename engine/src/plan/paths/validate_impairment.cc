// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/paths/validate_impairment.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "plan/paths/validate_event.h"
#include "plan/refuse.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

constexpr uint64_t kLeastRate = 1'000;
constexpr uint64_t kMostRate = 1'000'000'000'000;
constexpr uint32_t kMostQueueFrames = 65'536;
constexpr uint64_t kMostQueueBytes = 1 << 30;
constexpr int kMostQuantiles = 65'537;

LossPlan ValidateLoss(const v1::Impairment& impairment, std::string_view where) {
  switch (impairment.loss_case()) {
    case v1::Impairment::kRandomLoss: {
      const auto& ratio = impairment.random_loss();
      CheckRange(where, "threshold", ratio.threshold(), 1, UINT64_MAX);
      return ByRatio{.seed = ratio.seed(), .threshold = ratio.threshold()};
    }
    case v1::Impairment::kGilbertElliott: {
      const auto& bursts = impairment.gilbert_elliott();
      return GilbertElliottLoss{.seed = bursts.seed(),
                                .to_bad = bursts.to_bad(),
                                .to_good = bursts.to_good(),
                                .in_good = bursts.loss_in_good(),
                                .in_bad = bursts.loss_in_bad()};
    }
    case v1::Impairment::LOSS_NOT_SET:
      break;
  }
  return NoLoss{};
}

ShaperPlan ValidateShaper(const v1::Shaper& shaper, std::string_view where) {
  CheckRange(where, "bits_per_second", shaper.bits_per_second(), kLeastRate, kMostRate);
  CheckRange(where, "overhead_bytes", shaper.overhead_bytes(), 0, wire::kLineOverheadBytes);
  ShaperPlan plan{.bits_per_second = shaper.bits_per_second(),
                  .overhead_bytes = shaper.overhead_bytes(),
                  .queue_frames = 0,
                  .queue_bytes = 0};
  switch (shaper.queue_case()) {
    case v1::Shaper::kFrames:
      CheckRange(where, "frames of the queue:", shaper.frames(), 1, kMostQueueFrames);
      plan.queue_frames = shaper.frames();
      return plan;
    case v1::Shaper::kBytes:
      CheckRange(where, "bytes of the queue:", shaper.bytes(),
                 wire::kMinFrameBytes + wire::kFcsBytes, kMostQueueBytes);
      plan.queue_bytes = shaper.bytes();
      return plan;
    case v1::Shaper::QUEUE_NOT_SET:
      break;
  }
  Refuse(where, "a rate without a queue; give frames or bytes");
}

DelayPlan ValidateDelay(const v1::DelayLaw& law, std::string_view where) {
  CheckRange(where, "points of the delay:", static_cast<uint64_t>(law.quantiles_ns_size()), 1,
             kMostQuantiles);
  DelayPlan plan{.seed = law.seed(),
                 .quantiles_ns = {law.quantiles_ns().begin(), law.quantiles_ns().end()},
                 .overtaken = law.overtaken(),
                 .correlation = law.correlation()};
  if (!(plan.correlation >= 0 && plan.correlation < 1)) {
    Refuse(where, "correlation ", plan.correlation, "; give 0 or more, and less than 1");
  }
  if (!std::ranges::is_sorted(plan.quantiles_ns)) Refuse(where, "quantiles of the delay fall");
  CheckRange(where, "delay in ns:", plan.quantiles_ns.back(), 0, kMostDelayNs);
  return plan;
}

}  // namespace

void ValidateImpairment(const v1::Impairment& impairment, const std::string& path, PathPlan& plan) {
  const std::string where = Cat(path, ", impairment");
  const auto heading = impairment.heading();
  if (heading != v1::Event::HEADING_FORWARD && heading != v1::Event::HEADING_BACKWARD) {
    Refuse(where, "heading ", static_cast<int>(heading), "; give one direction, 1 or 2");
  }
  auto& place = plan.impairments[heading == v1::Event::HEADING_FORWARD ? 0 : 1];
  if (place) Refuse(where, "its direction has one already; give one for each");
  const bool none = impairment.loss_case() == v1::Impairment::LOSS_NOT_SET &&
                    !impairment.has_shaper() && !impairment.has_delay();
  if (none) Refuse(where, "nothing happens; give a loss, a shaper or a delay");
  place.emplace();
  place->loss = ValidateLoss(impairment, where);
  if (impairment.has_shaper()) place->shaper = ValidateShaper(impairment.shaper(), where);
  if (impairment.has_delay()) place->delay = ValidateDelay(impairment.delay(), where);
}

}  // namespace tester
