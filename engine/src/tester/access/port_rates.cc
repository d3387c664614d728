// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/access/port_rates.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/int128.h"
#include "base/saturate.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr uint64_t kWindowNs = 1'000'000'000;
// A stream that was blocked for this share of the time may owe as much.
constexpr uint64_t kShare = 10;
constexpr uint64_t kBits = 8;
constexpr uint64_t kMillisecondNs = 1'000'000;

// The frames or bytes allowed in a time; a part of a second allows as much as a whole one.
uint64_t Allowed(uint64_t limit, uint64_t time_ns) {
  return Saturate(Uint128{limit} * std::max(time_ns, kWindowNs) / kWindowNs);
}

bool IsOver(uint64_t sent, const std::optional<uint64_t>& limit, uint64_t time_ns) {
  if (!limit) return false;
  const uint64_t allowed = Allowed(*limit, time_ns);
  return sent > AddSaturating(allowed, allowed / kShare);
}

// How long it takes to send so much at the limit.
uint64_t TimeOf(uint64_t sent, const std::optional<uint64_t>& limit) {
  return limit ? Saturate(Uint128{sent} * kWindowNs / *limit) : 0;
}

}  // namespace

PortRates::PortRates(const Ports& ports) : ports_(ports) {
  for (size_t i = 0; i < ports.size(); ++i) {
    const PortLimits& port = ports.limits()[i];
    if (port.policy == nullptr) continue;
    const RateLimit limit = port.policy->RateOf(port.name);
    if (limit.any())
      limited_.push_back({.port = static_cast<uint16_t>(i), .limit = limit, .samples = {}});
  }
}

std::string PortRates::Sent::TimeText() const {
  return time_ns <= kWindowNs ? "a second" : Cat(time_ns / kMillisecondNs, " ms");
}

std::array<PortRates::Sent, 2> PortRates::SentBy(Limited& limited, uint64_t now_ns) const {
  const Port& port = ports_[limited.port];
  auto& samples = limited.samples;
  if (!samples.empty()) now_ns = std::max(now_ns, samples.back().at_ns);  // threads look by turns
  samples.push_back({.at_ns = now_ns,
                     .packets = port.Sum(&PortCounters::tx_packets),
                     .bytes = port.Sum(&PortCounters::tx_bytes)});
  const auto is_older = [&](const Sample& sample) { return sample.at_ns + kWindowNs < now_ns; };
  while (samples.size() > 1 && is_older(samples[1])) samples.pop_front();
  const auto since = [&](const Sample& sample) {
    return Sent{.since_ns = sample.at_ns,
                .time_ns = now_ns - sample.at_ns,
                .packets = samples.back().packets - sample.packets,
                .bits = kBits * (samples.back().bytes - sample.bytes)};
  };
  return {since(samples[is_older(samples.front()) ? 1 : 0]), since(samples.front())};
}

std::vector<PortRates::Excess> PortRates::Look(uint64_t now_ns) {
  const std::lock_guard lock(mutex_);
  std::vector<Excess> found;
  for (Limited& limited : limited_) {
    const auto spans = SentBy(limited, now_ns);
    const RateLimit& limit = limited.limit;
    const auto excess = std::ranges::find_if(spans, [&](const Sent& sent) {
      return IsOver(sent.packets, limit.packets, sent.time_ns) ||
             IsOver(sent.bits, limit.bits, sent.time_ns);
    });
    if (excess == spans.end()) continue;
    const bool by_packets = IsOver(excess->packets, limit.packets, excess->time_ns);
    const auto [unit, count, most] = by_packets
                                         ? std::tuple(" frames", excess->packets, *limit.packets)
                                         : std::tuple(" bits", excess->bits, *limit.bits);
    found.push_back({.port = limited.port,
                     .text = Cat("port ", Quote(ports_.limits()[limited.port].name), " has sent ",
                                 count, unit, " within ", excess->TimeText(), ", and may send ",
                                 Allowed(most, excess->time_ns))});
    for (const Sent& sent : spans) {
      limited.closed_until_ns =
          std::max(limited.closed_until_ns,
                   AddSaturating(sent.since_ns, std::max(TimeOf(sent.packets, limit.packets),
                                                         TimeOf(sent.bits, limit.bits))));
    }
    auto& samples = limited.samples;
    samples.erase(samples.begin(), samples.end() - 1);
  }
  return found;
}

void PortRates::Admit(uint16_t port, uint64_t frames, uint64_t bytes, uint64_t now_ns,
                      std::string_view where) {
  const std::lock_guard lock(mutex_);
  for (Limited& limited : limited_) {
    if (limited.port != port) continue;
    const auto spans = SentBy(limited, now_ns);
    const RateLimit& limit = limited.limit;
    const std::string what = Cat(where, ": port ", Quote(ports_.limits()[port].name), " has sent ");
    if (now_ns < limited.closed_until_ns) {
      throw Error(Code::kResourceExhausted,
                  Cat(what, "more than the policy of this tester allows; wait for ",
                      (limited.closed_until_ns - now_ns) / kMillisecondNs + 1, " ms"));
    }
    for (const Sent& sent : spans) {
      const bool by_packets = IsOver(sent.packets + frames, limit.packets, sent.time_ns);
      if (!by_packets && !IsOver(sent.bits + kBits * bytes, limit.bits, sent.time_ns)) continue;
      const auto [unit, before, more, most] =
          by_packets ? std::tuple(" frames", sent.packets, frames, *limit.packets)
                     : std::tuple(" bits", sent.bits, kBits * bytes, *limit.bits);
      throw Error(Code::kResourceExhausted,
                  Cat(what, before, unit, " within ", sent.TimeText(),
                      more == 0 ? "" : Cat(", and would send ", more),
                      "; the policy of this tester allows ", Allowed(most, sent.time_ns),
                      ": send less, or a second later"));
    }
  }
}

}  // namespace tester
