// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The caller of an RPC, as far as known, for users who want to know who stopped their traffic.
#pragma once

#include <grpcpp/server_context.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tester/access/client.h"

namespace tester {

// The metadata that has the token of the caller's lease.
inline constexpr char kLeaseKey[] = "tester-lease";

// The name that a client gives itself, the name in its certificate, and its address. They are not
// trusted: unprintable characters are replaced and long texts cut. With the token of its lease, and
// its role in `clients` by the names in its certificate; with none given, it is an admin.
Client CallerOf(const grpc::ServerContext& context, const std::map<std::string, Role>& clients);

// The highest role of these names; an admin where there are no roles.
Role RoleOf(const std::vector<std::string>& names, const std::map<std::string, Role>& roles);

// All names of a certificate, common and alternative ones.
std::vector<std::string> NamesOf(const grpc::AuthContext& client);

// The caller from its parts; empty without them. `peer` is in gRPC's form.
std::string CallerText(std::string_view user_agent, std::string_view certificate,
                       std::string_view peer);

}  // namespace tester
