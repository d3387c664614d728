// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Limits that the operator of a tester sets for its clients: who may use it, and which frames may
// leave its ports. Read from a file at the start of the tester; no client can change it.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "policy/address_rules.h"

namespace tester {

// Each role includes the one before.
enum class Role : uint8_t {
  kObserve,  // reads information and counters, without a lease
  kRun,      // acquires a lease when nobody has one, and uses the tester
  kAdmin,    // takes it over by force, and ends the tester
};
std::string_view RoleName(Role role);

// The most frames or bytes that one port may send in any second, over all jobs.
struct RateLimit {
  std::optional<uint64_t> packets;
  std::optional<uint64_t> bits;  // of frames with FCS

  bool any() const { return packets || bits; }
};

struct Policy {
  std::map<std::string, Role> clients;  // by names in certificates; empty: any, all are admins
  AddressRules addresses;
  bool paths = false;                      // may forward what others send, to any address
  std::map<std::string, RateLimit> rates;  // by port
  RateLimit every_port;

  RateLimit RateOf(const std::string& port) const;
};

// Lines `client NAME ROLE`, `source ADDRESSES`, `destination ADDRESSES`, `others allow`, `paths
// allow`, `rate PORT|* NUMBER pps|bps`; # begins a comment. INVALID_ARGUMENT with name and line.
Policy ParsePolicy(std::istream& text, const std::string& name);
// Refuses a file that others than its owner can write, too.
Policy ReadPolicy(const std::string& path);

}  // namespace tester
