// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The tester as a whole on DPDK ports that need no network and no rights: loops of rings, net_null
// and files of net_pcap.
#include "tester/tester.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include "port/eal_testing.h"
#include "port/open.h"
#include "replay/capture_testing.h"
#include "wire/ethernet.h"
#include "wire/signature.h"

namespace tester {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMillisecond = 1'000'000;

std::unique_ptr<Tester> MakeTester(const std::vector<std::string>& texts) {
  StartEal();
  std::vector<PortSpec> specs;
  for (const auto& text : texts) specs.push_back(ParsePortSpec(text));
  return std::make_unique<Tester>(OpenPorts(specs),
                                  WorkerPlacement{.cpus = {TestCpu()}, .shares_cpu = true});
}

struct StreamOptions {
  uint32_t id = 1;
  std::string tx_port = "a";
  std::string rx_port = "b";
  size_t bytes = 60;
  bool signature = true;
  uint64_t gap_ns = 100'000;
};

v1::Job JobOf(const std::string& name, const std::vector<StreamOptions>& streams) {
  v1::Job job;
  job.set_name(name);
  for (const auto& options : streams) {
    auto& stream = *job.add_streams();
    stream.set_id(options.id);
    stream.set_tx_port(options.tx_port);
    stream.set_rx_port(options.rx_port);
    stream.add_frames(std::string(options.bytes, '\0'));
    stream.set_signature(options.signature);
    stream.mutable_departures()->mutable_steady()->mutable_tick()->set_packets(1);
    stream.mutable_departures()->mutable_steady()->mutable_tick()->set_nanoseconds(options.gap_ns);
  }
  return job;
}

// Gives up after a time that only a broken tester needs.
void WaitForEnd(Tester& tester, const std::string& job) {
  for (int i = 0; i < 10'000 && tester.Progress({job}).sending(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_FALSE(tester.Progress({job}).sending());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // what is under way arrives
}

Code CodeOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "not refused";
  return Code::kInternal;
}

class LoopTest : public testing::Test {
 protected:
  std::unique_ptr<Tester> tester = MakeTester({"a=loop:x", "b=loop:x", "c=loop:y"});
};

// Each frame 100 us after the one before, twice over, in files that no other test has.
class ReplayTest : public LoopTest {
 protected:
  static constexpr uint32_t kFrames = 300;

  ReplayTest() {
    CaptureBytes file;
    file.PcapHeader();
    for (uint32_t i = 0; i < kFrames; ++i) {
      file.PcapFrame(1, 100 * i, std::string(50 + i % 100, 'x'));
    }
    std::ofstream(path, std::ios::binary) << file.text();
  }
  ~ReplayTest() override { std::remove(path.c_str()); }

  v1::Job Replay(uint64_t repetitions) const {
    v1::Job job = JobOf("job", {{.signature = false}});
    v1::Stream& stream = *job.mutable_streams(0);
    stream.clear_frames();
    stream.mutable_departures()->mutable_replay()->set_path(path);
    stream.mutable_departures()->mutable_replay()->set_scale(1);
    stream.mutable_departures()->mutable_replay()->set_repetitions(repetitions);
    return job;
  }

  const std::string path = testing::TempDir() + "tester-" + std::to_string(::getpid()) + ".pcap";
};

TEST_F(ReplayTest, SendsEveryFrameOfTheFile) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < kFrames; ++i) bytes += std::max<uint64_t>(60, 50 + i % 100) + 4;
  tester->Load(Replay(2));
  for (int start = 0; start < 2; ++start) {
    const uint64_t start_ns = tester->Start({"job"}, 0, 0, 0);
    WaitForEnd(*tester, "job");
    const v1::Snapshot snapshot = tester->TakeSnapshot({});
    EXPECT_EQ(snapshot.streams(0).tx_packets(), 2 * kFrames);
    EXPECT_EQ(snapshot.streams(0).intended_packets(), 2 * kFrames);
    EXPECT_EQ(snapshot.streams(0).tx_bytes(), 2 * bytes);
    EXPECT_GE(snapshot.streams(0).last_tx_ns(), start_ns + (2 * kFrames - 1) * uint64_t{100'000})
        << "never early";
  }
}

TEST_F(ReplayTest, StopsInTheMiddle) {
  tester->Load(Replay(0));
  tester->Start({"job"}, 50 * kMillisecond, 0, 0);
  WaitForEnd(*tester, "job");
  EXPECT_EQ(tester->TakeSnapshot({}).streams(0).tx_packets(), 500U);
}

TEST_F(ReplayTest, RefusesAFileThatIsNone) {
  v1::Job job = Replay(1);
  job.mutable_streams(0)->mutable_departures()->mutable_replay()->set_path("/dev/zero");
  EXPECT_EQ(CodeOf([&] { tester->Load(job); }), Code::kInvalidArgument);
}

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
  EXPECT_EQ(stream.rx_packets(), 0U);
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
  EXPECT_EQ(snapshot.ports(1).rx_bytes(), one.tx_bytes() + 500 * (1514 + 4) + 500 * (61 + 4));
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
  tester->Inject(request);
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
  const Mac mac = tester->Resolve(request, [] { return false; });
  EXPECT_EQ(std::string(mac.begin(), mac.end()), "\x02mac!!");
  EXPECT_GE(tester->TakeSnapshot({}).ports(1).neighbour_replies(), 1U);
}

TEST_F(ResolveTest, SaysWhoDoesNot) {
  request.set_address(std::string("\xc0\x00\x02\x08", 4));
  EXPECT_EQ(CodeOf([&] { tester->Resolve(request, [] { return false; }); }),
            Code::kDeadlineExceeded);
  EXPECT_EQ(tester->TakeSnapshot({}).ports(0).tx_packets(), 3U) << "three questions";
}

TEST_F(ResolveTest, NobodyAnswersAfterUnload) {
  tester->Unload({"neighbours"});
  EXPECT_EQ(CodeOf([&] { tester->Resolve(request, [] { return false; }); }),
            Code::kDeadlineExceeded);
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

// A frame and what is to come back for it.
class PcapTest : public testing::Test {
 protected:
  PcapTest() : folder_(testing::TempDir()) {}

  void Write(const std::vector<std::vector<uint8_t>>& frames) const {
    std::ofstream file(Path("in"), std::ios::binary);
    const auto put = [&](uint32_t value) {
      file.write(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const uint32_t value : {0xa1b2c3d4U, 0x00040002U, 0U, 0U, 65535U, 1U}) put(value);
    for (const auto& frame : frames) {
      const auto bytes = static_cast<uint32_t>(frame.size());
      for (const uint32_t value : {0U, 0U, bytes, bytes}) put(value);
      file.write(reinterpret_cast<const char*>(frame.data()), bytes);
    }
  }

  std::vector<std::vector<uint8_t>> Read() const {
    std::ifstream file(Path("out"), std::ios::binary);
    file.ignore(24);
    std::vector<std::vector<uint8_t>> frames;
    std::array<uint32_t, 4> header{};
    while (file.read(reinterpret_cast<char*>(header.data()), sizeof header)) {
      frames.emplace_back(header[2]);
      file.read(reinterpret_cast<char*>(frames.back().data()), header[2]);
    }
    return frames;
  }

  std::string Path(const char* name) const {
    return folder_ + "/testerd-" + std::to_string(::getpid()) + "-" + name + ".pcap";
  }

  ~PcapTest() override {
    for (const char* name : {"in", "out"}) std::remove(Path(name).c_str());
  }

  std::string Port() const {
    return "a=vdev:net_pcap0,rx_pcap=" + Path("in") + ",tx_pcap=" + Path("out");
  }

 private:
  std::string folder_;
};

TEST_F(PcapTest, ReadsWhatIsCutOffOrStrange) {
  std::vector<std::vector<uint8_t>> frames;
  for (const size_t bytes : {14, 15, 16, 29, 30, 31, 59, 60, 1514}) frames.emplace_back(bytes, 0);
  std::vector<uint8_t> arp(20, 0);
  wire::WriteEthernet(arp, wire::kBroadcast, {}, 0, wire::kEtherTypeArp);
  frames.push_back(arp);
  Write(frames);
  const auto tester = MakeTester({Port()});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const v1::Snapshot snapshot = tester->TakeSnapshot({});
  EXPECT_EQ(snapshot.ports(0).rx_packets(), frames.size());
  EXPECT_EQ(snapshot.ports(0).rx_foreign(), frames.size());
}

TEST_F(PcapTest, WritesFramesAsTheyWereGivenWithASignature) {
  Write({});
  {
    const auto tester = MakeTester({Port()});
    v1::Job job = JobOf("job", {{.id = 0x0102, .tx_port = "a", .rx_port = "a", .bytes = 100}});
    std::string bytes(100, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
    *job.mutable_streams(0)->mutable_frames(0) = (bytes);
    tester->Load(job);
    tester->Start({"job"}, 0, 300);
    WaitForEnd(*tester, "job");
  }
  const auto frames = Read();
  ASSERT_EQ(frames.size(), 300U);
  std::vector<uint8_t> given(100);
  for (size_t i = 0; i < given.size(); ++i) given[i] = static_cast<uint8_t>(i);
  const uint16_t key = wire::SignatureSum(given.data() + 84);
  uint64_t last_ns = 0;
  for (size_t k = 0; k < frames.size(); ++k) {
    ASSERT_EQ(frames[k].size(), 100U);
    EXPECT_TRUE(std::equal(given.begin(), given.begin() + 84, frames[k].begin()));
    const uint8_t* at = frames[k].data() + 84;
    EXPECT_EQ(wire::SignatureSum(at), key);
    const auto signature = wire::Signature::Read(at);
    EXPECT_EQ(signature.id, 0x0102);
    EXPECT_EQ(signature.sequence, k);
    EXPECT_GE(signature.timestamp_ns, last_ns);
    last_ns = signature.timestamp_ns;
  }
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

}  // namespace
}  // namespace tester
