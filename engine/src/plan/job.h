// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A valid job as plain structs of the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generator/frames/frames_plan.h"
#include "generator/laws/departures.h"
#include "inline/path_plan.h"
#include "inline/stamps/stamp_plan.h"
#include "receiver/measurement_plan.h"
#include "replay/plan.h"
#include "responder/neighbour.h"
#include "responder/responder.h"

namespace tester {

// The most that a stream sends in any second.
struct Offered {
  uint64_t packets = 0;
  double bits = 0;  // of frames of its mean length, with FCS
};

// In place of the index of a port: a port of another tester.
inline constexpr uint16_t kElsewhere = UINT16_MAX;

// The largest error with which the clock of another tester may be known.
inline constexpr uint64_t kMostSenderClockErrorNs = 10'000'000;

// The clock of another tester.
struct SenderClock {
  int64_t ahead_ns = 0;    // of the clock of this tester
  uint64_t within_ns = 0;  // by how much that may be wrong
};

struct StreamPlan {
  bool sent_here() const { return tx_port != kElsewhere; }

  uint16_t id;
  std::string name;
  uint16_t tx_port;  // index of the port in the tester
  uint16_t rx_port;
  SenderClock sender_clock{};  // of a stream that is sent elsewhere
  FramesPlan contents;         // without frames for a replay
  MeasurementPlan measurement{};
  std::shared_ptr<const Departures> departures;  // null for a replay
  std::optional<ReplayPlan> replay;
  Offered offered{};  // where the policy of its port limits a rate
  // Streams with equal keys send equal frames. Empty where the departures say which frame is which.
  std::string contents_key;
};

struct NeighbourPlan {
  uint16_t port;
  Neighbour neighbour;
};

struct Job {
  std::string name;
  std::vector<StreamPlan> streams;
  std::vector<NeighbourPlan> neighbours;
  std::vector<std::shared_ptr<const machine::ResponderPlan>> responders{};
  std::vector<std::shared_ptr<const PathPlan>> paths{};
  std::vector<std::shared_ptr<const StampPlan>> stamps{};
};

}  // namespace tester
