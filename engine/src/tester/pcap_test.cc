// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The tester with capture files: those of net_pcap ports, and a replayed one.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "replay/capture_testing.h"
#include "tester/tester_testing.h"
#include "wire/ethernet.h"
#include "wire/signature.h"

namespace tester {
namespace {

// Frames 100 us apart, repeated twice, in files of this test only.
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

// A capture of this tester's own frames: their signatures are of the past.
TEST_F(ReplayTest, CountsTheFramesOfItsFileWhateverSignatureTheyHave) {
  constexpr uint32_t kId = 5;
  tester->Load(JobOf("captured", {{.id = kId}}));
  tester->Start({"captured"}, 0, 1, 0);
  WaitForEnd(*tester, "captured");
  tester->Unload({"captured"});
  const std::string frame(60, '\0');
  const auto* begin = reinterpret_cast<const uint8_t*>(frame.data());
  const auto signed_at = [&](uint64_t time_ns, uint64_t sequence) {
    std::string made = frame;
    auto* at = reinterpret_cast<uint8_t*>(made.data()) + made.size() - wire::kSignatureBytes;
    wire::SignatureWriter(kId, wire::SignatureSum(begin), time_ns).Write(at, sequence);
    return made;
  };
  CaptureBytes file;
  file.PcapHeader();
  for (uint32_t i = 0; i < kFrames; ++i) file.PcapFrame(1, 100 * i, signed_at(1000 + i, i));
  std::ofstream(path, std::ios::binary) << file.text();
  v1::Job job = Replay(1);
  v1::Match& match = *job.mutable_streams(0)->add_matches();
  match.set_offset(0);
  match.set_mask(std::string(6, '\xff'));
  match.set_value(frame.substr(0, 6));
  tester->Load(job);
  tester->Start({"job"}, 0, 0, 0);
  WaitForEnd(*tester, "job");
  v1::InjectRequest old;
  old.set_port("a");
  old.add_frames(signed_at(5, 0));
  tester->single_frames().Inject(old, {});
  const auto stale = [&] { return tester->TakeSnapshot({}).ports(1).rx_stale(); };
  for (int i = 0; i < 10'000 && stale() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(stale(), 1U) << "a frame of an earlier trial is none of the file";
  EXPECT_EQ(tester->TakeSnapshot({}).streams(0).rx_packets(), kFrames);
}

TEST_F(ReplayTest, SaysThatTheFileHasChanged) {
  tester->Load(Replay(0));
  tester->Start({"job"}, 0, 0, 0);
  std::ofstream(path, std::ios::binary) << "no capture";
  WaitForEnd(*tester, "job");
  const v1::Snapshot snapshot = tester->TakeSnapshot({});
  EXPECT_EQ(snapshot.jobs(0).stopped_by(),
            "the tester: " + path + ": the file has changed since it was loaded; load it again");
  EXPECT_GE(snapshot.jobs(0).stopped_at_ns(), snapshot.jobs(0).started_at_ns());
  ASSERT_EQ(snapshot.jobs(0).stopped_streams_size(), 1);
  EXPECT_EQ(snapshot.jobs(0).stopped_streams(0), snapshot.streams(0).id());
}

TEST_F(ReplayTest, RefusesAFileThatIsNone) {
  v1::Job job = Replay(1);
  job.mutable_streams(0)->mutable_departures()->mutable_replay()->set_path("/dev/zero");
  EXPECT_EQ(CodeOf([&] { tester->Load(job); }), Code::kInvalidArgument);
}

// A frame and the answer expected to it.
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

}  // namespace
}  // namespace tester
