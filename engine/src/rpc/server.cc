// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/server.h"

#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/support/server_interceptor.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rpc/allowed_clients.h"

namespace tester {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::string_view kTlsPrefix = "grpc+tls:";
constexpr size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr int kMaxMessageBytes = 256 << 20;
// Bytes of all messages that arrive, and threads of calls: an observer may not use up the machine.
constexpr size_t kMostCallBytes = size_t{1} << 30;
constexpr int kMostCallThreads = 256;
constexpr int kMostCallsOfClient = 64;  // on one connection, at a time
constexpr int kHandshakeMs = 10'000;    // a client that says nothing holds a socket no longer
constexpr auto kGoodbye = std::chrono::milliseconds(500);

std::string ReadFile(const std::string& path, std::string_view option) {
  const std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  if (path.empty() || !file || content.str().empty()) {
    throw Error(Code::kInvalidArgument, Cat(option, " ", Quote(path),
                                            " cannot be read; grpc+tls needs --tls-cert, "
                                            "--tls-key and --tls-client-ca, each a PEM file"));
  }
  return content.str();
}

// A user who can read the key can pass for this tester.
void CheckKeyMode(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & 077) == 0) return;
  throw Error(
      Code::kInvalidArgument,
      Cat("--tls-key ", Quote(path), " can be read by others than its owner; chmod 600 ", path));
}

bool SomebodyListens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool connected =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

void CheckSocketPath(const std::string& path) {
  if (path.empty() || path.front() != '/' || path.size() > kMaxSocketPath) {
    throw Error(Code::kInvalidArgument,
                Cat("--listen unix:", path, ": the path has ", path.size(),
                    " bytes; allowed is an absolute path of at most ", kMaxSocketPath, " bytes"));
  }
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(Code::kInvalidArgument,
                Cat("--listen unix:", path, ": ", folder, ": ", std::strerror(errno)));
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) {
    throw Error(Code::kInvalidArgument,
                Cat("--listen unix:", path, ": there is a file of that name and it is no socket"));
  }
  if (SomebodyListens(path)) {
    throw Error(Code::kInvalidArgument,
                Cat("--listen unix:", path, ": another process listens on it"));
  }
}

std::shared_ptr<grpc::ServerCredentials> TlsCredentials(const ListenOptions& options) {
  if (!options.tls_key.empty()) CheckKeyMode(options.tls_key);
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = ReadFile(options.tls_client_ca, "--tls-client-ca");
  tls.pem_key_cert_pairs.push_back(
      {ReadFile(options.tls_key, "--tls-key"), ReadFile(options.tls_certificate, "--tls-cert")});
  auto credentials = grpc::SslServerCredentials(tls);
  if (!options.allowed.empty() || !options.roles.empty()) {
    credentials->SetAuthMetadataProcessor(
        std::make_shared<AllowedClients>(options.allowed, options.roles));
  }
  return credentials;
}

// Marks the connections of clients that may call.
class CallWatch final : public grpc::experimental::Interceptor {
 public:
  CallWatch(const grpc::ServerContextBase& context, Connections& connections)
      : context_(context), connections_(connections) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(
            grpc::experimental::InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      connections_.Trust(context_.peer());
    }
    methods->Proceed();
  }

 private:
  const grpc::ServerContextBase& context_;
  Connections& connections_;
};

class CallWatches final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit CallWatches(Connections& connections) : connections_(connections) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* call) override {
    return new CallWatch(*call->server_context(), connections_);
  }

 private:
  Connections& connections_;
};

std::vector<Listener> Listen(const ListenOptions& options) {
  if (options.IsRemote()) {
    return ListenTcp(options.address.substr(kTlsPrefix.size()), "--listen", Host::kName);
  }
  std::vector<Listener> listeners;
  listeners.push_back(ListenUnix(options.SocketPath()));
  return listeners;
}

}  // namespace

std::string ListenOptions::SocketPath() const {
  return IsRemote() ? "" : address.substr(std::min(address.size(), kUnixPrefix.size()));
}

bool ListenOptions::IsRemote() const { return address.starts_with(kTlsPrefix); }

void CheckListen(const ListenOptions& options) {
  // Before gRPC starts: our own messages report errors.
  ::setenv("GRPC_VERBOSITY", "NONE", 0);
  // gRPC has no setting for the oldest version of TLS. This list of cipher suites up to 1.2 has
  // only one suite, with a key that does not exist; the suites of 1.3 are not affected.
  ::setenv("GRPC_SSL_CIPHER_SUITES", "PSK-AES256-GCM-SHA384", 1);
  if (options.address.starts_with(kUnixPrefix)) {
    CheckSocketPath(options.SocketPath());
  } else if (options.address.starts_with(kTlsPrefix)) {
    TlsCredentials(options);
  } else {
    throw Error(Code::kInvalidArgument, Cat("--listen ", Quote(options.address),
                                            "; allowed are unix:/path and grpc+tls:HOST:PORT"));
  }
}

Server::Server(const ListenOptions& options, Service& service) {
  CheckListen(options);
  // One more reference to the library than there are servers: when the last one goes, it waits for
  // a thread of its own that may sleep for ten seconds.
  grpc_init();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.SetResourceQuota(
      grpc::ResourceQuota("tester").Resize(kMostCallBytes).SetMaxThreads(kMostCallThreads));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostCallsOfClient);
  builder.RegisterService(&service);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  const auto credentials =
      options.IsRemote() ? TlsCredentials(options) : grpc::InsecureServerCredentials();
  acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
  std::vector<Listener> listeners = Listen(options);
  socket_path_ = options.SocketPath();
  connections_ = std::make_unique<Connections>(std::move(listeners), [this](int connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.fd = connection;
    acceptor_->HandleNewConnection(&parameters);
  });
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> watches;
  watches.push_back(std::make_unique<CallWatches>(*connections_));
  builder.experimental().SetInterceptorCreators(std::move(watches));
  server_ = builder.BuildAndStart();
  if (!server_) throw Error(Code::kInternal, "gRPC does not start");
  connections_->Start();
  SetHealthy(true);
}

Server::~Server() {
  SetHealthy(false);
  connections_->Stop();
  server_->Shutdown(std::chrono::system_clock::now() + kGoodbye);
  server_->Wait();
  if (!socket_path_.empty()) ::unlink(socket_path_.c_str());
}

void Server::SetHealthy(bool healthy) {
  server_->GetHealthCheckService()->SetServingStatus("", healthy);
  server_->GetHealthCheckService()->SetServingStatus("tester.v1.Tester", healthy);
}

}  // namespace tester
