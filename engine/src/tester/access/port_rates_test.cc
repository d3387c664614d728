// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/access/port_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "base/error.h"
#include "port/device/eal_testing.h"
#include "port/open.h"

namespace tester {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kMillisecond = 1'000'000;

class PortRatesTest : public testing::Test {
 protected:
  static Ports Open() {
    StartEal();
    std::istringstream text("rate p1 1000 pps\n");
    auto policy = std::make_shared<const Policy>(ParsePolicy(text, "policy"));
    return {OpenPorts({ParsePortSpec("p1=loop:x"), ParsePortSpec("p2=loop:x")}), 1, policy};
  }
  std::vector<PortRates::Excess> LookAt(uint64_t ms) { return rates_.Look(ms * kMillisecond); }
  void Send(uint64_t packets) { ports_[0].queue(0).counters.tx_packets.Add(packets); }

  Ports ports_ = Open();
  PortRates rates_{ports_};
};

TEST_F(PortRatesTest, WhatLeavesWithinASecondIsLimited) {
  for (uint64_t ms = 0; ms <= 3000; ms += 50) {
    EXPECT_THAT(LookAt(ms), IsEmpty());
    Send(50);
  }
  Send(200);
  EXPECT_THAT(LookAt(3050),
              ElementsAre(Field(&PortRates::Excess::text, HasSubstr("sent 1200 frames within a "
                                                                    "second, and may send 1000"))));
  EXPECT_THROW(rates_.Admit(0, 1, 60, 3100 * kMillisecond, "inject"), Error);
}

// A guard that runs late still counts all frames since its last look.
TEST_F(PortRatesTest, ALookThatComesLateSeesWhatWasSentSinceTheOneBefore) {
  EXPECT_THAT(LookAt(0), IsEmpty());
  Send(3000);
  EXPECT_THAT(LookAt(3000), IsEmpty()) << "as much as it may";
  Send(6000);
  EXPECT_THAT(LookAt(6000),
              ElementsAre(Field(&PortRates::Excess::text, HasSubstr("sent 6000 frames within 3000 "
                                                                    "ms, and may send 3000"))));
  EXPECT_THROW(rates_.Admit(0, 1, 60, 8999 * kMillisecond, "inject"), Error);
  EXPECT_NO_THROW(rates_.Admit(0, 1, 60, 9001 * kMillisecond, "inject"));
}

// Two looks in a second: neither alone sees all frames.
TEST_F(PortRatesTest, LooksThatAreFewMissNothingBetweenThem) {
  EXPECT_THAT(LookAt(0), IsEmpty());
  Send(1000);
  EXPECT_THAT(LookAt(600), IsEmpty());
  Send(1000);
  EXPECT_THAT(LookAt(1200), ElementsAre(Field(&PortRates::Excess::port, 0)));
}

}  // namespace
}  // namespace tester
