// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "replay/capture_testing.h"

namespace tester {
namespace {

using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  ~FileTest() override { std::filesystem::remove(path); }

  void Write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  // Frames a microsecond apart, with their number in their first bytes.
  void WriteFrames(uint32_t count, size_t bytes) const {
    CaptureBytes file;
    file.PcapHeader(0xa1b23c4d);
    for (uint32_t i = 0; i < count; ++i) {
      std::string frame = CaptureBytes().Put32(i).text();
      frame.resize(bytes + i % 7, 'x');
      file.PcapFrame(100, 1000 * i, frame);
    }
    Write(file.text());
  }

  ReplayPlan Plan() const {
    ReplayPlan plan;
    plan.path = path;
    plan.longest_frame = 1514;
    plan.summary = Survey(path, plan.longest_frame, "stream");
    return plan;
  }

  const std::string path = testing::TempDir() + "replay-" + std::to_string(::getpid()) + ".pcap";
};

// Waits as the worker does not.
uint64_t DueNs(const ReplayFeed& feed, uint64_t number) {
  while (feed.DueNs(number) == ReplayFeed::kNotYet) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return feed.DueNs(number);
}

uint32_t NumberIn(Frame frame) { return __builtin_bswap32(wire::Load<uint32_t>(frame.data())); }

using FeedTest = FileTest;

TEST_F(FeedTest, GivesEveryFrameInItsTurn) {
  constexpr uint32_t kFrames = 60'000;  // three and more rings
  WriteFrames(kFrames, 500);
  ReplayPlan plan = Plan();
  plan.repetitions = 2;
  EXPECT_EQ(plan.summary.frames, kFrames);
  EXPECT_EQ(plan.summary.duration_ns, (kFrames - 1) * 1000U);
  ReplayFeed feed(plan);
  for (uint64_t number = 0; number < 2 * kFrames; ++number) {
    ASSERT_EQ(DueNs(feed, number), 1000 * number);
    ASSERT_EQ(NumberIn(feed.At(number)), number % kFrames);
    ASSERT_EQ(feed.At(number).size(), 500 + number % kFrames % 7);
    if (number % 64 == 0) feed.Release(number);
  }
  EXPECT_EQ(feed.DueNs(2 * kFrames), ReplayFeed::kNone);
}

TEST_F(FeedTest, KeepsWhatWasNotReleased) {
  WriteFrames(60'000, 60);
  ReplayFeed feed(Plan());
  feed.AwaitAhead(std::chrono::steady_clock::now() + std::chrono::seconds(10));
  EXPECT_EQ(feed.DueNs(0), 0U) << "read ahead before it begins";
  uint64_t number = 0;
  while (feed.DueNs(number) < ReplayFeed::kNotYet) ++number;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(feed.DueNs(number), ReplayFeed::kNotYet) << "the ring is full";
  for (uint64_t k = 0; k < number; ++k) ASSERT_EQ(NumberIn(feed.At(k)), k);
}

TEST_F(FeedTest, ScalesGapsOrGivesThemAll) {
  WriteFrames(10, 60);
  ReplayPlan plan = Plan();
  plan.scale = 2.5;
  plan.repetitions = 0;
  EXPECT_EQ(plan.RunNs(), 25'000U);
  EXPECT_EQ(DueNs(ReplayFeed(plan), 13), 32'500U);
  plan.rate = Rate{.packets = 3, .nanoseconds = 1000};
  EXPECT_EQ(DueNs(ReplayFeed(plan), 13), 4334U);
}

TEST_F(FeedTest, PadsAndRewrites) {
  CaptureBytes file;
  Write(file.PcapHeader().PcapFrame(1, 0, std::string(20, 'a')).text());
  ReplayPlan plan = Plan();
  plan.rewrites.every_destination = Mac{1, 2, 3, 4, 5, 6};
  const ReplayFeed feed(plan);
  ASSERT_EQ(DueNs(feed, 0), 0U);
  const Frame frame = feed.At(0);
  ASSERT_EQ(frame.size(), 60U);
  EXPECT_EQ(std::vector<uint8_t>(frame.begin(), frame.begin() + 8),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 'a', 'a'}));
  EXPECT_EQ(frame[59], 0);
}

// Waits until the reader has found it.
std::string FaultOf(const ReplayFeed& feed) {
  for (int i = 0; i < 2000 && feed.fault()->Get() == nullptr; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return feed.fault()->Get() != nullptr ? *feed.fault()->Get() : "";
}

TEST_F(FeedTest, SendsNothingOfAFileThatHasChangedAndSaysSo) {
  for (const uint32_t count : {10U, 100U, 200U}) {
    WriteFrames(100, 60);
    const ReplayPlan plan = Plan();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // as exact as times of files are
    WriteFrames(count, 60);
    const ReplayFeed feed(plan);
    EXPECT_EQ(DueNs(feed, 0), ReplayFeed::kNone);
    EXPECT_EQ(FaultOf(feed), path + ": the file has changed since it was loaded; load it again");
  }
  const ReplayPlan plan = Plan();
  std::filesystem::remove(path);
  EXPECT_THAT(FaultOf(ReplayFeed(plan)), HasSubstr("has changed since it was loaded"));
}

TEST_F(FeedTest, SaysThatAFileHasChangedWhileItIsSent) {
  constexpr uint32_t kFrames = 60'000;  // three and more rings
  WriteFrames(kFrames, 60);
  ReplayPlan plan = Plan();
  plan.repetitions = 0;
  auto feed = std::make_unique<ReplayFeed>(plan);
  const std::shared_ptr<const Fault> fault = feed->fault();
  EXPECT_EQ(DueNs(*feed, 0), 0U);
  EXPECT_EQ(fault->Get(), nullptr);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  uint64_t number = 0;
  while (DueNs(*feed, number) != ReplayFeed::kNone && number < 2 * kFrames) feed->Release(number++);
  EXPECT_LT(number, kFrames);
  EXPECT_THAT(FaultOf(*feed), HasSubstr(path));
}

TEST_F(FeedTest, SaysThatAFileHasChangedWhenItWasStopped) {
  WriteFrames(60'000, 60);
  auto feed = std::make_unique<ReplayFeed>(Plan());
  const std::shared_ptr<const Fault> fault = feed->fault();
  EXPECT_EQ(DueNs(*feed, 0), 0U);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  WriteFrames(60'000, 60);
  feed.reset();
  for (int i = 0; i < 2000 && fault->Get() == nullptr; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_NE(fault->Get(), nullptr);
}

TEST_F(FeedTest, AFileThatStaysIsNoFault) {
  WriteFrames(60'000, 60);
  for (const bool stops : {false, true}) {
    auto feed = std::make_unique<ReplayFeed>(Plan());
    const std::shared_ptr<const Fault> fault = feed->fault();
    for (uint64_t n = 0; !stops && DueNs(*feed, n) != ReplayFeed::kNone; ++n) feed->Release(n);
    feed.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(fault->Get(), nullptr);
  }
}

using SurveyTest = FileTest;

void ExpectRefused(const std::string& path, const std::string& words) {
  try {
    Survey(path, 1514, "stream 1");
    ADD_FAILURE() << "accepted; expected: " << words;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
    EXPECT_THAT(error.what(), HasSubstr("stream 1, \""));
  }
}

TEST_F(SurveyTest, SaysWhichFrameCannotBeSent) {
  Write(CaptureBytes().PcapHeader().text());
  ExpectRefused(path, "no frame");
  Write(CaptureBytes()
            .PcapHeader()
            .PcapFrame(1, 0, std::string(60, 'a'))
            .PcapFrame(1, 0, std::string(1515, 'b'))
            .text());
  ExpectRefused(path, "frame 2 has 1515 bytes");
  Write(CaptureBytes().PcapHeader().PcapFrame(1, 0, "short").text());
  ExpectRefused(path, "frame 1 has 5 bytes");
  EXPECT_THROW(Survey("/nonexistent", 1514, "stream"), Error);
}

}  // namespace
}  // namespace tester
