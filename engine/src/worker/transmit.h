// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sends frames that belong to no stream: answers and injected frames.
#pragma once

#include <cstdint>

#include "port/port.h"
#include "wire/bytes.h"
#include "worker/program.h"

namespace tester {

// Frames that a driver has taken, with their bytes on the wire.
struct SentFrames {
  uint16_t count;
  uint64_t bytes;
};

// Sends 1 to kBurst frames of no stream and counts them on the port. The caller keeps the frames
// that the driver refuses.
SentFrames SendBurst(PortQueue& queue, rte_mbuf** mbufs, uint16_t count);

// Sends one frame that is no template's. False when the driver does not take it.
bool SendFrame(PortQueue& queue, Frame frame);

// Sends the rest of an order, at most a burst. True when something was sent.
bool ServeInject(PortQueue& queue);

}  // namespace tester
