// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Serves counters over HTTP to any client, for Prometheus: GET /metrics and nothing else. Clients
// are served side by side, each for a second at most, so that a slow one delays no other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "rpc/listener.h"

namespace tester {

class MetricsServer {
 public:
  // `address` is HOST:PORT with a numeric host, [::1]:9464 for IPv6; port 0: any. `text` is asked
  // for each request, by a thread of its own. INVALID_ARGUMENT, FAILED_PRECONDITION (cannot
  // listen).
  MetricsServer(const std::string& address, std::function<std::string()> text);
  // Ends at once, even while it serves.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  uint16_t port() const { return listener_.Port(); }

 private:
  void Run();
  std::string AnswerTo(std::string_view request) const;

  std::function<std::string()> text_;
  Listener listener_;
  int stop_;  // an eventfd
  std::thread thread_;
};

}  // namespace tester
