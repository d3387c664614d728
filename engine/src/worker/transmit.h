// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames that are no stream's: answers, and what is injected.
#pragma once

#include <cstdint>

#include "port/port.h"
#include "wire/bytes.h"
#include "worker/program.h"

namespace tester {

// Frames of no stream, at most kBurst. Returns how many the driver took.
uint16_t SendBurst(const Port& port, rte_mbuf** mbufs, uint16_t count);

// Sends one frame that is no template's. False when the driver does not take it.
bool SendFrame(Port& port, Frame frame);

// Sends what is left of an order, at most a burst. True when something was sent.
bool ServeInject(Port& port);

}  // namespace tester
