// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The clients that may call a tester, by the names in their certificates.
#pragma once

#include <grpcpp/security/auth_metadata_processor.h>

#include <set>
#include <string>

namespace tester {

// Asked on every call, before the service. A client passes if one of the names in its certificate,
// common or alternative, is allowed.
class AllowedClients final : public grpc::AuthMetadataProcessor {
 public:
  explicit AllowedClients(std::set<std::string> names) : names_(std::move(names)) {}

  bool IsBlocking() const override { return false; }
  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* client,
                       OutputMetadata* consumed, OutputMetadata* response) override;

 private:
  std::set<std::string> names_;
};

}  // namespace tester
