// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The tables with compiled code.
#pragma once

#include <span>

#include "responder/machine/compiled_table.h"

namespace tester::machine {

std::span<const CompiledTable* const> AllCompiledTables();

// The table with the machine's rows; null: interpret it.
inline const CompiledTable* FindCompiledTable(const Machine& machine) {
  for (const CompiledTable* made : AllCompiledTables()) {
    if (made->shape.Fits(machine)) return made;
  }
  return nullptr;
}

}  // namespace tester::machine
