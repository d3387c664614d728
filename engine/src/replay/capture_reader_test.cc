// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/capture_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "replay/capture_testing.h"

namespace tester {
namespace {

using testing::HasSubstr;

const std::string& OneFrame() {
  static const std::string frame(60, 'a');
  return frame;
}

struct Read {
  std::vector<uint64_t> times_ns;
  std::vector<size_t> bytes;
};

Read ReadAll(const std::string& text) {
  std::istringstream file(text);
  CaptureReader reader(file, "file");
  CapturedFrame frame;
  Read read;
  while (reader.Next(frame)) {
    read.times_ns.push_back(frame.time_ns);
    read.bytes.push_back(frame.bytes.size());
  }
  return read;
}

void ExpectRefused(const std::string& text, const std::string& words) {
  try {
    ReadAll(text);
    ADD_FAILURE() << "accepted; expected: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(words));
    EXPECT_THAT(error.what(), HasSubstr("file: "));
  }
}

TEST(Capture, ReadsPcapInBothOrdersAndResolutions) {
  for (const bool little_endian : {true, false}) {
    CaptureBytes micro(little_endian);
    micro.PcapHeader().PcapFrame(7, 5, OneFrame()).PcapFrame(7, 6, std::string(61, 'b'));
    EXPECT_EQ(ReadAll(micro.text()).times_ns,
              (std::vector<uint64_t>{7'000'005'000, 7'000'006'000}));
    EXPECT_EQ(ReadAll(micro.text()).bytes, (std::vector<size_t>{60, 61}));
    CaptureBytes nano(little_endian);
    nano.PcapHeader(0xa1b23c4d).PcapFrame(7, 999'999'999, OneFrame());
    EXPECT_EQ(ReadAll(nano.text()).times_ns, (std::vector<uint64_t>{7'999'999'999}));
  }
}

TEST(Capture, ReadsPcapngInBothOrdersAndAnyResolution) {
  for (const bool little_endian : {true, false}) {
    CaptureBytes file(little_endian);
    file.Section().Interface().Interface(9).Interface(0x80 | 10).Interface(3);
    file.Block(5, std::string(16, 's'));  // statistics
    file.Packet(0, 1'000'000, OneFrame());
    file.Packet(1, 1'000'000'001, std::string(61, 'b'));
    file.Packet(2, 1024 + 512, OneFrame());
    file.Section().Interface(0);  // interfaces are a section's own
    file.Packet(0, 2, OneFrame());
    EXPECT_EQ(ReadAll(file.text()).times_ns,
              (std::vector<uint64_t>{1'000'000'000, 1'000'000'001, 1'500'000'000, 2'000'000'000}));
  }
}

TEST(Capture, HasNoFramesOrSome) {
  EXPECT_TRUE(ReadAll(CaptureBytes().PcapHeader().text()).bytes.empty());
  EXPECT_TRUE(ReadAll(CaptureBytes().Section().text()).bytes.empty());
}

// At every length that is not the end of a frame or block.
TEST(Capture, RefusesWhatIsCutShort) {
  const std::string pcap = CaptureBytes().PcapHeader().PcapFrame(1, 0, OneFrame()).text();
  for (size_t bytes = 0; bytes < pcap.size(); ++bytes) {
    if (bytes != 24) ExpectRefused(pcap.substr(0, bytes), "cut short");
  }
  const size_t section = CaptureBytes().Section().text().size();
  const size_t interface = CaptureBytes().Interface().text().size();
  const std::string pcapng = CaptureBytes().Section().Interface().Packet(0, 1, OneFrame()).text();
  for (size_t bytes = 0; bytes < pcapng.size(); ++bytes) {
    if (bytes == section || bytes == section + interface) continue;
    ExpectRefused(pcapng.substr(0, bytes), "cut short");
  }
}

TEST(Capture, RefusesOtherFilesAndLinks) {
  ExpectRefused("#!/bin/sh and so on", "neither a pcap nor a pcapng");
  ExpectRefused(CaptureBytes().PcapHeader(0xa1b2c3d4, 113).text(), "link type 113; only Ethernet");
  ExpectRefused(CaptureBytes().PcapHeader(0xa1b2c3d4, 0x24000001).text(), "FCS");
  ExpectRefused(CaptureBytes().Section().Interface(-1, 101).Packet(0, 1, OneFrame()).text(),
                "link type 101");
  ExpectRefused(CaptureBytes().Section().Packet(0, 1, OneFrame()).text(), "of interface 0");
  ExpectRefused(CaptureBytes().Section().Interface().Block(3, std::string(20, 0)).text(),
                "without a time");
  ExpectRefused(CaptureBytes().Section().Interface(25).text(), "too fine");
}

TEST(Capture, RefusesFramesThatCannotBeSentAgain) {
  CaptureBytes cut;
  cut.PcapHeader().PcapFrame(1, 0, OneFrame());
  cut.Put32(1).Put32(1).Put32(60).Put32(1500).PutBytes(OneFrame());
  ExpectRefused(cut.text(), "frame 2, which had 1500 bytes, only 60 were captured");
  CaptureBytes earlier;
  earlier.PcapHeader().PcapFrame(1, 5, OneFrame()).PcapFrame(1, 3, OneFrame());
  ExpectRefused(earlier.text(), "frame 2 is 2000 ns earlier");
  ExpectRefused(CaptureBytes().PcapHeader().Put64(0).Put32(UINT32_MAX).Put32(UINT32_MAX).text(),
                "damaged");
}

TEST(Capture, RefusesDamagedBlocks) {
  std::string two_lengths = CaptureBytes().Section().Interface().text();
  two_lengths.back() = 1;
  ExpectRefused(two_lengths, "two lengths");
  ExpectRefused(CaptureBytes().Section().Put32(6).Put32(13).text(), "block of 13 bytes");
  CaptureBytes longer;
  longer.Section().Interface();
  longer.Block(6, longer.Same().Put32(0).Put64(0).Put32(100).Put32(100).text());
  ExpectRefused(longer.text(), "longer than its block");
  ExpectRefused(CaptureBytes().Section().Interface().Block(6, "four").text(), "no header");
}

}  // namespace
}  // namespace tester
