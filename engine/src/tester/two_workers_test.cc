// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Two workers, ports with one queue and with two, and several threads that call the tester
// meanwhile. Under ThreadSanitizer
// (`tools/engine.py race`) these tests say whether anything is shared that must not be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "tester/tester_testing.h"

namespace tester {
namespace {

using testing::HasSubstr;

constexpr uint64_t kPackets = 3000;

// With one queue worker 0 serves the ports a and c, and worker 1 the ports b and d; with two, each
// worker serves a queue of each port.
class TwoWorkersTest : public testing::TestWithParam<uint16_t> {
 protected:
  std::unique_ptr<Tester> tester =
      MakeTester({"a=loop:x", "b=loop:x", "c=loop:y", "d=loop:y"}, 2, GetParam());
};

INSTANTIATE_TEST_SUITE_P(Queues, TwoWorkersTest, testing::Values(1, 2));

// Streams between all ports, in both directions; those of number 5 and 6 go astray.
v1::Job Traffic() {
  return JobOf("traffic", {{.id = 1},
                           {.id = 2, .tx_port = "b", .rx_port = "a", .bytes = 200},
                           {.id = 3, .tx_port = "c", .rx_port = "d"},
                           {.id = 4, .tx_port = "d", .rx_port = "c", .signature = false},
                           {.id = 5, .tx_port = "a", .rx_port = "c"},
                           {.id = 6, .tx_port = "b", .rx_port = "d"}});
}

uint64_t OnItsWay(const v1::Snapshot& snapshot) {
  uint64_t frames = 0;
  for (const auto& port : snapshot.ports()) frames += port.tx_packets() - port.rx_packets();
  return frames;
}

// A sanitizer makes workers so slow that streams may end before they have sent all frames.
void ExpectExact(Tester& tester) {
  v1::Snapshot snapshot = tester.TakeSnapshot({"traffic"});
  for (int i = 0; i < 1000 && OnItsWay(snapshot) != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    snapshot = tester.TakeSnapshot({"traffic"});
  }
  ASSERT_EQ(OnItsWay(snapshot), 0U);
  ASSERT_EQ(snapshot.streams_size(), 6);
  for (const auto& stream : snapshot.streams()) {
    SCOPED_TRACE(stream.id());
    EXPECT_GT(stream.tx_packets(), 0U);
    if (stream.id() == 4) continue;  // without signature and matches nobody knows it
    const bool astray = stream.id() > 4;
    EXPECT_EQ(stream.rx_packets(), astray ? 0 : stream.tx_packets());
    EXPECT_EQ(stream.rx_misrouted(), astray ? stream.tx_packets() : 0);
    EXPECT_EQ(stream.rx_out_of_order(), 0U);
    EXPECT_EQ(stream.order().duplicated(), 0U);
    EXPECT_EQ(stream.latency().count(), stream.rx_packets());
  }
}

TEST_P(TwoWorkersTest, CountsAreExactWhateverIsAskedMeanwhile) {
  tester->Load(Traffic());
  tester->Start({"traffic"}, 0, kPackets);
  std::array<std::jthread, 3> threads = {
      // Programs are swapped under load.
      std::jthread([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          tester->Load(JobOf("beside", {{.id = 9}}));
          tester->Start({"beside"}, 0, 10);
          tester->Update("beside", JobOf("beside", {{.id = 9, .gap_ns = 20'000}}).streams(0));
          tester->Unload({"beside"});
        }
      }),
      std::jthread([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const v1::Snapshot snapshot = tester->TakeSnapshot({"traffic"});
          for (const auto& stream : snapshot.streams()) {
            EXPECT_LE(stream.rx_packets() + stream.rx_misrouted(), stream.tx_packets());
          }
        }
      }),
      std::jthread([&](const std::stop_token& stop) {
        v1::InjectRequest request;
        request.set_port("d");
        request.add_frames(std::string(60, '\x01'));
        while (!stop.stop_requested()) {
          tester->single_frames().Inject(request);
          EXPECT_GT(tester->Progress({"traffic"}).now_ns(), 0U);
        }
      }),
  };
  WaitForEnd(*tester, "traffic");
  for (auto& thread : threads) thread.request_stop();
  for (auto& thread : threads) thread.join();
  ExpectExact(*tester);
}

TEST_P(TwoWorkersTest, ANeighbourOfTheOtherWorkerAnswersUnderLoad) {
  v1::Job job = Traffic();
  auto& responder = *job.add_neighbour_responders();
  responder.set_port("b");
  auto& neighbour = *responder.add_neighbours();
  neighbour.set_address(std::string("\xc0\x00\x02\x09", 4));
  neighbour.set_mac("\x02mac!!");
  tester->Load(job);
  v1::ResolveRequest request;
  request.set_port("a");
  request.set_address(neighbour.address());
  request.set_source_address(std::string("\xc0\x00\x02\x01", 4));
  request.set_source_mac("\x02me---");
  request.set_timeout_ns(3000 * kMillisecond);
  tester->Start({"traffic"}, 0, kPackets);
  int answers = 0;
  while (tester->Progress({"traffic"}).sending()) {
    const Mac mac = tester->single_frames().Resolve(request, [] { return false; });
    EXPECT_EQ(std::string(mac.begin(), mac.end()), "\x02mac!!");
    ++answers;
  }
  EXPECT_GT(answers, 1);
  ExpectExact(*tester);
}

TEST_P(TwoWorkersTest, FramesOfBothWorkersAreCaptured) {
  tester->Load(Traffic());
  v1::Capture capture;
  capture.set_name("both");
  capture.set_frames(8 * kPackets);
  capture.set_snap_length(64);
  capture.set_direction(v1::Capture::DIRECTION_RECEIVED);
  tester->StartCapture(capture);
  tester->Start({"traffic"}, 0, 200);
  WaitForEnd(*tester, "traffic");
  const auto stopped = tester->StopCapture("both");
  uint64_t seen = 0;
  for (const auto& port : stopped.counters().ports()) seen += port.seen();
  const v1::Snapshot snapshot = tester->TakeSnapshot({});
  uint64_t received = 0;
  for (const auto& port : snapshot.ports()) received += port.rx_packets();
  EXPECT_GT(seen, 6U);
  EXPECT_EQ(seen, received) << "each frame where it arrives";
}

TEST_P(TwoWorkersTest, TheWorkersOfQueuesAreKnown) {
  const v1::GetInfoResponse info = tester->Info();
  for (uint32_t slot = 0; slot < 4U * GetParam(); ++slot) {
    const auto& port = info.ports(static_cast<int>(slot / GetParam()));
    ASSERT_EQ(port.queue_cpus_size(), GetParam());
    EXPECT_EQ(port.queue_cpus(static_cast<int>(slot % GetParam())),
              info.worker_cpus(static_cast<int>(slot % 2)));
  }
}

TEST(TwoQueuesTest, StreamsShareTheQueuesOfAPort) {
  const auto tester = MakeTester({"a=loop:x", "b=loop:x"}, 2, 2);
  tester->Load(JobOf("job", {{.id = 1}, {.id = 2}}));
  tester->Start({"job"}, 0, 100);
  WaitForEnd(*tester, "job");
  for (uint16_t queue = 0; queue < 2; ++queue) {
    SCOPED_TRACE(queue);
    uint16_t port = 0;
    ASSERT_EQ(rte_eth_dev_get_port_by_name("net_ring_a", &port), 0);
    rte_eth_stats stats{};
    rte_eth_stats_get(port, &stats);
    EXPECT_EQ(stats.q_opackets[queue], 100U);
  }
}

TEST(TwoQueuesTest, MoreQueuesThanADeviceHasAreRefused) {
  const std::string port = "a=vdev:net_pcap5,tx_pcap=" + testing::TempDir() + "two-queues.pcap";
  try {
    MakeTester({port}, 2, 2);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
    EXPECT_THAT(error.what(), HasSubstr("port a: --queues 2, and net_pcap has 1 here"));
  }
}

}  // namespace
}  // namespace tester
