// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/port_rates.h"

#include "base/text.h"

namespace tester {
namespace {

constexpr uint64_t kWindowNs = 1'000'000'000;
constexpr uint64_t kShare = 10;  // a stream that was kept from sending for so much of it owes that
constexpr uint64_t kBits = 8;

bool IsOver(uint64_t sent, const std::optional<uint64_t>& limit) {
  return limit && sent > *limit + *limit / kShare;
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

std::vector<PortRates::Excess> PortRates::Look(uint64_t now_ns) {
  std::vector<Excess> found;
  for (Limited& limited : limited_) {
    const PortCounters& counters = ports_[limited.port].counters;
    auto& samples = limited.samples;
    samples.push_back(
        {.at_ns = now_ns, .packets = counters.tx_packets.Get(), .bytes = counters.tx_bytes.Get()});
    while (samples.front().at_ns + kWindowNs < now_ns) samples.pop_front();
    const uint64_t packets = samples.back().packets - samples.front().packets;
    const uint64_t bits = kBits * (samples.back().bytes - samples.front().bytes);
    const RateLimit& limit = limited.limit;
    const bool by_packets = IsOver(packets, limit.packets);
    if (!by_packets && !IsOver(bits, limit.bits)) continue;
    const std::string what =
        by_packets ? Cat(packets, " frames within a second, and may send ", *limit.packets)
                   : Cat(bits, " bits within a second, and may send ", *limit.bits);
    found.push_back(
        {.port = limited.port,
         .text = Cat("port ", Quote(ports_.limits()[limited.port].name), " has sent ", what)});
    samples.erase(samples.begin(), samples.end() - 1);
  }
  return found;
}

}  // namespace tester
