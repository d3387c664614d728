// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sending, one burst at a time.
#pragma once

#include <cstdint>

#include "port/port.h"
#include "wire/bytes.h"
#include "worker/program.h"

namespace tester {

// Sends one frame that is no template's. False when the driver does not take it.
bool SendFrame(Port& port, Frame frame);

// Sends what is due of a stream, at most a burst. True when something was sent.
bool ServeStream(Port& port, const SendEntry& entry, uint64_t now_ns);

// Sends what is left of an order, at most a burst. True when something was sent.
bool ServeInject(Port& port);

}  // namespace tester
