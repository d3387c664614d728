// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Accepts the connections of clients for the server and limits them, so that no number of strangers
// keeps a client out: gRPC 1.51 never accepts again after it once had no descriptor. The server
// gets a connection with its first byte. Beyond the limit, the host with the most connections
// without a call loses the oldest of these.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "rpc/listener.h"

namespace tester {

struct SocketFile {
  dev_t device = 0;
  ino_t number = 0;

  bool operator==(const SocketFile&) const = default;
};

struct SocketPeer {
  std::string host;  // empty for a UNIX socket
  std::string text;  // in gRPC's form, with percent signs decoded
};

class Connections {
 public:
  // `serve` takes over a connection, from Start to Stop.
  Connections(std::vector<Listener> listeners, std::function<void(int)> serve);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  void Start();
  void Stop();
  // A call came from this peer, as gRPC names it: "ipv4:192.0.2.1:4000".
  void Trust(std::string_view peer);
  // How many there may be with the descriptors that the process may open now.
  size_t Most() const;
  // The address at which the process itself can connect.
  SocketAddress Address() const { return listeners_.front().Address(); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    enum class State : uint8_t { kSilent, kServed, kTrusted };

    int socket;
    SocketFile file;  // shows whether the server has closed it
    SocketPeer peer;
    Clock::time_point deadline;  // for its first byte
    State state = State::kSilent;
  };

  void Run();
  void ServeOrClose(short events, std::list<Connection>::iterator connection);
  void Accept(Listener& listener);
  void ForgetClosed();
  size_t CountOf(const std::string& host) const;
  std::list<Connection>::iterator Expendable(const std::string& host, bool of_host);
  void Close(std::list<Connection>::iterator connection);

  std::vector<Listener> listeners_;
  const std::function<void(int)> serve_;
  const size_t own_descriptors_;  // descriptors of the process without connections
  std::mutex mutex_;
  std::list<Connection> connections_;  // the oldest first
  std::optional<Clock::time_point> logged_;
  int stop_;  // an eventfd
  std::thread thread_;
};

}  // namespace tester
