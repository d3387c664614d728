// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Checks plans against the policy of the ports that will send them. INVALID_ARGUMENT where a plan
// might send a forbidden frame. Ports and workers check what is unknown before sending.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "plan/job.h"
#include "tester/v1/plan.pb.h"
#include "wire/bytes.h"

namespace tester {

struct PortLimits;

// The address rules of the port; null without such rules.
const AddressRules* LimitedAddresses(const PortLimits& port);

void CheckFrameAllowed(Frame frame, const PortLimits& port, std::string_view where);
// Checks all frames that templates and fields can make. Frames of a file are checked as it is read.
void CheckStreamAllowed(const v1::Stream& stream, const StreamPlan& plan, const PortLimits& port,
                        std::string_view where);
// It will say of itself that it has this address.
void CheckNeighbourAllowed(Frame address, const Mac& mac, const PortLimits& port,
                           std::string_view where);
// The addresses of flows that it opens.
void CheckOpeningAllowed(const machine::ResponderPlan& plan, const PortLimits& port,
                         std::string_view where);
// A path forwards unknown frames.
void CheckPathAllowed(const PortLimits& port, std::string_view where);

// Nothing where no rate is limited.
Offered OfferedBy(const StreamPlan& plan, const PortLimits& port);

// The rates of all streams of a port together.
class RateSums {
 public:
  explicit RateSums(std::span<const PortLimits> ports) : ports_(ports), sums_(ports.size()) {}

  void Add(const StreamPlan& stream);
  void Add(const std::vector<StreamPlan>& streams) {
    for (const StreamPlan& stream : streams) Add(stream);
  }
  // RESOURCE_EXHAUSTED.
  void Check(std::string_view where) const;

 private:
  std::span<const PortLimits> ports_;
  std::vector<Offered> sums_;
};

}  // namespace tester
