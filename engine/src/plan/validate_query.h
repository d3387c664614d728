// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Validates queries.
#pragma once

#include <cstdint>
#include <span>

#include "plan/validate.h"
#include "query/key_table.h"
#include "query/query_plan.h"
#include "tester/v1/query.pb.h"

namespace tester {

inline constexpr uint32_t kMaxQueries = 32;
inline constexpr uint64_t kMaxQueryBytes = uint64_t{2} << 30;
inline constexpr uint32_t kMaxQueryKeys = KeyTable::kMostKeys;

// INVALID_ARGUMENT, NOT_FOUND (port).
QueryPlan ValidateQuery(const v1::Query& query, std::span<const PortLimits> ports);

}  // namespace tester
