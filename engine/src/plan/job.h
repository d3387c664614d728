// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A job as the engine holds it: checked, and in the engine's own terms.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generator/checksums.h"
#include "generator/departures.h"
#include "generator/editor.h"
#include "generator/order.h"
#include "plan/measurement.h"
#include "replay/plan.h"
#include "responder/neighbour.h"
#include "responder/responder.h"
#include "tester/v1/plan.pb.h"

namespace tester {

// The bit that says which version of its stream's counters a frame belongs in.
struct VersionPlan {
  Field field;
  std::vector<Coverage> coverage;
};

struct StreamPlan {
  uint16_t id;
  std::string name;
  uint16_t tx_port;  // index of the port in the tester
  uint16_t rx_port;
  std::vector<std::vector<uint8_t>> frames;
  bool signature;
  std::vector<OrderRun> order;  // empty: one after the other
  std::vector<Editor> editors;
  std::vector<Checksum> checksums;
  std::optional<VersionPlan> version;
  MeasurementPlan measurement{};
  std::shared_ptr<const Departures> departures;  // null for a replay
  std::optional<ReplayPlan> replay;
  // Streams with equal ones send equal frames. Null where the departures say which frame is which.
  std::shared_ptr<const v1::Stream> contents;
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
};

}  // namespace tester
