// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "plan/validate_capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tester {
namespace {

using testing::HasSubstr;

const std::vector<PortLimits> kPorts = {{.name = "a", .max_frame_bytes = 1522},
                                        {.name = "b", .max_frame_bytes = 9018}};

v1::Capture Sound() {
  v1::Capture capture;
  capture.set_name("x");
  capture.set_frames(100'000);
  return capture;
}

void ExpectRefused(const v1::Capture& capture, Code code, const char* says) {
  try {
    ValidateCapture(capture, kPorts);
    FAIL() << "not refused: " << capture.ShortDebugString();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.what(), HasSubstr(says));
  }
}

TEST(ValidateCapture, NothingSaidIsEverything) {
  const CapturePlan plan = ValidateCapture(Sound(), kPorts);
  EXPECT_EQ(plan.ports, (std::vector<bool>{true, true}));
  EXPECT_TRUE(plan.transmitted && plan.received);
  EXPECT_EQ(plan.filter, nullptr);
  EXPECT_EQ(plan.keep, Lane::Keep::kFirst);
  EXPECT_EQ(plan.snap_length, UINT32_MAX);
}

TEST(ValidateCapture, WhatIsSaidCounts) {
  v1::Capture capture = Sound();
  capture.add_ports("b");
  capture.set_direction(v1::Capture::DIRECTION_RECEIVED);
  capture.set_filter("arp");
  capture.set_keep(v1::Capture::KEEP_LAST);
  capture.set_snap_length(64);
  const CapturePlan plan = ValidateCapture(capture, kPorts);
  EXPECT_EQ(plan.ports, (std::vector<bool>{false, true}));
  EXPECT_TRUE(plan.received && !plan.transmitted);
  EXPECT_NE(plan.filter, nullptr);
  EXPECT_EQ(plan.keep, Lane::Keep::kLast);
  EXPECT_EQ(plan.snap_length, 64);
}

TEST(ValidateCapture, WhatCannotBeIsRefused) {
  v1::Capture capture = Sound();
  capture.set_name("");
  ExpectRefused(capture, Code::kInvalidArgument, "name");
  capture = Sound();
  capture.set_frames(0);
  ExpectRefused(capture, Code::kInvalidArgument, "at least 1");
  capture = Sound();
  capture.add_ports("c");
  ExpectRefused(capture, Code::kNotFound, "\"c\"");
  capture = Sound();
  capture.set_direction(static_cast<v1::Capture::Direction>(9));
  ExpectRefused(capture, Code::kInvalidArgument, "direction 9");
  capture = Sound();
  capture.set_keep(static_cast<v1::Capture::Keep>(9));
  ExpectRefused(capture, Code::kInvalidArgument, "9");
  capture = Sound();
  capture.set_filter(std::string("arp\0", 4));
  ExpectRefused(capture, Code::kInvalidArgument, "zeros");
}

TEST(ValidateCapture, WhatIsKeptHasToFit) {
  v1::Capture capture = Sound();
  capture.set_frames(1'000'000);
  ExpectRefused(capture, Code::kResourceExhausted, "9014 bytes");
  capture.set_snap_length(100);
  EXPECT_EQ(ValidateCapture(capture, kPorts).frames, 1'000'000);
  capture.set_snap_length(0);
  capture.add_ports("a");
  EXPECT_EQ(ValidateCapture(capture, kPorts).frames, 1'000'000);
}

}  // namespace
}  // namespace tester
