// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The point where captures copy the frames of one direction of one port.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>

#include "capture/capture_lane.h"
#include "capture/filter.h"
#include "capture/trigger.h"
#include "wire/bytes.h"

namespace tester {

// Streams by id.
using StreamSet = std::bitset<UINT16_MAX + 1>;

struct Tap {
  std::shared_ptr<Lane> lane;
  std::shared_ptr<const Filter> filter;      // null: every frame
  std::shared_ptr<const StreamSet> streams;  // null: of every stream, or of none
  uint32_t snap_length;
  uint16_t port;
  bool transmitted;

  // See Lane::See.
  void See(const Sighting& sighting) const {
    if (lane->over()) return;
    const bool of_streams = !streams || streams->test(sighting.stream);
    const bool wanted = of_streams && (!filter || filter->Matches(sighting.frame));
    TriggerWatch* trigger = transmitted ? nullptr : lane->trigger();
    const bool fires = trigger != nullptr && of_streams && trigger->Fires(sighting, port);
    const auto bytes = static_cast<uint32_t>(sighting.frame.size());
    lane->See(wanted,
              {.time_ns = sighting.time_ns,
               .sequence = sighting.sequence,
               .original_bytes = bytes,
               .kept_bytes = std::min(bytes, snap_length),
               .port = port,
               .stream = sighting.stream,
               .transmitted = transmitted,
               .fires = fires},
              sighting.frame.data());
  }
};

}  // namespace tester
