// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/pause.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tester {
namespace {

constexpr std::array<std::string_view, 3> kPauseWords = {"pause", "xon", "xoff"};
// Sent ones; times and states instead of frames; parts or repetitions of other statistics.
constexpr std::array<std::string_view, 9> kOtherWords = {
    "tx", "duration", "time", "transition", "storm", "state", "prio", "pfc", "global"};

bool HasAny(std::string_view text, const auto& words) {
  return std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
}

}  // namespace

bool IsReceivedPause(std::string_view statistic) {
  std::string name(statistic);
  std::ranges::transform(name, name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return name.find("rx") != name.npos && HasAny(name, kPauseWords) && !HasAny(name, kOtherWords);
}

std::optional<uint64_t> SumReceivedPause(const std::vector<Statistic>& statistics) {
  std::optional<uint64_t> sum;
  for (const auto& [name, value] : statistics) {
    if (IsReceivedPause(name)) sum = sum.value_or(0) + value;
  }
  return sum;
}

}  // namespace tester
