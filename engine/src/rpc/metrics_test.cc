// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/metrics.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/error.h"

namespace tester {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

int Connect(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return socket;
}

std::string Ask(uint16_t port, const std::string& request) {
  const int socket = Connect(port);
  ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_WR);
  std::string answer;
  std::array<char, 256> part;
  ssize_t bytes = 0;
  while ((bytes = ::recv(socket, part.data(), part.size(), 0)) > 0) {
    answer.append(part.data(), static_cast<size_t>(bytes));
  }
  ::close(socket);
  return answer;
}

TEST(MetricsServer, AnswersEachThatAsks) {
  int asked = 0;
  const MetricsServer server("127.0.0.1:0", [&] { return "asked " + std::to_string(++asked); });
  for (const char* text : {"asked 1", "asked 2"}) {
    const std::string answer = Ask(server.port(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 7\r\n"));
    EXPECT_THAT(answer, EndsWith(text));
  }
}

TEST(MetricsServer, KnowsNothingElse) {
  const MetricsServer server("127.0.0.1:0", [] { return "text"; });
  for (const char* request : {"GET / HTTP/1.1\r\n\r\n", "POST /metrics HTTP/1.1\r\n\r\n",
                              "GET /metric", "", "\r\n\r\n"}) {
    EXPECT_THAT(Ask(server.port(), request), StartsWith("HTTP/1.1 404 ")) << request;
  }
  EXPECT_THAT(Ask(server.port(), std::string(100'000, 'x')), StartsWith("HTTP/1.1 404 "));
}

TEST(MetricsServer, SaysWhatWentWrong) {
  const MetricsServer server("127.0.0.1:0",
                             []() -> std::string { throw std::runtime_error("no luck"); });
  const std::string answer = Ask(server.port(), "GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(answer, EndsWith("no luck"));
}

TEST(MetricsServer, ASlowClientHoldsNobodyUp) {
  std::optional<MetricsServer> server;
  server.emplace("127.0.0.1:0", [] { return "text"; });
  const auto start = std::chrono::steady_clock::now();
  const int slow = Connect(server->port());
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(::send(slow, "G", 1, MSG_NOSIGNAL), 1);
    EXPECT_THAT(Ask(server->port(), "GET /metrics HTTP/1.1\r\n\r\n"), EndsWith("text"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(800))
      << "others are answered meanwhile";
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(900))
      << "it does not keep the server from its end";
  ::close(slow);
}

TEST(MetricsServer, AClientHasASecondForAll) {
  const MetricsServer server("127.0.0.1:0", [] { return "text"; });
  const auto start = std::chrono::steady_clock::now();
  const int slow = Connect(server.port());
  // One byte at a time, each well within a second.
  const auto patience = start + std::chrono::seconds(5);
  while (std::chrono::steady_clock::now() < patience && ::send(slow, "G", 1, MSG_NOSIGNAL) == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  ::close(slow);
}

TEST(MetricsServer, RefusesAddresses) {
  const auto code = [](const std::string& address) {
    try {
      const MetricsServer server(address, [] { return ""; });
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(address));
      return error.code();
    }
    ADD_FAILURE() << "accepted " << address;
    return Code::kInternal;
  };
  for (const char* address : {"", "9464", ":9464", "127.0.0.1", "localhost:9464", "127.0.0.1:x"}) {
    EXPECT_EQ(code(address), Code::kInvalidArgument) << address;
  }
  const MetricsServer server("127.0.0.1:0", [] { return ""; });
  EXPECT_EQ(code("192.0.2.1:9464"), Code::kFailedPrecondition) << "not ours";
}

}  // namespace
}  // namespace tester
