// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/caller.h"

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
  // The gRPC library's own suffix is of no interest, unless there is nothing else.
  const size_t library = user_agent.find(" grpc-");
  std::string text = Printable(user_agent.substr(0, library));
  if (text.empty()) text = "somebody";
  if (!certificate.empty()) text += Cat(", certificate ", Printable(certificate));
  if (!peer.empty() && !peer.starts_with("unix:")) text += Cat(", at ", Printable(peer));
  return text;
}

Client CallerOf(const grpc::ServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto value = [&metadata](const char* key) {
    const auto at = metadata.find(key);
    return at == metadata.end() ? std::string_view() : View(at->second);
  };
  std::string certificate;
  for (const grpc::string_ref& name : context.auth_context()->GetPeerIdentity()) {
    if (certificate.empty()) certificate = View(name);
  }
  return {.name = CallerText(value("user-agent"), certificate, context.peer()),
          .token = std::string(value(kLeaseKey).substr(0, kLongest))};
}

}  // namespace tester
