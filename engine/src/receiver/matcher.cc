// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/matcher.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace tester {
namespace {

bool SameBits(const Matches& one, const Matches& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const ByteMatch& a, const ByteMatch& b) {
                      return a.offset == b.offset && a.mask == b.mask;
                    });
}

}  // namespace

bool Exclude(const Matches& one, const Matches& other) {
  auto a = one.begin();
  auto b = other.begin();
  while (a != one.end() && b != other.end()) {
    if (a->offset < b->offset) {
      ++a;
    } else if (b->offset < a->offset) {
      ++b;
    } else {
      if (((a->value ^ b->value) & a->mask & b->mask) != 0) return true;
      ++a;
      ++b;
    }
  }
  return false;
}

void Matcher::Add(const Matches& matches, const Expected& expected) {
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group& each) { return SameBits(each.bits, matches); });
  if (group == groups_.end()) {
    groups_.push_back({.bits = matches, .streams = {}});
    group = std::prev(groups_.end());
  }
  std::string key;
  for (const auto& byte : matches) key += static_cast<char>(byte.value & byte.mask);
  group->streams.emplace(std::move(key), expected);
}

const Expected* Matcher::Find(Frame frame) const {
  std::array<char, kMostMatchBytes> key;
  for (const auto& group : groups_) {
    if (group.bits.back().offset >= frame.size()) continue;
    char* end = key.data();
    for (const auto& byte : group.bits) {
      *end++ = static_cast<char>(frame[byte.offset] & byte.mask);
    }
    const auto found =
        group.streams.find(std::string_view(key.data(), static_cast<size_t>(end - key.data())));
    if (found != group.streams.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace tester
