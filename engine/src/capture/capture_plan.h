// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A valid request to capture frames, as a plain struct.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture_lane.h"
#include "capture/filter.h"
#include "capture/trigger.h"

namespace tester {

struct CapturePlan {
  std::string name;
  std::vector<bool> ports;  // by index: whether it is captured
  bool transmitted;
  bool received;
  std::shared_ptr<const Filter> filter;  // null: every frame
  std::vector<std::string> streams;      // empty: every frame
  Lane::Keep keep;
  uint32_t frames;
  uint32_t snap_length;
  std::optional<TriggerPlan> trigger{};  // of kTriggered
  uint64_t every = 1;                    // of a trace: frames whose number is a multiple
  uint64_t lease = 0;                    // under which it was started; 0: none
};

}  // namespace tester
