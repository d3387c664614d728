// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/allowed_clients.h"

#include "base/log.h"
#include "base/text.h"
#include "rpc/caller.h"

namespace tester {

grpc::Status AllowedClients::Process(const InputMetadata& /*metadata*/, grpc::AuthContext* client,
                                     OutputMetadata* /*consumed*/, OutputMetadata* /*response*/) {
  std::string found;
  for (const std::string& name : NamesOf(*client)) {
    if (names_.contains(name)) return grpc::Status::OK;
    found += Cat(found.empty() ? "" : ", ", Quote(name));
  }
  const std::string refusal = Cat("the certificate of ", found.empty() ? "nobody" : found,
                                  " may not use this tester; allowed are the names that testerd "
                                  "was given with --allow, or in its policy");
  Log(LogLevel::kWarning, "refused", {{"reason", refusal}});
  return {grpc::StatusCode::PERMISSION_DENIED, refusal};
}

}  // namespace tester
