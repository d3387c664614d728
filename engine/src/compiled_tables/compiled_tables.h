// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The tables that code was made of.
#pragma once

#include <span>

#include "responder/machine/compiled_table.h"

namespace tester::machine {

std::span<const CompiledTable* const> AllCompiledTables();

// The one whose rows are the machine's; null: it is interpreted.
inline const CompiledTable* FindCompiledTable(const Machine& machine) {
  for (const CompiledTable* made : AllCompiledTables()) {
    if (made->shape.Fits(machine)) return made;
  }
  return nullptr;
}

}  // namespace tester::machine
