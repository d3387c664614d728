// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Paths on real ports: frames of a stream leave from a, arrive on b, are forwarded to c, and arrive
// on d.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "tester/tester_testing.h"

namespace tester {
namespace {

class PathTest : public testing::Test {
 protected:
  static v1::Job PathJob(const std::function<void(v1::Event&)>& describe = {}) {
    v1::Job job;
    job.set_name("wan");
    auto& path = *job.add_paths();
    path.set_name("wan");
    path.set_first_port("b");
    path.set_second_port("c");
    path.add_watches();
    if (describe) {
      auto& event = *path.add_events();
      event.set_name("event");
      describe(event);
    }
    return job;
  }

  void StartPath(const std::function<void(v1::Event&)>& describe = {}) {
    tester->Load(PathJob(describe));
    tester->Start({"wan"}, 0, 0);
  }

  v1::StreamCounters Send(uint64_t packets, const std::string& name = "job", uint32_t id = 1) {
    v1::Job job = JobOf(name, {{.id = id, .rx_port = "d", .bytes = 100, .gap_ns = 5'000}});
    job.mutable_streams(0)->set_payload_offset(14);
    tester->Load(job);
    tester->Start({name}, 0, packets);
    WaitForEnd(*tester, name);
    const auto counters = tester->TakeSnapshot({name}).streams(0);
    tester->Unload({name});
    return counters;
  }

  v1::PathCounters Path() { return tester->TakeSnapshot({"wan"}).paths(0); }

  std::unique_ptr<Tester> tester = MakeTester({"a=loop:x", "b=loop:x", "c=loop:y", "d=loop:y"});
};

TEST_F(PathTest, ForwardsFramesAsTheyAreInBothDirections) {
  StartPath();
  EXPECT_EQ(Send(1000).rx_packets(), 1000U);
  v1::Job back = JobOf("back", {{.id = 2, .tx_port = "d", .rx_port = "a", .bytes = 200}});
  tester->Load(back);
  tester->Start({"back"}, 0, 300);
  WaitForEnd(*tester, "back");
  EXPECT_EQ(tester->TakeSnapshot({"back"}).streams(0).rx_packets(), 300U);
  const v1::PathCounters path = Path();
  EXPECT_TRUE(path.forwarding());
  ASSERT_EQ(path.directions_size(), 2);
  EXPECT_EQ(path.directions(0).port(), "b");
  EXPECT_EQ(path.directions(0).received(), 1000U);
  EXPECT_EQ(path.directions(0).forwarded(), 1000U);
  EXPECT_EQ(path.directions(0).forwarded_bytes(), 1000U * 104);
  EXPECT_EQ(path.directions(1).forwarded(), 300U);
  EXPECT_EQ(path.directions(0).unmatched(), 0U) << "there are no events";
  const v1::Snapshot snapshot = tester->TakeSnapshot({});
  EXPECT_EQ(snapshot.ports(1).rx_packets(), 1000U);
  EXPECT_EQ(snapshot.ports(1).rx_foreign(), 0U) << "others' traffic is not foreign here";
  EXPECT_EQ(snapshot.ports(2).tx_packets(), 1000U);
}

TEST_F(PathTest, NothingPassesBeforeItsStartAndAfterItsStop) {
  tester->Load(PathJob());
  EXPECT_EQ(Send(10).rx_packets(), 0U);
  tester->Start({"wan"}, 0, 0);
  EXPECT_EQ(Send(10).rx_packets(), 10U);
  EXPECT_EQ(CodeOf([&] { tester->Start({"wan"}, 0, 0); }), Code::kFailedPrecondition);
  tester->Stop({"wan"});
  EXPECT_EQ(Send(10).rx_packets(), 0U);
  EXPECT_FALSE(Path().forwarding());
  EXPECT_EQ(Path().directions(0).received(), 10U) << "a stop keeps counters";
  tester->Start({"wan"}, 0, 0);
  EXPECT_EQ(Path().directions(0).received(), 0U) << "a start counts anew";
}

TEST_F(PathTest, AnEventDropsItsPacket) {
  StartPath([](v1::Event& event) {
    event.set_number(7);
    event.set_iteration(1);
    event.mutable_drop();
  });
  const auto stream = Send(100);
  EXPECT_EQ(stream.rx_packets(), 99U);
  EXPECT_EQ(stream.outages().last_sequence(), 7U)
      << "one more than that of the frame that is missing";
  const v1::PathCounters path = Path();
  EXPECT_EQ(path.directions(0).dropped(), 1U);
  EXPECT_EQ(path.directions(0).forwarded(), 99U);
  EXPECT_EQ(path.events(0).matched(), 100U);
  EXPECT_EQ(path.events(0).fired(), 1U);
  EXPECT_GT(path.events(0).first_fired_ns(), 0U);
  EXPECT_EQ(path.events(0).first_fired_ns(), path.events(0).last_fired_ns());
}

// Over a loop the buffer returns to the sender, which writes only the changing bytes.
TEST_F(PathTest, WhatIsCorruptedIsCorruptedOnce) {
  StartPath([](v1::Event& event) {
    event.set_every(10);
    event.mutable_corrupt()->set_part(v1::Corrupt::PART_FRAME);
    event.mutable_corrupt()->set_bit(50 * 8);
  });
  const auto stream = Send(20'000);
  EXPECT_EQ(stream.rx_packets(), 18'000U);
  EXPECT_EQ(stream.rx_corrupted(), 2'000U);
}

TEST_F(PathTest, DuplicatesAndCutsFrames) {
  StartPath([](v1::Event& event) {
    event.set_every(4);
    event.mutable_duplicate();
  });
  EXPECT_EQ(Send(400).order().duplicated(), 100U);
  EXPECT_EQ(Path().directions(0).forwarded(), 500U);
  EXPECT_EQ(Path().directions(0).duplicated(), 100U);
  tester->Unload({"wan"});
  StartPath([](v1::Event& event) {
    event.set_every(4);
    event.mutable_truncate()->set_bytes(60);
  });
  EXPECT_EQ(Send(400).rx_packets(), 300U);
  EXPECT_EQ(Path().directions(0).forwarded_bytes(), 300U * 104 + 100 * 64);
}

TEST_F(PathTest, HoldsAPacketForATime) {
  StartPath([](v1::Event& event) {
    event.set_number(40);
    event.set_iteration(1);
    event.mutable_delay()->set_delay_ns(200'000);
    event.mutable_delay()->set_overtaken(true);
  });
  const auto stream = Send(400);
  EXPECT_EQ(stream.rx_packets(), 400U);
  EXPECT_EQ(stream.rx_out_of_order(), 1U);
  EXPECT_EQ(Path().directions(0).delayed(), 1U);
  EXPECT_EQ(Path().directions(0).held(), 0U);
}

TEST_F(PathTest, DelaysAllAndLosesNothingWhileOtherJobsChange) {
  v1::Job job = PathJob();
  auto& impairment = *job.mutable_paths(0)->add_impairments();
  impairment.set_heading(v1::Event::HEADING_FORWARD);
  impairment.mutable_delay()->add_quantiles_ns(20'000'000);
  tester->Load(job);
  tester->Start({"wan"}, 0, 0);
  tester->Load(JobOf("job", {{.id = 1, .rx_port = "d", .gap_ns = 20'000}}));
  tester->Start({"job"}, 0, 5'000);
  for (uint32_t i = 0; i < 10; ++i) {
    tester->Load(JobOf("other", {{.id = 2, .tx_port = "a", .rx_port = "d"}}));
    tester->Unload({"other"});
  }
  WaitForEnd(*tester, "job");
  const auto stream = [this] { return tester->TakeSnapshot({"job"}).streams(0); };
  for (int i = 0; i < 10'000 && stream().rx_packets() < 5'000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(stream().rx_packets(), 5'000U);
  EXPECT_GE(stream().latency().min_ns(), 20'000'000U);
  EXPECT_EQ(Path().directions(0).delayed(), 5'000U);
}

// The worker writes the fates of frames into the records of a burst, while one thread takes records
// of earlier bursts and another one reads counters.
TEST_F(PathTest, ATraceHasEachFrameOnceWhilePathAndTraceStartAnew) {
  StartPath([](v1::Event& event) {
    event.set_every(3);
    event.mutable_duplicate();
  });
  v1::Capture trace;
  trace.set_name("trace");
  trace.set_frames(20'000);
  trace.set_snap_length(64);
  trace.mutable_traced()->set_job("wan");
  trace.mutable_traced()->set_path("wan");
  trace.mutable_traced()->set_every(1);
  for (int round = 0; round < 3; ++round) {
    tester->StartCapture(trace);
    EXPECT_EQ(Send(2'100).rx_packets(), 2'800U);
    tester->Stop({"wan"});
    tester->Start({"wan"}, 0, 0);
    EXPECT_EQ(Send(900).rx_packets(), 1'200U);
    const auto counters = tester->StopCapture("trace").counters();
    EXPECT_EQ(counters.captured(), 3'000U);
    EXPECT_EQ(counters.ports(0).seen(), 3'000U);
    uint64_t expected = 0;
    tester->ReadCapture("trace", [&](const v1::CapturedFrames& frames) {
      constexpr size_t kFact = 48;
      constexpr size_t kSequence = 8;
      for (size_t at = 0; at < frames.facts().size(); at += kFact) {
        uint64_t number = 0;
        std::memcpy(&number, frames.facts().data() + at + kSequence, sizeof number);
        EXPECT_EQ(number, expected++);
      }
      return true;
    });
    EXPECT_EQ(expected, 3'000U);
    tester->ForgetCapture("trace");
  }
}

TEST_F(PathTest, WhatIsHeldAtAStopIsCounted) {
  v1::Job job = PathJob();
  auto& impairment = *job.mutable_paths(0)->add_impairments();
  impairment.set_heading(v1::Event::HEADING_FORWARD);
  impairment.mutable_delay()->add_quantiles_ns(60'000'000'000);
  tester->Load(job);
  tester->Start({"wan"}, 0, 0);
  EXPECT_EQ(Send(50).rx_packets(), 0U);
  tester->Stop({"wan"});
  EXPECT_EQ(Path().directions(0).held(), 50U);
  EXPECT_EQ(Path().directions(0).forwarded(), 0U);
}

TEST_F(PathTest, WhatNoEventSeesIsCounted) {
  StartPath([](v1::Event& event) {
    event.set_heading(v1::Event::HEADING_BACKWARD);
    event.set_every(1);
    event.mutable_drop();
  });
  EXPECT_EQ(Send(50).rx_packets(), 50U);
  EXPECT_EQ(Path().directions(0).unmatched(), 50U);
  EXPECT_EQ(Path().events(0).matched(), 0U);
}

TEST_F(PathTest, GoesOnWhileOtherJobsChange) {
  tester.reset();
  tester = MakeTester({"a=loop:x", "b=loop:x", "c=loop:y", "d=loop:y", "e=loop:z"});
  StartPath([](v1::Event& event) {
    event.set_number(5'000);
    event.set_iteration(1);
    event.mutable_drop();
  });
  tester->Load(JobOf("job", {{.id = 1, .rx_port = "d", .gap_ns = 20'000}}));
  tester->Start({"job"}, 0, 10'000);
  for (uint32_t i = 0; i < 20; ++i) {
    tester->Load(JobOf("other", {{.id = 2, .tx_port = "e", .rx_port = "e"}}));
    tester->Start({"other"}, 0, 10);
    tester->Unload({"other"});
  }
  WaitForEnd(*tester, "job");
  EXPECT_EQ(tester->TakeSnapshot({"job"}).streams(0).rx_packets(), 9'999U);
  EXPECT_EQ(Path().events(0).fired(), 1U) << "it went on counting";
  EXPECT_EQ(Path().directions(0).lost(), 0U);
}

TEST_F(PathTest, IsRefusedWherePortsAreUsed) {
  tester->Load(JobOf("job", {{.rx_port = "b"}}));
  EXPECT_EQ(CodeOf([&] { tester->Load(PathJob()); }), Code::kAlreadyExists);
  tester->Unload({"job"});
  tester->Load(PathJob());
  EXPECT_EQ(CodeOf([&] { tester->Load(JobOf("job", {{.rx_port = "b"}})); }), Code::kAlreadyExists);
  EXPECT_NO_THROW(tester->Load(JobOf("job", {{.rx_port = "d"}})));
}

TEST_F(PathTest, IsCapturedAsAllThatPasses) {
  StartPath([](v1::Event& event) {
    event.set_number(1);
    event.set_iteration(1);
    event.mutable_drop();
  });
  v1::Capture capture;
  capture.set_name("capture");
  capture.add_ports("b");
  capture.add_ports("c");
  capture.set_frames(100);
  tester->StartCapture(capture);
  Send(10);
  const auto stopped = tester->StopCapture("capture");
  EXPECT_EQ(stopped.counters().captured(), 19U) << "ten arrive, nine leave";
}

}  // namespace
}  // namespace tester
