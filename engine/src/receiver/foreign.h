// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counts foreign frames, which belong to no stream and no responder: ICMP errors, fragments and
// malformed ones, each by itself.
#pragma once

#include <cstddef>

#include "stats/counters.h"
#include "wire/bytes.h"

namespace tester {

// Whether no sound device sends such a frame: cut short, a length beyond its end, or a wrong
// checksum of IPv4, TCP, UDP or ICMP. Those of pieces of packets are not looked at.
bool IsMalformed(Frame frame);

// `frame` is the begin of a frame of `bytes`; its lengths and checksums are looked at if it is all.
void CountForeign(Frame frame, size_t bytes, PortCounters& port);

}  // namespace tester
