// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/connections.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr size_t kMostConnections = 256;
// One host leaves a quarter of the connections to others.
constexpr size_t kShareOfOthers = 4;
constexpr auto kSilence = std::chrono::seconds(10);
constexpr auto kLogInterval = std::chrono::seconds(10);
constexpr int kIdleSeconds = 60;  // until the kernel asks whether the peer is still there

SocketFile FileOf(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

size_t OpenDescriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator folder("/proc/self/fd", error);
  return static_cast<size_t>(std::distance(begin(folder), end(folder)));
}

SocketPeer PeerOf(int socket) {
  SocketAddress address;
  if (::getpeername(socket, address.get(), &address.bytes) != 0) return {};
  if (address.storage.ss_family == AF_INET6) {
    auto* wide = reinterpret_cast<sockaddr_in6*>(address.get());
    if (IN6_IS_ADDR_V4MAPPED(&wide->sin6_addr)) {
      sockaddr_in narrow{};
      narrow.sin_family = AF_INET;
      narrow.sin_port = wide->sin6_port;
      std::memcpy(&narrow.sin_addr, wide->sin6_addr.s6_addr + 12, sizeof narrow.sin_addr);
      std::memcpy(&address.storage, &narrow, sizeof narrow);
      address.bytes = sizeof narrow;
    }
  } else if (address.storage.ss_family != AF_INET) {
    return {};
  }
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  ::getnameinfo(address.get(), address.bytes, host.data(), host.size(), port.data(), port.size(),
                NI_NUMERICHOST | NI_NUMERICSERV);
  return {.host = host.data(),
          .text = address.storage.ss_family == AF_INET
                      ? Cat("ipv4:", host.data(), ":", port.data())
                      : Cat("ipv6:[", host.data(), "]:", port.data())};
}

// Decodes "%5B" and the like.
std::string WithoutPercents(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      int character = 0;
      std::from_chars(text.data() + at + 1, text.data() + at + 3, character, 16);
      plain += static_cast<char>(character);
      at += 2;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

void SetOptions(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
}

}  // namespace

Connections::Connections(std::vector<Listener> listeners, std::function<void(int)> serve)
    : listeners_(std::move(listeners)),
      serve_(std::move(serve)),
      own_descriptors_(OpenDescriptors()),
      stop_(::eventfd(0, EFD_CLOEXEC)) {}

void Connections::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Connections::Stop() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  const ssize_t written = ::write(stop_, &one, sizeof one);
  static_cast<void>(written);  // of a counter that is 0
  thread_.join();
}

Connections::~Connections() {
  Stop();
  ::close(stop_);
  for (const Connection& connection : connections_) {
    if (connection.state == Connection::State::kSilent) ::close(connection.socket);
  }
}

void Connections::Trust(std::string_view peer) {
  const std::string text = WithoutPercents(peer);
  const std::lock_guard lock(mutex_);
  for (Connection& connection : connections_) {
    if (connection.peer.text == text && connection.state == Connection::State::kServed) {
      connection.state = Connection::State::kTrusted;
    }
  }
}

size_t Connections::Most() const {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const size_t free = limit.rlim_cur > own_descriptors_ ? limit.rlim_cur - own_descriptors_ : 0;
  return std::clamp<size_t>(free / 2, 1, kMostConnections);
}

void Connections::Run() {
  for (;;) {
    std::vector<pollfd> polled = {{.fd = stop_, .events = POLLIN, .revents = 0}};
    for (const Listener& listener : listeners_) {
      polled.push_back({.fd = listener.socket(), .events = POLLIN, .revents = 0});
    }
    auto wait = std::chrono::milliseconds(-1);
    std::vector<std::list<Connection>::iterator> silent;
    {
      const std::lock_guard lock(mutex_);
      for (auto next = connections_.begin(); next != connections_.end(); ++next) {
        if (next->state != Connection::State::kSilent) continue;
        if (silent.empty()) {
          wait =
              std::max(std::chrono::ceil<std::chrono::milliseconds>(next->deadline - Clock::now()),
                       std::chrono::milliseconds(0));
        }
        silent.push_back(next);
        polled.push_back({.fd = next->socket, .events = POLLIN, .revents = 0});
      }
    }
    ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    if (polled.front().revents != 0) return;
    auto ready = polled.cbegin() + 1 + static_cast<ptrdiff_t>(listeners_.size());
    const std::lock_guard lock(mutex_);
    for (const auto connection : silent) ServeOrClose(ready++->revents, connection);
    for (size_t i = 0; i < listeners_.size(); ++i) {
      if (polled[1 + i].revents != 0) Accept(listeners_[i]);
    }
  }
}

void Connections::ServeOrClose(short events, std::list<Connection>::iterator connection) {
  if (events == 0) {
    if (connection->deadline <= Clock::now()) Close(connection);
    return;
  }
  char first = 0;
  if (::recv(connection->socket, &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1) {
    Close(connection);
    return;
  }
  // A process that may open the UNIX socket is trusted.
  connection->state =
      connection->peer.host.empty() ? Connection::State::kTrusted : Connection::State::kServed;
  serve_(connection->socket);
}

void Connections::Accept(Listener& listener) {
  const int socket = listener.Accept();
  if (socket < 0) return;
  ForgetClosed();
  Connection connection{.socket = socket,
                        .file = FileOf(socket),
                        .peer = PeerOf(socket),
                        .deadline = Clock::now() + kSilence};
  const std::string& host = connection.peer.host;
  if (!host.empty()) SetOptions(socket);
  const size_t most = Most();
  const bool of_host = !host.empty() && CountOf(host) >= most - most / kShareOfOthers;
  if (of_host || connections_.size() >= most) {
    if (!logged_ || Clock::now() - *logged_ >= kLogInterval) {
      logged_ = Clock::now();
      Log(LogLevel::kWarning, "too many connections",
          {{"connections", static_cast<int64_t>(connections_.size())},
           {"limit", static_cast<int64_t>(most)},
           {"last_from", host.empty() ? "this machine" : host}});
    }
    const auto expendable = Expendable(host, of_host);
    if (expendable == connections_.end()) {
      ::close(socket);
      return;
    }
    Close(expendable);
  }
  connections_.push_back(std::move(connection));
}

void Connections::ForgetClosed() {
  connections_.remove_if([](const Connection& connection) {
    return connection.state != Connection::State::kSilent &&
           FileOf(connection.socket) != connection.file;
  });
}

size_t Connections::CountOf(const std::string& host) const {
  return static_cast<size_t>(std::ranges::count_if(
      connections_, [&](const Connection& other) { return other.peer.host == host; }));
}

// The oldest of `host` if it has too many, or else of the host with the most; a silent one first.
std::list<Connections::Connection>::iterator Connections::Expendable(const std::string& host,
                                                                     bool of_host) {
  std::map<std::string, size_t> untrusted;
  for (const Connection& connection : connections_) {
    if (connection.state != Connection::State::kTrusted) ++untrusted[connection.peer.host];
  }
  auto expendable = connections_.end();
  for (auto next = connections_.begin(); next != connections_.end(); ++next) {
    if (next->state == Connection::State::kTrusted) continue;
    if (of_host && next->peer.host != host) continue;
    const auto rank = [&](const Connection& connection) {
      return std::pair(untrusted[connection.peer.host],
                       connection.state == Connection::State::kSilent);
    };
    if (expendable == connections_.end() || rank(*next) > rank(*expendable)) expendable = next;
  }
  return expendable;
}

void Connections::Close(std::list<Connection>::iterator connection) {
  if (connection->state == Connection::State::kSilent) {
    ::close(connection->socket);
  } else if (FileOf(connection->socket) == connection->file) {
    ::shutdown(connection->socket, SHUT_RDWR);  // the server closes it
  }
  connections_.erase(connection);
}

}  // namespace tester
