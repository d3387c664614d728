// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A job as the engine holds it: checked, and in the engine's own terms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/rate.h"
#include "responder/neighbour.h"

namespace tester {

struct StreamPlan {
  uint16_t id;
  std::string name;
  uint16_t tx_port;  // index of the port in the tester
  uint16_t rx_port;
  std::vector<uint8_t> frame;
  bool signature;
  Rate rate;
};

struct NeighbourPlan {
  uint16_t port;
  Neighbour neighbour;
};

struct Job {
  std::string name;
  std::vector<StreamPlan> streams;
  std::vector<NeighbourPlan> neighbours;
};

}  // namespace tester
