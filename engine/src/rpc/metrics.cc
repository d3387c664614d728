// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/metrics.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "snapshot/openmetrics.h"

namespace tester {
namespace {

// From its connection on a client has so long for all.
constexpr auto kPatience = std::chrono::seconds(1);
constexpr size_t kMostClients = 16;
constexpr size_t kMostRequestBytes = 8192;

using SteadyClock = std::chrono::steady_clock;

// A client from its connection to its answer. Nothing in here waits.
class Reader {
 public:
  explicit Reader(int socket) : socket_(socket) {}
  ~Reader() { ::close(socket_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  int socket() const { return socket_; }
  SteadyClock::time_point deadline() const { return deadline_; }
  short events() const { return answer_.empty() ? POLLIN : POLLOUT; }

  // Continues as far as it can. `answer_to` is called with the whole request. False: the connection
  // is over.
  template <typename AnswerTo>
  bool Serve(const AnswerTo& answer_to) {
    if (answer_.empty() && !Read()) return !failed_;
    if (answer_.empty()) answer_ = answer_to(std::string_view(request_));
    return Write();
  }

 private:
  // Reads up to the end of the header. True: the header is complete.
  bool Read() {
    std::array<char, 1024> part;
    while (request_.size() < kMostRequestBytes && request_.find("\r\n\r\n") == std::string::npos) {
      const ssize_t bytes = ::recv(socket_, part.data(), part.size(), 0);
      if (bytes == 0) return true;
      failed_ = bytes < 0 && errno != EAGAIN;
      if (bytes < 0) return false;
      request_.append(part.data(), static_cast<size_t>(bytes));
    }
    return true;
  }

  // True: more is to be written.
  bool Write() {
    while (written_ < answer_.size()) {
      const ssize_t bytes =
          ::send(socket_, answer_.data() + written_, answer_.size() - written_, MSG_NOSIGNAL);
      if (bytes < 0) return errno == EAGAIN;
      written_ += static_cast<size_t>(bytes);
    }
    return false;
  }

  const int socket_;
  const SteadyClock::time_point deadline_ = SteadyClock::now() + kPatience;
  std::string request_;
  std::string answer_;
  size_t written_ = 0;
  bool failed_ = false;
};

std::string Response(std::string_view status, std::string_view type, std::string_view body) {
  return Cat("HTTP/1.1 ", status, "\r\nContent-Type: ", type, "\r\nContent-Length: ", body.size(),
             "\r\nConnection: close\r\n\r\n", body);
}

}  // namespace

MetricsServer::MetricsServer(const std::string& address, std::function<std::string()> text)
    : text_(std::move(text)),
      listener_(std::move(ListenTcp(address, "--metrics", Host::kNumeric).front())),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

MetricsServer::~MetricsServer() {
  const uint64_t one = 1;
  const ssize_t written = ::write(stop_, &one, sizeof one);
  static_cast<void>(written);  // of a counter that is 0
  thread_.join();
  ::close(stop_);
}

void MetricsServer::Run() {
  std::list<Reader> clients;
  for (;;) {
    std::vector<pollfd> polled = {{.fd = stop_, .events = POLLIN, .revents = 0},
                                  // Further clients wait.
                                  {.fd = clients.size() < kMostClients ? listener_.socket() : -1,
                                   .events = POLLIN,
                                   .revents = 0}};
    auto wait = std::chrono::milliseconds(-1);
    if (!clients.empty()) {  // the first one is the oldest
      const auto left = clients.front().deadline() - SteadyClock::now();
      wait = std::max(std::chrono::ceil<std::chrono::milliseconds>(left), {});
    }
    for (const Reader& client : clients) {
      polled.push_back({.fd = client.socket(), .events = client.events(), .revents = 0});
    }
    ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    if (polled[0].revents != 0) return;
    auto ready = polled.begin() + 2;
    const auto now = SteadyClock::now();
    clients.remove_if([&](Reader& client) {
      if (client.deadline() <= now) {
        ++ready;
        return true;
      }
      return ready++->revents != 0 &&
             !client.Serve([this](std::string_view request) { return AnswerTo(request); });
    });
    if (polled[1].revents == 0) continue;
    const int connection = listener_.Accept();
    if (connection >= 0) clients.emplace_back(connection);
  }
}

std::string MetricsServer::AnswerTo(std::string_view request) const {
  constexpr std::string_view kPlain = "text/plain; charset=utf-8";
  if (!request.starts_with("GET /metrics ") && !request.starts_with("GET /metrics?")) {
    return Response("404 Not Found", kPlain, "GET /metrics\n");
  }
  try {
    return Response("200 OK", kOpenMetricsType, text_());
  } catch (const std::exception& error) {
    return Response("500 Internal Server Error", kPlain, error.what());
  }
}

}  // namespace tester
