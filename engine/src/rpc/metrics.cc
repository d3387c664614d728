// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/metrics.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "error.h"
#include "stats/openmetrics.h"
#include "text.h"

namespace tester {
namespace {

constexpr int kPollMs = 200;
constexpr timeval kPatience = {.tv_sec = 1, .tv_usec = 0};
constexpr size_t kMostRequestBytes = 8192;
constexpr int kWaiting = 8;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses Parse(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (colon == std::string::npos || host.empty() ||
      ::getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) != 0) {
    throw Error(Code::kInvalidArgument,
                Cat("--metrics ", Quote(address),
                    "; allowed is ADDRESS:PORT such as 127.0.0.1:9464 or [::1]:9464"));
  }
  return {found, ::freeaddrinfo};
}

int Listen(const std::string& address) {
  const Addresses found = Parse(address);
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket, found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket, kWaiting) != 0) {
    const std::string reason = std::strerror(errno);
    ::close(socket);
    throw Error(Code::kFailedPrecondition, Cat("--metrics ", Quote(address), ": ", reason));
  }
  return socket;
}

// What a client asks, up to the end of the header; it may take its time, but not much.
std::string ReadRequest(int connection) {
  std::string request;
  std::array<char, 1024> part;
  while (request.size() < kMostRequestBytes && request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t bytes = ::recv(connection, part.data(), part.size(), 0);
    if (bytes <= 0) break;
    request.append(part.data(), static_cast<size_t>(bytes));
  }
  return request;
}

void Write(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (bytes <= 0) return;
    text.remove_prefix(static_cast<size_t>(bytes));
  }
}

std::string Response(std::string_view status, std::string_view type, std::string_view body) {
  return Cat("HTTP/1.1 ", status, "\r\nContent-Type: ", type, "\r\nContent-Length: ", body.size(),
             "\r\nConnection: close\r\n\r\n", body);
}

}  // namespace

MetricsServer::MetricsServer(const std::string& address, std::function<std::string()> text)
    : text_(std::move(text)), socket_(Listen(address)), thread_([this] { Run(); }) {}

MetricsServer::~MetricsServer() {
  stop_ = true;
  thread_.join();
  ::close(socket_);
}

uint16_t MetricsServer::port() const {
  sockaddr_storage bound{};
  socklen_t bytes = sizeof bound;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&bound), &bytes);
  return bound.ss_family == AF_INET6 ? ntohs(reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port)
                                     : ntohs(reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

void MetricsServer::Run() {
  while (!stop_) {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kPollMs) <= 0) continue;
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
      ::setsockopt(connection, SOL_SOCKET, option, &kPatience, sizeof kPatience);
    }
    Answer(connection);
    ::close(connection);
  }
}

void MetricsServer::Answer(int connection) const {
  constexpr std::string_view kPlain = "text/plain; charset=utf-8";
  const std::string request = ReadRequest(connection);
  if (!request.starts_with("GET /metrics ") && !request.starts_with("GET /metrics?")) {
    Write(connection, Response("404 Not Found", kPlain, "GET /metrics\n"));
    return;
  }
  try {
    Write(connection, Response("200 OK", kOpenMetricsType, text_()));
  } catch (const std::exception& error) {
    Write(connection, Response("500 Internal Server Error", kPlain, error.what()));
  }
}

}  // namespace tester
