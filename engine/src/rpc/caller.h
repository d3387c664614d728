// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The caller of an RPC, as far as it is known, for people who want to know who has stopped their
// traffic.
#pragma once

#include <grpcpp/server_context.h>

#include <string>
#include <string_view>

namespace tester {

// The name that a client gives itself, the name in its certificate, and its address. They are not
// trusted: unprintable characters are replaced and long texts cut.
std::string CallerOf(const grpc::ServerContext& context);

// The same from its parts; empty where there is none. `peer` is as gRPC writes it.
std::string CallerText(std::string_view user_agent, std::string_view certificate,
                       std::string_view peer);

}  // namespace tester
