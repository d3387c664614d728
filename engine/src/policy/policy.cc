// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "policy/policy.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr std::array<std::string_view, 3> kRoles = {"observe", "run", "admin"};
constexpr std::string_view kHelp =
    "allowed are: client NAME observe|run|admin, source ADDRESSES, destination ADDRESSES, others "
    "allow, paths allow, rate PORT NUMBER pps|bps (PORT *: every other one)";

[[noreturn]] void Refuse(const std::string& message) {
  throw Error(Code::kInvalidArgument, message);
}

std::vector<std::string> WordsOf(const std::string& line) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::vector<std::string> found;
  for (std::string word; words >> word;) found.push_back(word);
  return found;
}

void AddClient(const std::vector<std::string>& words, const std::string& where, Policy& policy) {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (words[2] != kRoles[i]) continue;
    if (!policy.clients.emplace(words[1], static_cast<Role>(i)).second) {
      Refuse(Cat(where, ": client ", Quote(words[1]), " is given twice"));
    }
    return;
  }
  Refuse(Cat(where, ": role ", Quote(words[2]), "; allowed are ", Join(kRoles)));
}

void AddRate(const std::vector<std::string>& words, const std::string& where, Policy& policy) {
  uint64_t number = 0;
  const char* const last = words[2].data() + words[2].size();
  const auto [end, error] = std::from_chars(words[2].data(), last, number);
  const bool is_packets = words[3] == "pps";
  if (error != std::errc() || end != last || number == 0 || (!is_packets && words[3] != "bps")) {
    Refuse(Cat(where, ": rate ", Quote(Cat(words[2], " ", words[3])),
               "; allowed are whole numbers above 0 with pps or bps"));
  }
  RateLimit& limit = words[1] == "*" ? policy.every_port : policy.rates[words[1]];
  std::optional<uint64_t>& value = is_packets ? limit.packets : limit.bits;
  if (value) Refuse(Cat(where, ": a rate in ", words[3], " of ", words[1], " is given twice"));
  value = number;
}

void AddLine(const std::vector<std::string>& words, const std::string& where, Policy& policy) {
  const std::string& what = words[0];
  if (what == "client" && words.size() == 3) return AddClient(words, where, policy);
  if (what == "rate" && words.size() == 4) return AddRate(words, where, policy);
  if (words.size() == 2) {
    if (what == "source") return policy.addresses.Allow(Side::kSource, words[1], where);
    if (what == "destination") return policy.addresses.Allow(Side::kDestination, words[1], where);
    if (what == "others" && words[1] == "allow") return policy.addresses.AllowOthers();
    if (what == "paths" && words[1] == "allow") {
      policy.paths = true;
      return;
    }
  }
  Refuse(Cat(where, ": ", Quote(what), " with ", words.size() - 1, " word(s) behind it; ", kHelp));
}

}  // namespace

std::string_view RoleName(Role role) { return kRoles[static_cast<size_t>(role)]; }

RateLimit Policy::RateOf(const std::string& port) const {
  const auto at = rates.find(port);
  return at == rates.end() ? every_port : at->second;
}

Policy ParsePolicy(std::istream& text, const std::string& name) {
  Policy policy;
  size_t number = 0;
  size_t rules = 0;
  for (std::string line; std::getline(text, line);) {
    const std::vector<std::string> words = WordsOf(line);
    ++number;
    if (words.empty()) continue;
    AddLine(words, Cat("--policy ", name, ", line ", number), policy);
    ++rules;
  }
  // An empty file would allow everything; an operator who gives a file does not mean that.
  if (rules == 0) Refuse(Cat("--policy ", name, " has no rules; ", kHelp));
  return policy;
}

Policy ReadPolicy(const std::string& path) {
  struct stat status {};
  std::ifstream file(path);
  if (!file.is_open() || ::stat(path.c_str(), &status) != 0) {
    Refuse(Cat("--policy ", Quote(path), ": ", std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) Refuse(Cat("--policy ", Quote(path), " is no file"));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    Refuse(Cat("--policy ", Quote(path), " can be changed by others than its owner; chmod go-w ",
               path));
  }
  return ParsePolicy(file, path);
}

}  // namespace tester
