// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/restoration.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace tester {
namespace {

constexpr std::string_view kPrefix = "testerd.";
constexpr std::string_view kUp = "up";
constexpr std::string_view kPromiscuous = "promisc";
constexpr std::string_view kXdp = "xdp";
constexpr std::string_view kPause = "pause-";
constexpr size_t kPauseBits = 3;

void Add(std::string_view word, Restoration& restoration) {
  if (word == kUp) restoration.up = true;
  if (word == kPromiscuous) restoration.promiscuous = true;
  if (word == kXdp) restoration.xdp = true;
  for (const auto& feature : kUnwantedFeatures) {
    if (word == feature.mark) restoration.features.push_back(&feature);
  }
  if (word.starts_with(kPause) && word.size() == kPause.size() + kPauseBits) {
    const std::string_view bits = word.substr(kPause.size());
    restoration.pause = PauseSetting{
        .negotiated = bits[0] == '1', .receives = bits[1] == '1', .sends = bits[2] == '1'};
  }
}

}  // namespace

std::string Restoration::Mark(int interface_index) const {
  std::string mark = Cat(kPrefix, interface_index);
  const auto add = [&](const auto&... pieces) { mark += Cat('.', pieces...); };
  if (up) add(kUp);
  if (promiscuous) add(kPromiscuous);
  if (xdp) add(kXdp);
  for (const auto* feature : features) add(feature->mark);
  if (pause) add(kPause, pause->negotiated, pause->receives, pause->sends);
  return mark;
}

bool IsMark(std::string_view name) { return name.starts_with(kPrefix); }

Restoration ParseMark(std::string_view mark) {
  Restoration restoration;
  while (!mark.empty()) {
    const size_t end = std::min(mark.find('.'), mark.size());
    Add(mark.substr(0, end), restoration);
    mark.remove_prefix(std::min(end + 1, mark.size()));
  }
  return restoration;
}

}  // namespace tester
