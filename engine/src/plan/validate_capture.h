// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// What is to be captured, checked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/filter.h"
#include "capture/lane.h"
#include "plan/validate.h"
#include "tester/v1/capture.pb.h"

namespace tester {

inline constexpr uint32_t kMaxCaptures = 8;
inline constexpr uint64_t kMaxCaptureBytes = uint64_t{2} << 30;

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
};

// INVALID_ARGUMENT, NOT_FOUND (port), RESOURCE_EXHAUSTED.
CapturePlan ValidateCapture(const v1::Capture& capture, std::span<const PortLimits> ports);

}  // namespace tester
