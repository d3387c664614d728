// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The trace of a path: each frame once, as it arrived, with its fate. Its worker writes it into a
// lane of a capture and never waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "capture/capture_lane.h"
#include "inline/fate.h"
#include "wire/bytes.h"

namespace tester {

class Trace {
 public:
  struct Plan {
    uint64_t every = 1;  // frames whose number is a multiple are recorded
    uint32_t snap_length = 0;
    std::array<uint16_t, 2> ports{};  // on which frames of the two directions arrive
  };

  Trace(std::shared_ptr<Lane> lane, const Plan& plan);

  // Begins a burst of at most kBurst frames of one direction. `received`: the path's counter before
  // the burst; it restarts with each start of the path.
  void Begin(size_t direction, uint64_t received);
  // Records a frame as it arrives. Returns its record, which may be changed until Publish; nullptr
  // where the frame is not recorded.
  uint8_t* See(Frame frame, uint64_t now_ns);
  // Notes in a record, if any, the indexes of the events that changed the frame.
  static void Note(uint8_t* record, std::span<const uint32_t> events);
  // Notes in a record, if any, when the frame left.
  static void Leave(uint8_t* record, uint64_t now_ns);
  // Notes in a record, if any, that the frame is held until an instant, or its other fate.
  static void Keep(uint8_t* record, Fate fate, uint64_t due_ns);
  // Ends the burst. `received`: the path's counter after it.
  void Publish(uint64_t received);

 private:
  const std::shared_ptr<Lane> lane_;
  const Plan plan_;
  // Used by the worker only.
  uint64_t next_ = 0;  // number of the next frame, both directions together
  size_t direction_ = 0;
  size_t count_ = 0;  // of the burst
  std::array<bool, 2> begun_{};
  std::array<uint64_t, 2> last_{};  // received by the path when a burst was last published
  std::array<uint64_t, 2> seen_{};  // received by the path since the trace began
};

}  // namespace tester
