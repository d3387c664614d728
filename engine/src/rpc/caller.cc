// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/caller.h"

#include <grpc/grpc_security_constants.h>

#include <algorithm>

#include "base/text.h"

namespace tester {
namespace {

constexpr size_t kLongest = 128;  // of each part

std::string Printable(std::string_view text) {
  std::string printable(text.substr(0, kLongest));
  std::replace_if(
      printable.begin(), printable.end(), [](char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return printable;
}

std::string_view View(const grpc::string_ref& text) { return {text.data(), text.size()}; }

}  // namespace

std::string CallerText(std::string_view user_agent, std::string_view certificate,
                       std::string_view peer) {
  // The suffix of the gRPC library is left out, unless it is all.
  const size_t library = user_agent.find(" grpc-");
  std::string text = Printable(user_agent.substr(0, library));
  if (text.empty()) text = "somebody";
  if (!certificate.empty()) text += Cat(", certificate ", Printable(certificate));
  if (!peer.empty() && !peer.starts_with("unix:")) text += Cat(", at ", Printable(peer));
  return text;
}

std::vector<std::string> NamesOf(const grpc::AuthContext& client) {
  std::vector<std::string> names;
  for (const char* property : {GRPC_X509_CN_PROPERTY_NAME, GRPC_X509_SAN_PROPERTY_NAME}) {
    for (const grpc::string_ref& name : client.FindPropertyValues(property)) {
      names.emplace_back(View(name));
    }
  }
  return names;
}

Role RoleOf(const std::vector<std::string>& names, const std::map<std::string, Role>& roles) {
  Role role = roles.empty() ? Role::kAdmin : Role::kObserve;
  for (const std::string& name : names) {
    if (const auto at = roles.find(name); at != roles.end()) role = std::max(role, at->second);
  }
  return role;
}

Client CallerOf(const grpc::ServerContext& context, const std::map<std::string, Role>& clients) {
  const auto& metadata = context.client_metadata();
  const auto value = [&metadata](const char* key) {
    const auto at = metadata.find(key);
    return at == metadata.end() ? std::string_view() : View(at->second);
  };
  const std::vector<std::string> names = NamesOf(*context.auth_context());
  const std::string certificate = names.empty() ? "" : names.front();
  return {.name = CallerText(value("user-agent"), certificate, context.peer()),
          .token = std::string(value(kLeaseKey).substr(0, kLongest)),
          .trusted = false,
          .role = RoleOf(names, clients),
          .observes = !clients.empty()};
}

}  // namespace tester
