// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A listening socket. Without a descriptor for a connection, the connection is accepted by the
// reserve and closed: in the queue it would wake the poller endlessly.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tester {

// The address of a socket or of its peer.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof storage;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

class Listener {
 public:
  // Takes over a socket that is bound. FAILED_PRECONDITION if it cannot listen.
  explicit Listener(int socket);
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int socket() const { return socket_; }
  SocketAddress Address() const;
  uint16_t Port() const;  // of TCP

  // The next connection, without blocking; -1 without a connection, or without a descriptor for it.
  int Accept();

 private:
  int socket_;
  int reserve_;  // closed to accept a connection when no descriptor is free
};

// With the rights of its owner only. A socket of that name is replaced.
Listener ListenUnix(const std::string& path);

enum class Host : uint8_t { kNumeric, kName };

// HOST:PORT or [HOST]:PORT, a listener for each address of the host. INVALID_ARGUMENT for another
// form, FAILED_PRECONDITION where it cannot listen; `option` is for the message.
std::vector<Listener> ListenTcp(const std::string& address, std::string_view option, Host host);

}  // namespace tester
