// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Fences of ports: a port with one sends nothing. They act at once, whatever locks others hold and
// whichever worker is stuck; the traffic behind them is stopped in order afterwards. Thread safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "tester/access/lease.h"
#include "tester/ports.h"

namespace tester {

class Fences {
 public:
  explicit Fences(const Ports& ports) : ports_(ports) {}

  // When the traffic of the lease has to end; nothing: there is no lease, or its traffic may stay.
  void LeaseUntil(std::optional<Lease::Clock::time_point> until) {
    const std::lock_guard lock(mutex_);
    until_ = until;
  }
  // Fences all ports if the lease was over a while ago and its traffic is not stopped.
  void CloseOverdue(Lease::Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (!until_ || now < *until_ + kPatience) return;
    for (const auto& port : ports_) Close(*port, kLease);
  }
  // The traffic of the lease is stopped. If that failed, the fences stay until a start.
  void LeaseEnded(bool is_stopped) {
    const std::lock_guard lock(mutex_);
    until_.reset();
    for (const auto& port : ports_) is_stopped ? Open(*port, kLease) : Close(*port, kLease);
  }
  void OpenLease() {
    const std::lock_guard lock(mutex_);
    for (const auto& port : ports_) Open(*port, kLease);
  }

  // For a port that sends more than its policy allows.
  void CloseRate(uint16_t port) { Close(ports_[port], kRate); }
  void OpenRate(uint16_t port) { Open(ports_[port], kRate); }

 private:
  static constexpr uint8_t kLease = 1;
  static constexpr uint8_t kRate = 2;
  // In which the traffic of a lease normally is stopped.
  static constexpr auto kPatience = std::chrono::milliseconds(20);

  static void Close(Port& port, uint8_t fence) {
    port.fences.fetch_or(fence, std::memory_order_relaxed);
  }
  static void Open(Port& port, uint8_t fence) {
    port.fences.fetch_and(static_cast<uint8_t>(~fence), std::memory_order_relaxed);
  }

  const Ports& ports_;
  std::mutex mutex_;
  std::optional<Lease::Clock::time_point> until_;
};

}  // namespace tester
