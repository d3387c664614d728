// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/access/lease.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <random>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

using std::chrono::nanoseconds;

constexpr size_t kMostEnded = 256;
constexpr int kSecretWords = 4;  // of 32 bits

std::string Time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%F %T UTC", &utc);
  return text.data();
}

// The number orders leases; the rest is secret.
std::string NewToken(uint64_t number) {
  std::random_device random;
  std::string token = Cat(number, ".");
  for (int i = 0; i < kSecretWords; ++i) {
    uint32_t word = random();
    for (int digit = 0; digit < 8; ++digit, word >>= 4) token += "0123456789abcdef"[word & 15];
  }
  return token;
}

std::string Seconds(nanoseconds time) {
  return Cat(std::chrono::duration<double>(time).count(), " s");
}

constexpr std::string_view kAcquire = "acquire a lease (Open Tester does, or `tester lease hold`)";

}  // namespace

void Lease::Check(const Client& client, Clock::time_point now) const {
  if (client.trusted || HeldBy(client, now)) return;
  const std::string lost = Explain(client.token);
  if (held_ && held_->token != client.token) {
    throw Error(Code::kPermissionDenied,
                Cat(lost, lost.empty() ? "" : "; ", HolderSentence(now),
                    "; wait until it ends, ask its owner, or take it over by force"));
  }
  if (held_) {  // its time may be over already
    throw Error(Code::kPermissionDenied,
                Cat("lease ", held_->number, " of ", Quote(held_->owner), " was not renewed for ",
                    Seconds(held_->ttl), "; ", kAcquire, " and measure again"));
  }
  if (!lost.empty()) {
    throw Error(Code::kPermissionDenied,
                Cat(lost, "; nobody holds one now: ", kAcquire, " and measure again"));
  }
  if (!required_) return;
  throw Error(Code::kPermissionDenied,
              Cat("this tester serves nobody without a lease, and nobody holds one: ", kAcquire));
}

void Lease::CheckAcquire(const v1::AcquireLeaseRequest& request, const Client& client,
                         Clock::time_point now) const {
  const std::string& owner = request.owner();
  const bool printable = std::ranges::all_of(owner, [](char c) { return c >= 0x20 && c < 0x7f; });
  if (owner.empty() || owner.size() > kLongestOwner || !printable) {
    throw Error(Code::kInvalidArgument,
                Cat("lease: owner ", Quote(owner.substr(0, kLongestOwner)), "; allowed are 1 to ",
                    kLongestOwner, " printable characters of ASCII"));
  }
  if (request.ttl_ns() < static_cast<uint64_t>(kShortest.count()) ||
      request.ttl_ns() > static_cast<uint64_t>(kLongest.count())) {
    throw Error(Code::kInvalidArgument,
                Cat("lease: ttl_ns ", request.ttl_ns(), "; allowed are ", kShortest.count(),
                    " (1 s) to ", kLongest.count(), " (1 h)"));
  }
  if (!held_) return;
  if (HeldBy(client, now)) {
    throw Error(Code::kAlreadyExists,
                Cat("lease: this client holds lease ", held_->number, " already; renew it"));
  }
  if (request.force()) return;
  throw Error(
      Code::kPermissionDenied,
      Cat(HolderSentence(now), "; wait until it ends, ask its owner, or take it over by force"));
}

std::string Lease::Grant(const v1::AcquireLeaseRequest& request, const Client& client,
                         Clock::time_point now) {
  const nanoseconds ttl(request.ttl_ns());
  held_ = {.number = last_number_ + 1,
           .token = NewToken(last_number_ + 1),
           .owner = request.owner(),
           .client = client.name,
           .since = std::chrono::system_clock::now(),
           .ttl = ttl,
           .until = now + ttl,
           .detached = request.detached()};
  ++last_number_;
  return held_->token;
}

void Lease::CheckHeld(const Client& client, Clock::time_point now) const {
  if (HeldBy(client, now)) return;
  if (client.token.empty()) {
    throw Error(Code::kPermissionDenied, Cat("this client has no lease", held_ ? "; " : "",
                                             held_ ? HolderSentence(now) : ""));
  }
  Check(client, now);
}

void Lease::Renew(const Client& client, Clock::time_point now) {
  CheckHeld(client, now);
  held_->until = now + held_->ttl;
}

void Lease::End(const std::string& how) {
  if (!held_) return;
  ended_.emplace_back(held_->token,
                      Cat("lease ", held_->number, " of ", Quote(held_->owner), " ended at ",
                          Time(std::chrono::system_clock::now()), ": ", how));
  while (ended_.size() > kMostEnded) ended_.pop_front();
  held_.reset();
}

std::string Lease::Explain(std::string_view token) const {
  if (token.empty() || (held_ && held_->token == token)) return {};
  const auto at = std::ranges::find(ended_, token, &std::pair<std::string, std::string>::first);
  if (at != ended_.end()) return at->second;
  return "this tester has not granted the lease that the caller names; it was started anew since, "
         "or that "
         "was long ago";
}

std::string Lease::HolderText() const {
  return held_ ? Cat(Quote(held_->owner), " (", held_->client, ")") : "nobody";
}

std::string Lease::HolderSentence(Clock::time_point now) const {
  const auto left = std::chrono::duration_cast<std::chrono::system_clock::duration>(
      std::max(nanoseconds(0), nanoseconds(held_->until - now)));
  return Cat("the tester is leased to ", HolderText(), " since ", Time(held_->since), ", until ",
             Time(std::chrono::system_clock::now() + left), " unless it is renewed");
}

std::optional<v1::Lease> Lease::Message(Clock::time_point now) const {
  if (!held_ || IsOver(now)) return std::nullopt;
  v1::Lease lease;
  lease.set_number(held_->number);
  lease.set_owner(held_->owner);
  lease.set_client(held_->client);
  lease.set_since_unix_ns(
      std::chrono::duration_cast<nanoseconds>(held_->since.time_since_epoch()).count());
  lease.set_ttl_ns(static_cast<uint64_t>(held_->ttl.count()));
  lease.set_remaining_ns(static_cast<uint64_t>(nanoseconds(held_->until - now).count()));
  lease.set_detached(held_->detached);
  return lease;
}

}  // namespace tester
