// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames that are no stream's: answers, and what is injected.
#pragma once

#include <cstdint>

#include "port/port.h"
#include "wire/bytes.h"
#include "worker/program.h"

namespace tester {

// Sends one frame that is no template's. False when the driver does not take it.
bool SendFrame(Port& port, Frame frame);

// Sends what is left of an order, at most a burst. True when something was sent.
bool ServeInject(Port& port);

}  // namespace tester
