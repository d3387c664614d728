// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The trace of a path: each frame once, as it arrived, with what became of it. Its one worker
// writes it into a lane of a capture and never waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "capture/lane.h"
#include "wire/bytes.h"

namespace tester {

class Trace {
 public:
  static constexpr uint64_t kUntraced = UINT64_MAX;

  struct Plan {
    uint64_t every = 1;  // frames whose number is a multiple are recorded
    uint32_t snap_length = 0;
    std::array<uint16_t, 2> ports{};  // on which frames of the two directions arrive
  };

  Trace(std::shared_ptr<Lane> lane, const Plan& plan);

  // A frame on its way.
  struct Record {
    uint64_t number = kUntraced;  // on the path, from 0, both directions together
    uint8_t* place = nullptr;     // of its facts, until its burst is published
  };

  // A burst of at most kBurst frames of one direction. `received` is what the path has counted as
  // received in it before; a new start of the path counts anew.
  void Begin(size_t direction, uint64_t received);
  // A frame as it arrives.
  Record See(Frame frame, uint64_t now_ns);
  // What has happened to it: indexes of events.
  static void Note(const Record& record, std::span<const uint32_t> events);
  // It has left. Of a burst before, or of this one.
  void Leave(const Record& record, uint64_t now_ns);
  // `received` is what the path has counted by now.
  void Publish(uint64_t received);

 private:
  struct Departure {
    uint64_t number;
    uint64_t left_ns;
  };

  const std::shared_ptr<Lane> lane_;
  const Plan plan_;
  // Used by the worker only.
  uint64_t next_ = 0;
  size_t direction_ = 0;
  size_t count_ = 0;  // of the burst
  bool open_ = false;
  std::array<bool, 2> begun_{};
  std::array<uint64_t, 2> last_{};  // received by the path when a burst was last published
  std::array<uint64_t, 2> seen_{};  // received by the path since the trace began
  std::vector<Departure> late_;  // of earlier bursts, until this one is published
};

}  // namespace tester
