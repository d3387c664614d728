// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/port_rates.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/saturate.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr uint64_t kWindowNs = 1'000'000'000;
constexpr uint64_t kShare = 10;  // a stream that was kept from sending for so much of it owes that
constexpr uint64_t kBits = 8;
constexpr uint64_t kMillisecondNs = 1'000'000;

bool IsOver(uint64_t sent, const std::optional<uint64_t>& limit) {
  return limit && sent > *limit + *limit / kShare;
}

// How long it takes to send so much at the limit.
uint64_t TimeOf(uint64_t sent, const std::optional<uint64_t>& limit) {
  return limit ? Saturate(Wide{sent} * kWindowNs / *limit) : 0;
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

PortRates::Sent PortRates::SentBy(Limited& limited, uint64_t now_ns) const {
  const PortCounters& counters = ports_[limited.port].counters;
  auto& samples = limited.samples;
  samples.push_back(
      {.at_ns = now_ns, .packets = counters.tx_packets.Get(), .bytes = counters.tx_bytes.Get()});
  while (samples.front().at_ns + kWindowNs < now_ns) samples.pop_front();
  return {.packets = samples.back().packets - samples.front().packets,
          .bits = kBits * (samples.back().bytes - samples.front().bytes)};
}

std::vector<PortRates::Excess> PortRates::Look(uint64_t now_ns) {
  std::vector<Excess> found;
  for (Limited& limited : limited_) {
    const Sent sent = SentBy(limited, now_ns);
    const RateLimit& limit = limited.limit;
    const bool by_packets = IsOver(sent.packets, limit.packets);
    if (!by_packets && !IsOver(sent.bits, limit.bits)) continue;
    const std::string what =
        by_packets ? Cat(sent.packets, " frames within a second, and may send ", *limit.packets)
                   : Cat(sent.bits, " bits within a second, and may send ", *limit.bits);
    found.push_back(
        {.port = limited.port,
         .text = Cat("port ", Quote(ports_.limits()[limited.port].name), " has sent ", what)});
    auto& samples = limited.samples;
    limited.closed_until_ns =
        AddSaturating(samples.front().at_ns,
                      std::max(TimeOf(sent.packets, limit.packets), TimeOf(sent.bits, limit.bits)));
    samples.erase(samples.begin(), samples.end() - 1);
  }
  return found;
}

void PortRates::Admit(uint16_t port, uint64_t frames, uint64_t bytes, uint64_t now_ns,
                      std::string_view where) {
  for (Limited& limited : limited_) {
    if (limited.port != port) continue;
    const Sent sent = SentBy(limited, now_ns);
    const RateLimit& limit = limited.limit;
    const bool is_closed = now_ns < limited.closed_until_ns;
    const bool by_packets = IsOver(sent.packets + frames, limit.packets);
    if (!is_closed && !by_packets && !IsOver(sent.bits + kBits * bytes, limit.bits)) return;
    std::string text = Cat(where, ": port ", Quote(ports_.limits()[port].name), " has sent ");
    if (is_closed) {
      text += Cat("more than the policy of this tester allows; wait for ",
                  (limited.closed_until_ns - now_ns) / kMillisecondNs + 1, " ms");
    } else {
      const auto [unit, before, more, most] =
          by_packets ? std::tuple(" frames", sent.packets, frames, *limit.packets)
                     : std::tuple(" bits", sent.bits, kBits * bytes, *limit.bits);
      text += Cat(before, unit, " within a second", more == 0 ? "" : Cat(", and would send ", more),
                  "; the policy of this tester allows ", most, ": send less, or a second later");
    }
    throw Error(Code::kResourceExhausted, text);
  }
}

}  // namespace tester
