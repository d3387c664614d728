// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Who may use the tester, and until when (lease.proto). Knows no jobs: who ends a lease stops what
// was loaded under it. Not thread safe.
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
  using Clock = std::chrono::steady_clock;  // an administrator who sets the time ends no lease
  static constexpr std::chrono::nanoseconds kShortest = std::chrono::seconds(1);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(1);
  static constexpr size_t kLongestOwner = 128;

  // `required`: a client without a lease is refused even if nobody holds one.
  explicit Lease(bool required) : required_(required) {}

  // Throws Error PERMISSION_DENIED unless the client may use the tester now.
  void Check(const Client& client, Clock::time_point now) const;
  // Throws Error where the request is wrong, or somebody holds a lease and it is not by force.
  void CheckAcquire(const v1::AcquireLeaseRequest& request, const Client& client,
                    Clock::time_point now) const;
  // Of a request that was checked, when nobody holds one. Returns the token.
  std::string Grant(const v1::AcquireLeaseRequest& request, const Client& client,
                    Clock::time_point now);
  // Throws Error PERMISSION_DENIED unless the client holds it.
  void Renew(const Client& client, Clock::time_point now);
  void CheckHeld(const Client& client, Clock::time_point now) const;
  // Ends the one in force; `how` it came to its end, for its owner.
  void End(const std::string& how);

  bool IsHeld() const { return held_.has_value(); }
  bool IsOver(Clock::time_point now) const { return held_ && now >= held_->until; }
  bool IsDetached() const { return held_ && held_->detached; }
  // 0: none is in force.
  uint64_t Number() const { return held_ ? held_->number : 0; }
  bool required() const { return required_; }
  std::optional<v1::Lease> Message(Clock::time_point now) const;
  // `"alice" (the client)`; of the one in force.
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
  // Why a token is not that of the one in force; empty for no token.
  std::string Explain(std::string_view token) const;
  // `...; it is leased to "bob" (...) since ..., until ...`.
  std::string HolderSentence(Clock::time_point now) const;

  const bool required_;
  uint64_t last_number_ = 0;
  std::optional<Held> held_;
  std::deque<std::pair<std::string, std::string>> ended_;  // the last tokens, and how they ended
};

}  // namespace tester
