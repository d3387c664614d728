// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Texts in a stream, however it is cut into packets (TesterLibrary/protocols/automaton.py).
#pragma once

#include <cstdint>

#include "responder/machine/machine.h"
#include "wire/bytes.h"

namespace tester::machine {

// The result of scanning a piece: the bytes taken, and why it stopped there.
struct Scanned {
  uint32_t taken = 0;
  bool ended = false;
  bool overlong = false;
};

// Continues with a stream up to an end, and sets the variables of its finds.
Scanned ScanPiece(const Machine& machine, const Scanner& scanner, Frame piece, const State& state);

}  // namespace tester::machine
