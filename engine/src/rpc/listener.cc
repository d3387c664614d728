// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr int kQueuedConnections = 128;
constexpr int kSocketFlags = SOCK_CLOEXEC | SOCK_NONBLOCK;

int ReserveDescriptor() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses Resolve(const std::string& address, std::string_view option, Host kind) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE | (kind == Host::kNumeric ? AI_NUMERICHOST : 0);
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* addresses = nullptr;
  if (colon == std::string::npos || host.empty() ||
      ::getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &addresses) != 0) {
    throw Error(Code::kInvalidArgument,
                Cat(option, " ", Quote(address), "; allowed is ",
                    kind == Host::kNumeric ? "ADDRESS:PORT such as 127.0.0.1:9464 or [::1]:9464"
                                           : "HOST:PORT such as 0.0.0.0:50051 or [::]:50051"));
  }
  return {addresses, ::freeaddrinfo};
}

Listener Bind(int socket, const sockaddr* address, socklen_t bytes) {
  if (socket >= 0 && ::bind(socket, address, bytes) == 0) return Listener(socket);
  const int error = errno;
  if (socket >= 0) ::close(socket);
  throw Error(Code::kFailedPrecondition, std::strerror(error));
}

Listener ListenAt(const addrinfo& address) {
  const int socket = ::socket(address.ai_family, SOCK_STREAM | kSocketFlags, 0);
  const int yes = 1;
  const int no = 0;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // [::] is IPv4, too.
  if (address.ai_family == AF_INET6) {
    ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  }
  return Bind(socket, address.ai_addr, address.ai_addrlen);
}

}  // namespace

Listener::Listener(int socket) : socket_(socket), reserve_(ReserveDescriptor()) {
  if (::listen(socket_, kQueuedConnections) == 0) return;
  const int error = errno;
  ::close(socket_);
  if (reserve_ >= 0) ::close(reserve_);
  throw Error(Code::kFailedPrecondition, std::strerror(error));
}

Listener::~Listener() {
  if (socket_ >= 0) ::close(socket_);
  if (reserve_ >= 0) ::close(reserve_);
}

Listener::Listener(Listener&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), reserve_(std::exchange(other.reserve_, -1)) {}

SocketAddress Listener::Address() const {
  SocketAddress address;
  ::getsockname(socket_, address.get(), &address.bytes);
  return address;
}

uint16_t Listener::Port() const {
  const SocketAddress address = Address();
  return ntohs(address.storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(address.get())->sin_port);
}

int Listener::Accept() {
  const int connection = ::accept4(socket_, nullptr, nullptr, kSocketFlags);
  if (connection >= 0 || (errno != EMFILE && errno != ENFILE)) return connection;
  if (reserve_ >= 0) ::close(reserve_);
  const int closed = ::accept4(socket_, nullptr, nullptr, kSocketFlags);
  if (closed >= 0) ::close(closed);
  reserve_ = ReserveDescriptor();
  return -1;
}

Listener ListenUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) ::unlink(path.c_str());
  // The socket is made with the owner's rights only; a later chmod would come too late.
  const struct OwnerOnly {
    mode_t mask = ::umask(0177);
    ~OwnerOnly() { ::umask(mask); }
  } owner_only;
  try {
    return Bind(::socket(AF_UNIX, SOCK_STREAM | kSocketFlags, 0),
                reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } catch (const Error& error) {
    throw Error(Code::kFailedPrecondition, Cat("--listen unix:", path, ": ", error.what()));
  }
}

std::vector<Listener> ListenTcp(const std::string& address, std::string_view option, Host host) {
  const Addresses addresses = Resolve(address, option, host);
  std::vector<Listener> listeners;
  std::string reason;
  for (const addrinfo* next = addresses.get(); next != nullptr; next = next->ai_next) {
    try {
      listeners.push_back(ListenAt(*next));
    } catch (const Error& error) {
      reason = error.what();
    }
  }
  if (listeners.empty()) {
    throw Error(Code::kFailedPrecondition, Cat(option, " ", Quote(address), ": ", reason));
  }
  return listeners;
}

}  // namespace tester
