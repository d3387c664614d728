// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/pause.h"

#include <gtest/gtest.h>

#include <array>

#include "wire/pause.h"

namespace tester {
namespace {

TEST(Pause, IsFoundInTheStatisticsOfDrivers) {
  for (const char* name :
       {"rx_flow_control_xon", "rx_flow_control_xoff", "port.link_xoff_rx", "link_xon_rx.nic",
        "rx_pause_ctrl_phy", "rx_pause_frames", "rx_pause", "rx_xoff_packets", "rx_xon_pause_rcvd",
        "mmc_rx_pause_frames", "RxPause", "port_rx_pause"}) {
    EXPECT_TRUE(IsReceivedPause(name)) << name;
  }
}

TEST(Pause, IsNotTakenForAnythingElse) {
  for (const char* name :
       {"tx_flow_control_xon", "port.link_xoff_tx", "rx_packets", "rx_pause_duration",
        "rx_global_pause", "rx_prio3_pause", "rx_pause_storm_warning_events", "tx_pause_frames",
        "rx_priority0_xon_packets", "link_xoff_rx_prio_0", "rx_queue_0_xdp_packets"}) {
    EXPECT_FALSE(IsReceivedPause(name)) << name;
  }
}

TEST(Pause, IsSummedWhereItIsCounted) {
  EXPECT_EQ(SumReceivedPause({{.name = "rx_xon", .value = 3},
                              {.name = "rx_xoff", .value = 4},
                              {.name = "tx_xoff", .value = 100}}),
            7U);
  EXPECT_EQ(SumReceivedPause({{.name = "rx_packets", .value = 3}}), std::nullopt);
}

TEST(Pause, IsAFrameOfItsOwn) {
  std::array<uint8_t, 60> frame{0x01, 0x80, 0xc2, 0, 0, 1};
  frame[12] = 0x88;
  frame[13] = 0x08;
  EXPECT_FALSE(wire::IsPause(frame));
  frame[15] = 1;
  EXPECT_TRUE(wire::IsPause(frame));
  frame[14] = 1;
  EXPECT_TRUE(wire::IsPause(frame));  // of priorities
  EXPECT_FALSE(wire::IsPause(Frame(frame).first(15)));
  frame[13] = 0x09;
  EXPECT_FALSE(wire::IsPause(frame));
}

}  // namespace
}  // namespace tester
