// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The valid contents of a stream's frames, as a plain struct.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/order.h"
#include "generator/frames/checksums.h"
#include "generator/frames/editor.h"
#include "generator/frames/field.h"

namespace tester {

// The bit that says which version of its stream's counters a frame belongs in.
struct VersionPlan {
  Field field;
  std::vector<Coverage> coverage;
};

struct FramesPlan {
  uint16_t stream_id = 0;  // part of every signature
  bool signature = false;
  std::vector<std::vector<uint8_t>> frames;
  std::vector<OrderRun> order;  // empty: one after the other
  std::vector<Editor> editors;
  std::vector<Checksum> checksums;
  std::optional<VersionPlan> version;
};

}  // namespace tester
