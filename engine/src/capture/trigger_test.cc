// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/trigger.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "capture/capture.h"
#include "capture/tap.h"
#include "wire/signature.h"

namespace tester {
namespace {

constexpr uint16_t kPort = 1;
constexpr uint16_t kId = 7;
constexpr uint16_t kSum = 0x1234;

class TriggerTest : public testing::Test {
 protected:
  TriggerWatch Waiting(TriggerPlan plan) { return {std::move(plan), fired_ns}; }

  bool Fires(TriggerWatch& watch, uint64_t sequence, uint64_t sent_ns, uint64_t now_ns,
             uint16_t port = kPort) {
    std::vector<uint8_t> frame(60);
    uint8_t* signature = frame.data() + frame.size() - wire::kSignatureBytes;
    wire::SignatureWriter(kId, kSum, sent_ns).Write(signature, sequence);
    return watch.Fires({.frame = frame,
                        .time_ns = now_ns,
                        .stream = kId,
                        .sequence = sequence,
                        .expected = &stream,
                        .signature = signature},
                       port);
  }

  const std::shared_ptr<std::atomic<uint64_t>> fired_ns =
      std::make_shared<std::atomic<uint64_t>>(0);
  StreamRx rx;
  Expected stream{.counters = &rx, .start_ns = 1000, .signature_sum = kSum, .rx_port = kPort};
};

TEST_F(TriggerTest, AGapFiresOnceAndInOrderNothing) {
  TriggerWatch watch = Waiting({.kind = TriggerPlan::Kind::kGap});
  for (const uint64_t sequence : {0, 1, 1, 0, 2}) {
    EXPECT_FALSE(Fires(watch, sequence, 2000, 2100));
  }
  EXPECT_FALSE(Fires(watch, 9, 2000, 2100, 0)) << "on a port where it is not expected";
  EXPECT_FALSE(Fires(watch, 9, 500, 2100)) << "of an earlier start";
  EXPECT_TRUE(Fires(watch, 4, 2000, 2100));
  EXPECT_EQ(fired_ns->load(), 2100);
  EXPECT_FALSE(Fires(watch, 9, 2000, 2200)) << "once";
}

TEST_F(TriggerTest, AGapIsOneFromWhereTheStreamIs) {
  for (uint64_t sequence = 0; sequence < 50; ++sequence) rx.order.Add(sequence);
  TriggerWatch watch = Waiting({.kind = TriggerPlan::Kind::kGap});
  EXPECT_FALSE(Fires(watch, 50, 2000, 2100));
  stream.start_ns = 3000;  // it is started again
  StreamRx fresh;
  stream.counters = &fresh;
  EXPECT_FALSE(Fires(watch, 0, 3100, 3200));
  EXPECT_TRUE(Fires(watch, 2, 3100, 3200));
}

TEST_F(TriggerTest, LatencyAboveABound) {
  TriggerWatch watch = Waiting({.kind = TriggerPlan::Kind::kLatency, .latency_ns = 100});
  EXPECT_FALSE(Fires(watch, 0, 2000, 2100));
  EXPECT_TRUE(Fires(watch, 1, 2000, 2101));
}

TEST_F(TriggerTest, ACaptureKeepsFramesOfAllWorkersAroundIt) {
  Capture capture(
      {.name = "x",
       .ports = {true, true},
       .transmitted = true,
       .received = true,
       .filter = nullptr,
       .streams = {},
       .keep = Lane::Keep::kTriggered,
       .frames = 2 + 1 + 3,
       .snap_length = UINT32_MAX,
       .trigger = TriggerPlan{.kind = TriggerPlan::Kind::kFilter,
                              .filter = std::make_shared<const Filter>("greater 100", ""),
                              .before = 2,
                              .after = 3}},
      2, 2, 1, 0);
  const auto see = [&](size_t worker, uint64_t time_ns, size_t bytes = 60) {
    const std::vector<uint8_t> frame(bytes);
    const Tap tap{.lane = capture.lane(worker),
                  .filter = nullptr,
                  .streams = nullptr,
                  .snap_length = UINT32_MAX,
                  .port = kPort,
                  .transmitted = false};
    tap.lane->Begin();
    tap.See({.frame = frame, .time_ns = time_ns});
    tap.lane->Publish(kPort, 1);
  };
  for (uint64_t time = 10; time < 100; time += 10) see(0, time);
  for (uint64_t time = 5; time < 100; time += 10) see(1, time);
  EXPECT_EQ(capture.triggered_ns(), 0);
  see(0, 100, 200);
  EXPECT_EQ(capture.triggered_ns(), 100);
  EXPECT_TRUE(capture.running());
  see(1, 105);
  for (const uint64_t time : {110, 120, 130, 140}) see(0, time);
  EXPECT_FALSE(capture.running());
  capture.End(200);
  capture.Gather();
  std::vector<uint64_t> times;
  for (const KeptFrame& frame : capture.frames()) times.push_back(frame.facts.time_ns);
  EXPECT_EQ(times, (std::vector<uint64_t>{90, 95, 100, 105, 110, 120}));
  EXPECT_TRUE(capture.frames()[2].facts.fires);
}

}  // namespace
}  // namespace tester
