// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/allowed_clients.h"

#include <algorithm>
#include <array>

#include "base/log.h"
#include "base/text.h"
#include "rpc/caller.h"

namespace tester {

bool MayObserve(std::string_view path) {
  constexpr std::string_view kTester = "/tester.v1.Tester/";
  if (!path.starts_with(kTester)) return true;  // whether it is well, and what does not exist
  constexpr std::array<std::string_view, 5> kCalls = {"GetInfo", "GetLease", "ReadClock",
                                                      "TakeSnapshot", "Wait"};
  return std::ranges::find(kCalls, path.substr(kTester.size())) != kCalls.end();
}

bool AllowedClients::Allows(const std::vector<std::string>& names) const {
  return names_.empty() ||
         std::ranges::any_of(names, [this](const auto& name) { return names_.contains(name); });
}

grpc::Status AllowedClients::Process(const InputMetadata& metadata, grpc::AuthContext* client,
                                     OutputMetadata* /*consumed*/, OutputMetadata* /*response*/) {
  const std::vector<std::string> names = NamesOf(*client);
  const auto path = metadata.find(":path");
  if (Allows(names)) {
    if (path == metadata.end() || RoleOf(names, roles_) > Role::kObserve ||
        MayObserve({path->second.data(), path->second.size()})) {
      return grpc::Status::OK;
    }
    const std::string by = Cat("certificate ", Join(names));
    const std::string refusal =
        Cat(by, " has the role ", RoleName(Role::kObserve),
            " in the policy of this tester; this call needs ", RoleName(Role::kRun));
    const std::string call(path->second.data(), path->second.size());
    Log(LogLevel::kInfo, "refused",
        {{"call", call.substr(call.rfind('/') + 1)}, {"by", by}, {"reason", refusal}});
    return {grpc::StatusCode::PERMISSION_DENIED, refusal};
  }
  std::string found;
  for (const std::string& name : names) found += Cat(found.empty() ? "" : ", ", Quote(name));
  const std::string refusal = Cat("the certificate of ", found.empty() ? "nobody" : found,
                                  " may not use this tester; allowed are the names that testerd "
                                  "was given with --allow, or in its policy");
  Log(LogLevel::kWarning, "refused", {{"reason", refusal}});
  return {grpc::StatusCode::PERMISSION_DENIED, refusal};
}

}  // namespace tester
