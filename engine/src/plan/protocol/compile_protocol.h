// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// From a protocol's flat arrays to a machine whose every index, size and offset has been checked.
#pragma once

#include <string_view>

#include "responder/machine/machine.h"
#include "tester/v1/protocol.pb.h"

namespace tester {

// INVALID_ARGUMENT. `where` starts the message.
machine::Machine CompileProtocol(const v1::Protocol& protocol, std::string_view where);

}  // namespace tester
