// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters as text that Prometheus and others read: OpenMetrics 1.0.
#pragma once

#include <string>

#include "tester/v1/counters.pb.h"

namespace tester {

inline constexpr const char* kOpenMetricsType =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

// Every counted number of a snapshot, without buckets, by its name in counters.proto: a field f of
// a stream is tester_stream_f{stream="id"}, of its latency tester_stream_latency_f, and so on. Help
// and kind come from its options there.
std::string OpenMetrics(const v1::Snapshot& snapshot);

}  // namespace tester
