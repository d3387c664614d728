// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whether clients still reach the server: connects to it now and then, says something that no
// client says, and waits for the answer or the end of the connection.
#pragma once

#include "rpc/listener.h"

namespace tester {

class Watchdog {
 public:
  explicit Watchdog(const SocketAddress& address) : address_(address) {}
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  static constexpr int kPause = 5;        // looks from an answer to the next connection
  static constexpr int kMostMisses = 15;  // looks in a row

  // Looks once, without blocking. False: the server answered before, and did not answer in the last
  // looks.
  bool Look();

 private:
  void Connect();
  bool Answered();
  void Disconnect();

  const SocketAddress address_;
  int socket_ = -1;
  bool asked_ = false;
  bool answered_once_ = false;  // a firewall may forbid it
  int pause_ = 0;
  int misses_ = 0;
};

}  // namespace tester
