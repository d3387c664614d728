// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The lease of the tester: its owner and its end (lease.proto). It knows no jobs: the caller that
// ends a lease stops its traffic. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tester/access/client.h"
#include "tester/v1/lease.pb.h"

namespace tester {

class Lease {
 public:
  // Monotonic: a change of the system's time ends no lease.
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::nanoseconds kShortest = std::chrono::seconds(1);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(1);
  static constexpr size_t kLongestOwner = 128;

  // `required`: a client without a lease is refused even while no client has one.
  explicit Lease(bool required) : required_(required) {}

  // Throws Error PERMISSION_DENIED unless the client may use the tester now.
  void Check(const Client& client, Clock::time_point now) const;
  // Throws Error for a wrong request, and without force while another client has a lease.
  void CheckAcquire(const v1::AcquireLeaseRequest& request, const Client& client,
                    Clock::time_point now) const;
  // Grants a checked request while no lease is in force. Returns the token.
  std::string Grant(const v1::AcquireLeaseRequest& request, const Client& client,
                    Clock::time_point now);
  // Throws Error PERMISSION_DENIED unless the client holds it.
  void Renew(const Client& client, Clock::time_point now);
  void CheckHeld(const Client& client, Clock::time_point now) const;
  // Ends the lease in force. `how`: the reason, for its owner.
  void End(const std::string& how);

  // When its traffic ends, if nobody renews it; nothing without a lease, or with a detached one.
  std::optional<Clock::time_point> TrafficUntil() const {
    return held_ && !held_->detached ? std::optional(held_->until) : std::nullopt;
  }
  bool IsHeld() const { return held_.has_value(); }
  bool IsOver(Clock::time_point now) const { return held_ && now >= held_->until; }
  bool IsDetached() const { return held_ && held_->detached; }
  // 0: no lease is in force.
  uint64_t Number() const { return held_ ? held_->number : 0; }
  bool required() const { return required_; }
  std::optional<v1::Lease> Message(Clock::time_point now) const;
  // The owner of the lease in force, as `"alice" (the client)`.
  std::string HolderText() const;

 private:
  struct Held {
    uint64_t number;
    std::string token;
    std::string owner;
    std::string client;
    std::chrono::system_clock::time_point since;
    std::chrono::nanoseconds ttl;
    Clock::time_point until;
    bool detached;
  };

  bool HeldBy(const Client& client, Clock::time_point now) const {
    return held_ && held_->token == client.token && now < held_->until;
  }
  // Why a token is not the token in force; empty for no token.
  std::string Explain(std::string_view token) const;
  // `...; it is leased to "bob" (...) since ..., until ...`.
  std::string HolderSentence(Clock::time_point now) const;

  const bool required_;
  uint64_t last_number_ = 0;
  std::optional<Held> held_;
  std::deque<std::pair<std::string, std::string>> ended_;  // the last tokens, and how they ended
};

}  // namespace tester
