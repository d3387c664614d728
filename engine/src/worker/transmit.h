// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Sending, one burst at a time. Buffers remember the template they hold: one that comes back from
// the driver is sent again as it is, so a frame costs its signature and not its length.
#pragma once

#include <cstdint>

#include <rte_mbuf.h>

#include "generator/template.h"
#include "port/port.h"
#include "worker/program.h"

namespace tester {

inline constexpr uint16_t kBurst = 64;

// The key of the template an mbuf holds; 0: none.
inline uint64_t& TemplateKey(rte_mbuf* mbuf) {
  return *static_cast<uint64_t*>(rte_mbuf_to_priv(mbuf));
}

// Sends up to `count` (1 to kBurst) frames of a template with the sequence numbers from `sequence`
// on. Returns how many the driver took; the others are as if never built.
uint16_t SendTemplate(Port& port, const Template& frame, uint64_t sequence, uint64_t now_ns,
                      uint16_t count);

// Sends one frame that is no template's. False when the driver does not take it.
bool SendFrame(Port& port, Frame frame);

// Sends what is due of a stream, at most a burst. True when something was sent.
bool ServeStream(Port& port, const SendEntry& entry, uint64_t now_ns);

// Sends what is left of an order, at most a burst. True when something was sent.
bool ServeInject(Port& port);

}  // namespace tester
