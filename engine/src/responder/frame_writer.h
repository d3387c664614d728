// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames from templates, and from the packet in hand; lengths and checksums are right.
#pragma once

#include <cstdint>

#include "responder/machine/context.h"
#include "responder/output.h"

namespace tester::machine {

// The piece of a message that a frame carries.
struct Piece {
  const TableMessage* message = nullptr;  // null: nothing
  uint64_t offset = 0;
  uint32_t bytes = 0;
};

// The bytes of a frame; 0: it is longer than `most`.
size_t WriteTemplate(const FrameTemplate& frame, const Context& context, size_t table,
                     const Piece& piece, size_t most, uint8_t* to);
size_t WriteReply(const Reply& reply, const Context& context, size_t table, size_t most,
                  uint8_t* to);

}  // namespace tester::machine
