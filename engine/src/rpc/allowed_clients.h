// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The clients that may call a tester, by the names in their certificates.
#pragma once

#include <grpcpp/security/auth_metadata_processor.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/policy.h"

namespace tester {

// Asked on every call, before its message is read. A client passes if one of the names in its
// certificate, common or alternative, is allowed, and if its role allows the call: the service
// looks at roles again, but then the message, which may be large, has been read.
class AllowedClients final : public grpc::AuthMetadataProcessor {
 public:
  // `names`: empty for any. `roles`: by names; empty: all are admins.
  AllowedClients(std::set<std::string> names, std::map<std::string, Role> roles)
      : names_(std::move(names)), roles_(std::move(roles)) {}

  bool IsBlocking() const override { return false; }
  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* client,
                       OutputMetadata* consumed, OutputMetadata* response) override;

 private:
  bool Allows(const std::vector<std::string>& names) const;

  const std::set<std::string> names_;
  const std::map<std::string, Role> roles_;
};

// Whether a client that may only observe can make a call of this path, `/tester.v1.Tester/GetInfo`.
bool MayObserve(std::string_view path);

}  // namespace tester
