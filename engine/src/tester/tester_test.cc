// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The whole tester on DPDK ports that need no network and no privileges: loops of rings and
// net_null.
#include "tester/tester.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include <chrono>
#include <thread>
#include <utility>

#include "tester/tester_testing.h"

namespace tester {
namespace {

TEST_F(LoopTest, SendsExactlyWhatIsDueAndCountsItTwice) {
  tester->Load(JobOf("job", {{.id = 1}, {.id = 2, .tx_port = "b", .rx_port = "a", .bytes = 200}}));
  const uint64_t start_ns = tester->Start({"job"}, 50 * kMillisecond, 0);
  WaitForEnd(*tester, "job");
  const v1::Snapshot snapshot = tester->TakeSnapshot({});
  ASSERT_EQ(snapshot.streams_size(), 2);
  for (const auto& stream : snapshot.streams()) {
    const uint64_t frame_bytes = stream.id() == 1 ? 64 : 204;
    EXPECT_EQ(stream.intended_packets(), 500U);
    EXPECT_EQ(stream.tx_packets(), 500U);
    EXPECT_EQ(stream.rx_packets(), 500U);
    EXPECT_EQ(stream.tx_bytes(), 500 * frame_bytes);
    EXPECT_EQ(stream.rx_bytes(), 500 * frame_bytes);
    EXPECT_EQ(stream.rx_out_of_order(), 0U);
    EXPECT_EQ(stream.rx_misrouted(), 0U);
    EXPECT_EQ(stream.latency().count(), 500U);
    EXPECT_GE(stream.first_tx_ns(), start_ns);
    EXPECT_GE(stream.first_rx_ns(), stream.first_tx_ns());
    EXPECT_FALSE(stream.sending());
  }
  EXPECT_EQ(snapshot.ports(0).tx_packets(), 500U);
  EXPECT_EQ(snapshot.ports(1).rx_bytes(), 500U * 64);
  EXPECT_EQ(snapshot.ports(0).rx_foreign(), 0U);
}

TEST_F(LoopTest, ACountEndsAStream) {
  tester->Load(JobOf("job", {{.gap_ns = 1000}}));
  tester->Start({"job"}, 0, 1234);
  WaitForEnd(*tester, "job");
  const auto stream = tester->TakeSnapshot({"job"}).streams(0);
  EXPECT_EQ(stream.intended_packets(), 1234U);
  EXPECT_EQ(stream.rx_packets(), 1234U);
}

TEST_F(LoopTest, AStartCountsFromZero) {
  tester->Load(JobOf("job", {{}}));
  for (const uint64_t packets : {300U, 200U}) {
    tester->Start({"job"}, 0, packets);
    WaitForEnd(*tester, "job");
    const auto stream = tester->TakeSnapshot({"job"}).streams(0);
    EXPECT_EQ(stream.tx_packets(), packets);
    EXPECT_EQ(stream.rx_packets(), packets);
    EXPECT_EQ(stream.rx_out_of_order(), 0U) << "sequence numbers start anew, too";
    EXPECT_EQ(stream.latency().count(), packets);
  }
}

TEST_F(LoopTest, StopEndsItAndOwesNothing) {
  tester->Load(JobOf("job", {{}}));
  tester->Start({"job"}, 0, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  tester->Stop({"job"});
  const auto stopped = tester->TakeSnapshot({"job"}).streams(0);
  EXPECT_FALSE(stopped.sending());
  EXPECT_GT(stopped.tx_packets(), 0U);
  EXPECT_EQ(stopped.tx_packets(), stopped.intended_packets());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(tester->TakeSnapshot({"job"}).streams(0).tx_packets(), stopped.tx_packets());
  EXPECT_NO_THROW(tester->Stop({"job"})) << "stopping what is not sending is no error";
}

TEST_F(LoopTest, AnImpossibleRateIsOfferedCountedAndStopsAtOnce) {
  tester->Load(JobOf("job", {{.tx_port = "c", .rx_port = "c", .gap_ns = 1}}));
  tester->Start({"job"}, 0, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto before = std::chrono::steady_clock::now();
  tester->Stop({"job"});
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(900));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto stream = tester->TakeSnapshot({"job"}).streams(0);
  EXPECT_GT(stream.tx_packets(), 0U);
  EXPECT_LT(stream.tx_packets(), stream.intended_packets());
  EXPECT_EQ(stream.tx_packets(), stream.rx_packets()) << "what was refused was offered again";
  EXPECT_EQ(stream.rx_out_of_order(), 0U);
  EXPECT_GT(stream.worst_lateness_ns(), kMillisecond);
}

TEST_F(LoopTest, UpdateChangesTheRateAndCountsOn) {
  tester->Load(JobOf("job", {{.gap_ns = 3'600'000'000'000}}));  // an hour
  tester->Start({"job"}, 0, 0);
  tester->Update("job", JobOf("job", {{}}).streams(0));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  tester->Stop({"job"});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto stream = tester->TakeSnapshot({"job"}).streams(0);
  EXPECT_GT(stream.tx_packets(), 100U);
  EXPECT_EQ(stream.rx_packets(), stream.tx_packets());
  EXPECT_EQ(stream.rx_out_of_order(), 0U);
  EXPECT_EQ(stream.latency().count(), stream.rx_packets());
}

TEST_F(LoopTest, AFrameOnAnotherPortIsMisrouted) {
  tester->Load(JobOf("job", {{.tx_port = "a", .rx_port = "c"}}));
  tester->Start({"job"}, 0, 100);
  WaitForEnd(*tester, "job");
  const auto stream = tester->TakeSnapshot({"job"}).streams(0);
  EXPECT_EQ(stream.rx_misrouted(), 100U);
  ASSERT_EQ(stream.rx_misrouted_ports().size(), 1);
  EXPECT_EQ(stream.rx_misrouted_ports(0), "b");
  ASSERT_EQ(stream.rx_misrouted_by_port().size(), 1);
  EXPECT_EQ(stream.rx_misrouted_by_port(0), 100U);
  ASSERT_EQ(stream.rx_misrouted_behind().size(), 1);
  EXPECT_EQ(stream.rx_misrouted_behind(0), 0U);
  EXPECT_EQ(stream.rx_packets(), 0U);
}

TEST_F(LoopTest, ALostLinkIsCounted) {
  uint16_t device = 0;
  ASSERT_EQ(rte_eth_dev_get_port_by_name("net_ring_b", &device), 0);
  const auto link = [&] {
    const v1::PortCounters port = tester->TakeSnapshot({}).ports(1);
    return std::pair(port.link_up(), port.link_downs());
  };
  EXPECT_EQ(link(), std::pair(true, uint64_t{0}));
  ASSERT_EQ(rte_eth_dev_set_link_down(device), 0);
  EXPECT_EQ(link(), std::pair(false, uint64_t{1}));
  EXPECT_EQ(link(), std::pair(false, uint64_t{1}));
  ASSERT_EQ(rte_eth_dev_set_link_up(device), 0);
  EXPECT_EQ(link(), std::pair(true, uint64_t{1}));
}

TEST_F(LoopTest, WithoutSignatureFramesAreForeign) {
  tester->Load(JobOf("job", {{.signature = false}}));
  tester->Start({"job"}, 0, 100);
  WaitForEnd(*tester, "job");
  const v1::Snapshot snapshot = tester->TakeSnapshot({"job"});
  EXPECT_EQ(snapshot.streams(0).tx_packets(), 100U);
  EXPECT_EQ(snapshot.streams(0).rx_packets(), 0U);
  EXPECT_EQ(snapshot.ports(1).rx_foreign(), 100U);
}

// Frames of several jobs share the buffers of a port; each is sent as its own template.
TEST_F(LoopTest, JobsRunBesideEachOther) {
  tester->Load(JobOf("one", {{.id = 1, .bytes = 60}}));
  tester->Load(JobOf("two", {{.id = 2, .bytes = 1514}, {.id = 3, .bytes = 61}}));
  tester->Start({"one"}, 0, 0);
  tester->Start({"two"}, 0, 500);
  WaitForEnd(*tester, "two");
  EXPECT_TRUE(tester->Progress({"one"}).sending());
  tester->Unload({"two"});
  tester->Stop({"one"});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const v1::Snapshot snapshot = tester->TakeSnapshot({});
  ASSERT_EQ(snapshot.streams_size(), 1);
  const auto& one = snapshot.streams(0);
  EXPECT_EQ(one.rx_packets(), one.tx_packets());
  EXPECT_EQ(one.rx_bytes(), one.tx_packets() * 64);
  EXPECT_EQ(snapshot.ports(1).rx_foreign(), 0U);
  EXPECT_EQ(snapshot.ports(1).rx_bytes(), one.tx_bytes() + uint64_t{500} * (1514 + 4 + 61 + 4));
}

TEST_F(LoopTest, RefusalsNameTheReasonAndChangeNothing) {
  const v1::Job job = JobOf("job", {{}});
  tester->Load(job);
  EXPECT_EQ(CodeOf([&] { tester->Load(job); }), Code::kAlreadyExists);
  EXPECT_EQ(CodeOf([&] { tester->Load(JobOf("other", {{}})); }), Code::kAlreadyExists);
  EXPECT_EQ(CodeOf([&] { tester->Start({"job", "other"}, 0, 0); }), Code::kNotFound);
  EXPECT_FALSE(tester->Progress({"job"}).sending()) << "refused as a whole";
  tester->Start({"job"}, 0, 0);
  EXPECT_EQ(CodeOf([&] { tester->Start({"job"}, 0, 0); }), Code::kFailedPrecondition);
  const auto update = [&](const StreamOptions& options) {
    return CodeOf([&] { tester->Update("job", JobOf("job", {options}).streams(0)); });
  };
  EXPECT_EQ(update({.id = 9}), Code::kNotFound);
  EXPECT_EQ(update({.gap_ns = 0}), Code::kInvalidArgument);
  EXPECT_EQ(update({.tx_port = "c"}), Code::kInvalidArgument);
  EXPECT_EQ(update({.rx_port = "c"}), Code::kInvalidArgument);
  EXPECT_EQ(update({.signature = false}), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { tester->Stop({"other"}); }), Code::kNotFound);
  EXPECT_EQ(CodeOf([&] { tester->TakeSnapshot({"other"}); }), Code::kNotFound);
  tester->Unload({"job"});
  EXPECT_EQ(CodeOf([&] { tester->Unload({"job"}); }), Code::kNotFound);
  EXPECT_NO_THROW(tester->Load(job)) << "id and name are free again";
}

TEST_F(LoopTest, InjectSendsAllInOrderAndPads) {
  v1::InjectRequest request;
  request.set_port("a");
  for (int i = 0; i < 1024; ++i) request.add_frames(std::string(14, 'x'));
  tester->single_frames().Inject(request);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const v1::Snapshot snapshot = tester->TakeSnapshot({});
  EXPECT_EQ(snapshot.ports(0).tx_packets(), 1024U);
  EXPECT_EQ(snapshot.ports(1).rx_bytes(), 1024U * 64);
  EXPECT_EQ(snapshot.ports(1).rx_foreign(), 1024U);
}

class ResolveTest : public LoopTest {
 protected:
  ResolveTest() {
    v1::Job job;
    job.set_name("neighbours");
    auto& responder = *job.add_neighbour_responders();
    responder.set_port("b");
    auto& neighbour = *responder.add_neighbours();
    neighbour.set_address(std::string("\xc0\x00\x02\x09", 4));
    neighbour.set_mac("\x02mac!!");
    tester->Load(job);
    request.set_port("a");
    request.set_address(neighbour.address());
    request.set_source_address(std::string("\xc0\x00\x02\x01", 4));
    request.set_source_mac(
        "\x02"
        "asks!");
    request.set_timeout_ns(300 * kMillisecond);
  }

  v1::ResolveRequest request;
};

TEST_F(ResolveTest, FindsWhoAnswers) {
  const Mac mac = tester->single_frames().Resolve(request, [] { return false; });
  EXPECT_EQ(std::string(mac.begin(), mac.end()), "\x02mac!!");
  EXPECT_GE(tester->TakeSnapshot({}).ports(1).neighbour_replies(), 1U);
}

TEST_F(ResolveTest, SaysWhoDoesNot) {
  request.set_address(std::string("\xc0\x00\x02\x08", 4));
  EXPECT_EQ(CodeOf([&] { tester->single_frames().Resolve(request, [] { return false; }); }),
            Code::kDeadlineExceeded);
  EXPECT_EQ(tester->TakeSnapshot({}).ports(0).tx_packets(), 3U) << "three questions";
}

TEST_F(ResolveTest, NobodyAnswersAfterUnload) {
  tester->Unload({"neighbours"});
  EXPECT_EQ(CodeOf([&] { tester->single_frames().Resolve(request, [] { return false; }); }),
            Code::kDeadlineExceeded);
}

TEST_F(ResolveTest, NobodyAsksOrAnswersAfterTheEnd) {
  const auto ports = [this] { return tester->TakeSnapshot({}).ports(); };
  tester->End("a test");
  const uint64_t sent = ports()[0].tx_packets();
  EXPECT_EQ(CodeOf([&] { tester->single_frames().Resolve(request, [] { return false; }); }),
            Code::kAborted);
  v1::InjectRequest injected;
  injected.set_port("a");
  injected.add_frames(std::string(60, '\0'));
  EXPECT_EQ(CodeOf([&] { tester->single_frames().Inject(injected); }), Code::kAborted);
  EXPECT_EQ(CodeOf([&] { tester->Load(JobOf("job", {{}})); }), Code::kAborted);
  EXPECT_EQ(ports()[0].tx_packets(), sent);
  EXPECT_EQ(ports()[1].neighbour_replies(), 0U);
}

TEST(NullTest, SendsAndReceivesNothing) {
  const auto tester = MakeTester({"a=vdev:net_null7", "b=vdev:net_null8"});
  tester->Load(JobOf("job", {{}}));
  tester->Start({"job"}, 0, 1000);
  WaitForEnd(*tester, "job");
  const v1::Snapshot snapshot = tester->TakeSnapshot({"job"});
  EXPECT_EQ(snapshot.streams(0).tx_packets(), 1000U);
  EXPECT_EQ(snapshot.ports(0).tx_packets(), 1000U);
  EXPECT_EQ(snapshot.ports(1).rx_packets(), 0U);
  EXPECT_EQ(snapshot.workers_size(), 1);
  EXPECT_GT(snapshot.workers(0).loops(), 0U);
}

TEST(OpenTest, RefusesWithoutTouchingAnything) {
  const auto check = [](const std::vector<std::string>& texts) {
    std::vector<PortSpec> specs;
    for (const auto& text : texts) specs.push_back(ParsePortSpec(text));
    return CodeOf([&] { CheckInterfaces(specs, {}); });
  };
  EXPECT_EQ(check({"a=iface:not-there"}), Code::kNotFound);
  EXPECT_EQ(check({"a=vdev:net_null0", "b=vdev:net_null0"}), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              MakeTester({"a=loop:x", "b=loop:x", "c=loop:x"});
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { MakeTester({"a=vdev:net_nothing0"}); }), Code::kNotFound);
}

TEST_F(LoopTest, AStartWaitsForItsInstant) {
  tester->Load(JobOf("job", {{.gap_ns = 1000}}));
  const uint64_t at_ns = tester->ReadClock().engine_ns() + 100 * kMillisecond;
  EXPECT_EQ(tester->Start({"job"}, 0, 100, Tester::kDefaultOutageNs, {}, at_ns), at_ns);
  WaitForEnd(*tester, "job");
  const auto stream = tester->TakeSnapshot({"job"}).streams(0);
  EXPECT_EQ(stream.rx_packets(), 100U);
  EXPECT_GE(stream.first_tx_ns(), at_ns);
}

TEST_F(LoopTest, AnInstantThatHasPassedOrIsFarAheadIsRefused) {
  tester->Load(JobOf("job", {{}}));
  const auto start = [&](uint64_t at_ns) {
    return CodeOf([&] { tester->Start({"job"}, 0, 5, Tester::kDefaultOutageNs, {}, at_ns); });
  };
  const uint64_t now_ns = tester->ReadClock().engine_ns();
  EXPECT_EQ(start(now_ns), Code::kFailedPrecondition);
  EXPECT_EQ(start(now_ns + 60'000 * kMillisecond), Code::kInvalidArgument);
  EXPECT_FALSE(tester->Progress({"job"}).sending());
  tester->Start({"job"}, 0, 5);
  WaitForEnd(*tester, "job");
  EXPECT_EQ(tester->TakeSnapshot({"job"}).streams(0).rx_packets(), 5U);
}

// A stream between this tester and another one.
v1::Job HalfOf(bool sent_here) {
  v1::Job job = JobOf("half", {{.gap_ns = 10'000}});
  auto& stream = *job.mutable_streams(0);
  if (sent_here) {
    stream.clear_rx_port();
  } else {
    stream.clear_tx_port();
    stream.mutable_sender_clock()->set_ahead_ns(-5);
  }
  return job;
}

TEST_F(LoopTest, FramesForAnotherTesterAreMisroutedWhereverTheyArriveHere) {
  tester->Load(HalfOf(true));
  tester->Start({"half"}, 0, 50);
  WaitForEnd(*tester, "half");
  const auto stream = tester->TakeSnapshot({"half"}).streams(0);
  EXPECT_EQ(stream.tx_packets(), 50U);
  EXPECT_EQ(stream.rx_packets(), 0U);
  EXPECT_EQ(stream.rx_misrouted(), 50U);
  ASSERT_EQ(stream.rx_misrouted_ports_size(), 1);
  EXPECT_EQ(stream.rx_misrouted_ports(0), "b");
}

TEST_F(LoopTest, NothingIsSentOfAStreamOfAnotherTester) {
  tester->Load(HalfOf(false));
  tester->Start({"half"}, 0, 50);
  EXPECT_FALSE(tester->Progress({"half"}).sending());
  const v1::Snapshot snapshot = tester->TakeSnapshot({"half"});
  EXPECT_EQ(snapshot.ports(0).tx_packets(), 0U);
  EXPECT_FALSE(snapshot.streams(0).has_rx_version_rewritten());
  EXPECT_FALSE(snapshot.streams(0).has_rx_lost_crowded());
  EXPECT_EQ(snapshot.jobs(0).polls_size(), 1) << "of the port that receives";
  tester->Start({"half"}, 0, 50);  // it may be started again at any time
  tester->Stop({"half"});
  EXPECT_EQ(tester->TakeSnapshot({"half"}).jobs(0).stopped_at_ns(), 0U);
}

TEST_F(LoopTest, AStreamOfAnotherTesterNeedsItsClock) {
  v1::Job job = HalfOf(false);
  auto& stream = *job.mutable_streams(0);
  const auto load = [&] { return CodeOf([&] { tester->Load(job); }); };
  stream.mutable_sender_clock()->set_within_ns(kMostSenderClockErrorNs + 1);
  EXPECT_EQ(load(), Code::kInvalidArgument);
  stream.clear_sender_clock();
  EXPECT_EQ(load(), Code::kInvalidArgument);
  stream.mutable_sender_clock();
  stream.set_tx_port("a");
  EXPECT_EQ(load(), Code::kInvalidArgument) << "it is sent here";
  stream.clear_tx_port();
  stream.clear_rx_port();
  tester->Load(job);  // it neither leaves nor arrives here, but may go astray
  EXPECT_EQ(tester->TakeSnapshot({"half"}).streams_size(), 1);
}

}  // namespace
}  // namespace tester
