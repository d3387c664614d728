// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The listening end: a UNIX socket of the owner's, or TCP with TLS and client certificates.
#pragma once

#include <grpcpp/server_builder.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "rpc/connections.h"
#include "rpc/service.h"

namespace tester {

struct ListenOptions {
  std::string address;  // unix:/path or grpc+tls:HOST:PORT
  std::string tls_certificate;
  std::string tls_key;
  std::string tls_client_ca;
  std::set<std::string> allowed;  // names of certificates; empty: any that tls_client_ca has signed
  std::map<std::string, Role> roles;  // by names of certificates; empty: all are admins

  // Over a network every client needs a lease: a client that goes away would leave traffic on.
  bool IsRemote() const;
  // Empty for TCP.
  std::string SocketPath() const;
};

class Server {
 public:
  // Listens when it returns. INVALID_ARGUMENT for an address or a file that cannot be used.
  Server(const ListenOptions& options, Service& service);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void SetHealthy(bool healthy);
  // The address at which this process can connect.
  SocketAddress Address() const { return connections_->Address(); }

 private:
  std::string socket_path_;  // empty for TCP
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<Connections> connections_;
  std::unique_ptr<grpc::Server> server_;
};

// Throws Error INVALID_ARGUMENT where Server would, before anything is opened.
void CheckListen(const ListenOptions& options);

}  // namespace tester
