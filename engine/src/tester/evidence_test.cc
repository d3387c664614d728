// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The evidence of the tester: the polling of its ports, and the history of its jobs.
#include <gmock/gmock.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tester/tester_testing.h"

namespace tester {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

// Keeps the worker that polls a device from going on.
class Stall {
 public:
  explicit Stall(const char* device) {
    EXPECT_EQ(rte_eth_dev_get_port_by_name(device, &port_), 0);
    callback_ = rte_eth_add_rx_callback(port_, 0, Wait, this);
    EXPECT_NE(callback_, nullptr);
  }
  ~Stall() {
    rte_eth_remove_rx_callback(port_, 0, callback_);
    std::this_thread::sleep_for(milliseconds(20));  // the worker may be in it
  }
  Stall(const Stall&) = delete;
  Stall& operator=(const Stall&) = delete;

  // Returns when it has begun.
  void Begin(milliseconds time) {
    time_ms_ = time.count();
    while (time_ms_ != 0) std::this_thread::yield();
  }

 private:
  static uint16_t Wait(uint16_t /*port*/, uint16_t /*queue*/, rte_mbuf** /*mbufs*/, uint16_t count,
                       uint16_t /*most*/, void* stall) {
    const int64_t time_ms = static_cast<Stall*>(stall)->time_ms_.exchange(0);
    if (time_ms != 0) std::this_thread::sleep_for(milliseconds(time_ms));
    return count;
  }

  uint16_t port_ = 0;
  const rte_eth_rxtx_callback* callback_ = nullptr;
  std::atomic<int64_t> time_ms_{0};
};

uint64_t WorstGap(const v1::JobCounters& job) {
  uint64_t worst_ns = 0;
  for (const auto& polls : job.polls()) worst_ns = std::max(worst_ns, polls.worst_ns());
  return worst_ns;
}

TEST_F(LoopTest, AStallIsRememberedWhateverIsStartedAfterIt) {
  constexpr milliseconds kStall(1500);
  constexpr uint64_t kStallNs = 1500 * kMillisecond;
  Stall stall("net_ring_b");
  tester->Load(JobOf("one", {{}}));
  tester->Load(JobOf("two", {{.id = 2, .tx_port = "c", .rx_port = "c"}}));
  tester->Start({"one"}, 0, 0);
  const v1::Snapshot before = tester->TakeSnapshot({});
  stall.Begin(kStall);
  std::this_thread::sleep_for(kStall + milliseconds(50));
  tester->Start({"two"}, 0, 100);
  WaitForEnd(*tester, "two");
  const v1::Snapshot after = tester->TakeSnapshot({"one", "two"});
  ASSERT_EQ(after.jobs_size(), 2);
  const v1::JobCounters& one = after.jobs(0);
  EXPECT_GE(WorstGap(one), kStallNs);
  EXPECT_LT(WorstGap(after.jobs(1)), kStallNs) << "it was before its start";
  ASSERT_EQ(one.polls_size(), 2) << "of its ports";
  EXPECT_EQ(one.polls(1).port(), "b");
  EXPECT_GE(one.polls(1).late(), 1U);
  EXPECT_GE(one.polls(1).buckets_size(), 1);
  const v1::WorkerCounters& worker = after.workers(0);
  EXPECT_GT(worker.loops(), before.workers(0).loops());
  EXPECT_GT(worker.late_polls(), before.workers(0).late_polls());
  EXPECT_GE(worker.worst_gap_ns(), kStallNs);
  EXPECT_GE(worker.waited_ns(), before.workers(0).waited_ns());
  EXPECT_EQ(after.clock().engine_start_ns(), before.clock().engine_start_ns());
}

// No job runs at its port.
TEST_F(LoopTest, AQueryHasTheStallsBetweenItsStartAndItsEnd) {
  constexpr milliseconds kStall(500);
  constexpr uint64_t kStallNs = 500 * kMillisecond;
  Stall stall("net_ring_b");
  const auto stall_for = [&](milliseconds time) {
    stall.Begin(time);
    std::this_thread::sleep_for(time + milliseconds(50));
  };
  const auto start = [&](const std::string& name) {
    v1::Query query;
    query.set_name(name);
    query.add_ports("b");
    query.set_direction(v1::Capture::DIRECTION_RECEIVED);
    query.set_capacity(1);
    tester->StartQuery(query);
  };
  const auto worst_ns = [&](int query) {
    return tester->TakeSnapshot({}).queries(query).worst_worker_gap_ns();
  };
  start("a");
  EXPECT_TRUE(tester->TakeSnapshot({}).queries(0).has_worst_worker_gap_ns());
  stall_for(kStall);
  start("b");
  EXPECT_GE(worst_ns(0), kStallNs);
  EXPECT_LT(worst_ns(1), kStallNs) << "it was before its start";
  tester->StopQuery("a");
  const uint64_t stopped_ns = worst_ns(0);
  stall_for(2 * kStall);
  EXPECT_EQ(worst_ns(0), stopped_ns);
  EXPECT_GE(worst_ns(1), 2 * kStallNs);
}

TEST_F(LoopTest, AStartOfTheJobItselfForgets) {
  Stall stall("net_ring_b");
  tester->Load(JobOf("job", {{}}));
  tester->Start({"job"}, 0, 0);
  stall.Begin(milliseconds(1500));
  tester->Stop({"job"});
  tester->Start({"job"}, 0, 0);
  std::this_thread::sleep_for(milliseconds(20));
  const v1::Snapshot snapshot = tester->TakeSnapshot({"job"});
  EXPECT_LT(WorstGap(snapshot.jobs(0)), 1500 * kMillisecond);
  EXPECT_EQ(snapshot.jobs(0).starts(), 2U);
}

TEST_F(LoopTest, WhoHasStoppedAJobBeforeItsEndIsKnown) {
  constexpr uint64_t kAsked = 60'000 * kMillisecond;
  tester->Load(JobOf("job", {{.id = 1}, {.id = 2, .tx_port = "b", .rx_port = "a"}}));
  const uint64_t start_ns = tester->Start({"job"}, kAsked, 0, 0, {.name = "alice", .token = {}});
  tester->Update("job", JobOf("job", {{.gap_ns = 200'000}}).streams(0),
                 {.name = "carol", .token = {}});
  std::this_thread::sleep_for(milliseconds(50));
  tester->Stop({"job"}, {.name = "bob", .token = {}});
  tester->Stop({"job"}, {.name = "dave", .token = {}});
  const v1::Snapshot snapshot = tester->TakeSnapshot({"job"});
  const v1::JobCounters& job = snapshot.jobs(0);
  EXPECT_EQ(job.started_by(), "alice");
  EXPECT_EQ(job.started_at_ns(), start_ns);
  EXPECT_EQ(job.asked_duration_ns(), kAsked);
  EXPECT_EQ(job.stopped_by(), "bob") << "the second one had nothing to stop";
  EXPECT_GE(job.stopped_at_ns(), start_ns + 40 * kMillisecond);
  EXPECT_LT(job.stopped_at_ns(), start_ns + kAsked);
  EXPECT_THAT(job.stopped_streams(), ElementsAre(1, 2));
  EXPECT_EQ(job.updates(), 1U);
  EXPECT_EQ(job.updated_by(), "carol");
}

TEST_F(LoopTest, AJobThatHasEndedWasNotStopped) {
  tester->Load(JobOf("job", {{}}));
  tester->Start({"job"}, 10 * kMillisecond, 0);
  WaitForEnd(*tester, "job");
  tester->Stop({"job"}, {.name = "bob", .token = {}});
  const v1::Snapshot snapshot = tester->TakeSnapshot({"job"});
  EXPECT_EQ(snapshot.jobs(0).stopped_at_ns(), 0U);
  EXPECT_EQ(snapshot.jobs(0).stopped_by(), "");
}

TEST_F(LoopTest, WhoMissesAJobLearnsWhoHasUnloadedIt) {
  tester->Load(JobOf("job", {{}}));
  tester->Unload({"job"}, {.name = "bob", .token = {}});
  try {
    tester->TakeSnapshot({"job"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("it was unloaded by bob"));
  }
}

TEST_F(LoopTest, AfterTheEndNothingStarts) {
  tester->Load(JobOf("job", {{}}));
  tester->Start({"job"}, 0, 0);
  EXPECT_EQ(tester->EndedBy(), "");
  tester->End("bob");
  EXPECT_FALSE(tester->Progress({"job"}).sending());
  EXPECT_EQ(tester->EndedBy(), "bob");
  EXPECT_EQ(CodeOf([&] { tester->Start({"job"}, 0, 0); }), Code::kAborted);
  EXPECT_EQ(CodeOf([&] { tester->Load(JobOf("other", {{.id = 2}})); }), Code::kAborted);
}

TEST_F(LoopTest, AWorkerIsStuckAfterTwoLooksAndMayRecover) {
  Stall stall("net_ring_b");
  stall.Begin(milliseconds(500));
  tester->workers().Check();  // the first look
  tester->workers().Check();
  EXPECT_TRUE(tester->workers().Usable()) << "one look in vain may be a pause of the machine";
  tester->workers().Check();
  EXPECT_FALSE(tester->workers().Usable());
  std::this_thread::sleep_for(milliseconds(600));
  tester->workers().Check();
  EXPECT_TRUE(tester->workers().Usable());
}

}  // namespace
}  // namespace tester
