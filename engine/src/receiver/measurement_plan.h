// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// How the frames of a stream are measured when they arrive, as a valid plan says it: by version,
// flow, match and content.
#pragma once

#include <cstdint>
#include <memory>

#include "receiver/field_watch.h"
#include "receiver/integrity.h"
#include "receiver/matcher.h"
#include "receiver/version_bit.h"

namespace tester {

struct MeasurementPlan {
  VersionBit version{};
  uint32_t flows = 0;
  Matches matches;
  std::shared_ptr<const Integrity> integrity;      // null without signature
  std::shared_ptr<const ExpectedFields> fields{};  // null without any
};

}  // namespace tester
