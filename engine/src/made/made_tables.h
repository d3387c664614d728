// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The tables that code was made of.
#pragma once

#include <span>

#include "responder/made.h"

namespace tester::machine {

std::span<const Made* const> AllMade();

// The one whose rows are the machine's; null: it is interpreted.
inline const Made* FindMade(const Machine& machine) {
  for (const Made* made : AllMade()) {
    if (made->shape.Fits(machine)) return made;
  }
  return nullptr;
}

}  // namespace tester::machine
