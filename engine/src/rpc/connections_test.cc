// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/connections.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "base/text.h"
#include "rpc/watchdog.h"

namespace tester {
namespace {

// Connections to a server that the test plays.
class ConnectionsTest : public testing::Test {
 protected:
  ConnectionsTest()
      : connections_(ListenTcp("127.0.0.1:0", "--listen", Host::kNumeric),
                     [this](int socket) { Serve(socket); }) {
    connections_.Start();
  }

  ~ConnectionsTest() override {
    connections_.Stop();
    for (const int socket : clients_) ::close(socket);
    for (const int socket : served_) ::close(socket);
  }

  int Connect() {
    const SocketAddress address = connections_.Address();
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(socket, address.get(), address.bytes), 0);
    clients_.push_back(socket);
    return socket;
  }

  // Connects and sends, and returns gRPC's name of the connection.
  std::string ConnectAndSpeak() {
    std::promise<void> served;
    {
      const std::lock_guard lock(mutex_);
      next_ = &served;
    }
    const int socket = Connect();
    EXPECT_EQ(::send(socket, "x", 1, MSG_NOSIGNAL), 1);
    served.get_future().wait();
    SocketAddress own;
    ::getsockname(socket, own.get(), &own.bytes);
    return Cat("ipv4:127.0.0.1:", ntohs(reinterpret_cast<sockaddr_in*>(own.get())->sin_port));
  }

  static bool IsOpen(int socket) {
    char byte = 0;
    return ::recv(socket, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

  static void AwaitEnd(int socket) {
    pollfd polled{.fd = socket, .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&polled, 1, -1), 1);
  }

  void Serve(int socket) {
    const std::lock_guard lock(mutex_);
    served_.push_back(socket);
    if (next_ != nullptr) next_->set_value();
    next_ = nullptr;
  }

  std::mutex mutex_;
  std::promise<void>* next_ = nullptr;
  std::vector<int> clients_;
  std::vector<int> served_;
  Connections connections_;
};

TEST_F(ConnectionsTest, TheOldestSilentOneMakesRoom) {
  const std::string client = ConnectAndSpeak();
  connections_.Trust(client);
  const size_t most_of_host = connections_.Most() - connections_.Most() / 4;
  for (size_t i = 1; i < most_of_host; ++i) Connect();
  ConnectAndSpeak();
  AwaitEnd(clients_[1]);
  EXPECT_FALSE(IsOpen(clients_[1]));
  EXPECT_TRUE(IsOpen(clients_[0])) << "it has made a call";
  EXPECT_TRUE(IsOpen(clients_[2]));
}

TEST_F(ConnectionsTest, OneThatHasSpokenAndMadeNoCallMakesRoom) {
  const size_t most_of_host = connections_.Most() - connections_.Most() / 4;
  for (size_t i = 0; i < most_of_host; ++i) ConnectAndSpeak();
  ConnectAndSpeak();
  AwaitEnd(clients_[0]);
  EXPECT_FALSE(IsOpen(clients_[0]));
  EXPECT_TRUE(IsOpen(clients_[1]));
}

TEST_F(ConnectionsTest, WhereAllHaveMadeCallsANewOneIsClosed) {
  const size_t most_of_host = connections_.Most() - connections_.Most() / 4;
  for (size_t i = 0; i < most_of_host; ++i) connections_.Trust(ConnectAndSpeak());
  const int refused = Connect();
  AwaitEnd(refused);
  EXPECT_FALSE(IsOpen(refused));
  EXPECT_TRUE(IsOpen(clients_[0]));
  // The server closes one connection: there is room again.
  {
    const std::lock_guard lock(mutex_);
    ::close(served_.front());
    served_.erase(served_.begin());
  }
  ConnectAndSpeak();
}

TEST(Watchdog, EndsWhereNobodyAnswersAnyMore) {
  auto listeners = ListenTcp("127.0.0.1:0", "--listen", Host::kNumeric);
  Listener& listener = listeners.front();
  listener.Accept();  // does not wait
  Watchdog watchdog(listener.Address());
  for (int look = 0; look < 2 * Watchdog::kMostMisses; ++look) {
    ASSERT_TRUE(watchdog.Look()) << "nobody has answered yet: a firewall may forbid it";
  }
  const int connection = listener.Accept();
  ASSERT_GE(connection, 0);
  ::close(connection);
  int looks = 0;
  while (watchdog.Look()) ASSERT_LE(++looks, Watchdog::kPause + Watchdog::kMostMisses + 1);
  EXPECT_GE(looks, Watchdog::kPause + Watchdog::kMostMisses - 1);
}

// Lowers the limit of descriptors to those that are open.
class NoDescriptor {
 public:
  NoDescriptor() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(STDERR_FILENO);
    ::close(next);
    const rlimit none{.rlim_cur = static_cast<rlim_t>(next), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptor() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptor(const NoDescriptor&) = delete;
  NoDescriptor& operator=(const NoDescriptor&) = delete;

 private:
  rlimit before_{};
};

TEST(Listener, ClosesWhatItHasNoDescriptorFor) {
  auto listeners = ListenTcp("127.0.0.1:0", "--listen", Host::kNumeric);
  Listener& listener = listeners.front();
  const SocketAddress address = listener.Address();
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  const int later = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(::connect(client, address.get(), address.bytes), 0);
  {
    const NoDescriptor none;
    EXPECT_EQ(listener.Accept(), -1);
  }
  char byte = 0;
  EXPECT_LE(::recv(client, &byte, 1, 0), 0);
  ASSERT_EQ(::connect(later, address.get(), address.bytes), 0);
  const int connection = listener.Accept();
  EXPECT_GE(connection, 0);
  for (const int socket : {client, later, connection}) ::close(socket);
}

}  // namespace
}  // namespace tester
