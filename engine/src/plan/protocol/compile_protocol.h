// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Compiles a protocol's flat arrays to a machine and checks every index, size and offset.
#pragma once

#include <string_view>

#include "responder/machine/machine.h"
#include "tester/v1/protocol.pb.h"

namespace tester {

// INVALID_ARGUMENT. `where` starts the message.
machine::Machine CompileProtocol(const v1::Protocol& protocol, std::string_view where);

}  // namespace tester
