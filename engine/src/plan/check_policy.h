// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Holds what is planned against the policy of the ports that are to send it. INVALID_ARGUMENT where
// it might send what may not be sent; what nobody can know before it is sent, ports and workers
// check.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "plan/job.h"
#include "tester/v1/plan.pb.h"
#include "wire/bytes.h"

namespace tester {

struct PortLimits;

// Of the port's policy; null where it limits none.
const AddressRules* LimitedAddresses(const PortLimits& port);

void CheckFrameAllowed(Frame frame, const PortLimits& port, std::string_view where);
// All frames that templates and fields can be. Those of a file are checked as it is read.
void CheckStreamAllowed(const v1::Stream& stream, const StreamPlan& plan, const PortLimits& port,
                        std::string_view where);
// It will say of itself that it has this address.
void CheckNeighbourAllowed(Frame address, const Mac& mac, const PortLimits& port,
                           std::string_view where);
// The addresses of flows that it opens.
void CheckOpeningAllowed(const machine::ResponderPlan& plan, const PortLimits& port,
                         std::string_view where);
// Nobody knows what it will forward.
void CheckPathAllowed(const PortLimits& port, std::string_view where);

// Nothing where no rate is limited.
Offered OfferedBy(const StreamPlan& plan, const PortLimits& port);

// What all streams together may send in a second.
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
