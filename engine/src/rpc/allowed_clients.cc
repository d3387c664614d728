// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/allowed_clients.h"

#include <grpc/grpc_security_constants.h>

#include "base/log.h"
#include "base/text.h"

namespace tester {

grpc::Status AllowedClients::Process(const InputMetadata& /*metadata*/, grpc::AuthContext* client,
                                     OutputMetadata* /*consumed*/, OutputMetadata* /*response*/) {
  std::string found;
  for (const char* property : {GRPC_X509_CN_PROPERTY_NAME, GRPC_X509_SAN_PROPERTY_NAME}) {
    for (const grpc::string_ref& name : client->FindPropertyValues(property)) {
      const std::string text(name.data(), name.size());
      if (names_.contains(text)) return grpc::Status::OK;
      found += Cat(found.empty() ? "" : ", ", Quote(text));
    }
  }
  const std::string refusal =
      Cat("the certificate of ", found.empty() ? "nobody" : found,
          " may not use this tester; allowed are the names that testerd was given with --allow");
  Log(LogLevel::kWarning, "refused", {{"reason", refusal}});
  return {grpc::StatusCode::PERMISSION_DENIED, refusal};
}

}  // namespace tester
