// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Domain names in messages (RFC 1035 section 4.1.4).
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/bytes.h"

namespace tester::wire {

struct DomainName {
  uint64_t hash = 0;  // see ReadName in protocol.proto; 0: there is no whole name
  size_t bytes = 0;   // up to its end, or behind its first pointer
};

// `from`: where it begins. Neither names nor pointers lead before `least`.
DomainName ReadDomainName(Frame message, size_t least, size_t from);

}  // namespace tester::wire
