// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counts foreign frames, which belong to no stream and no responder, and among them ICMP errors,
// fragments and malformed frames.
#pragma once

#include <cstddef>

#include "stats/counters.h"
#include "wire/bytes.h"

namespace tester {

// Whether a frame is malformed: cut short, with a length beyond its end, or with a wrong checksum
// of IPv4, TCP, UDP or ICMP. Checksums of fragments are not verified.
bool IsMalformed(Frame frame);

// `frame` is the begin of a frame of `bytes` bytes. Lengths and checksums are verified if it is
// complete.
void CountForeign(Frame frame, size_t bytes, PortCounters& port);

}  // namespace tester
