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

struct StreamPlan {
  uint16_t id;
  std::string name;
  uint16_t tx_port;  // index of the port in the tester
  uint16_t rx_port;
  FramesPlan contents;  // without frames for a replay
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
