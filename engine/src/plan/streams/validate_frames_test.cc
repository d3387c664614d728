// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames, editors, sources, checksums and versions just beyond and at their limits.
#include "plan/streams/validate_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "generator/frames/frames.h"

namespace tester {
namespace {

using testing::HasSubstr;

v1::Editor& AddStep(v1::Stream& stream, uint32_t bit_offset, uint32_t bits) {
  auto& editor = *stream.add_editors();
  editor.set_bit_offset(bit_offset);
  editor.set_bits(bits);
  editor.set_every(1);
  editor.mutable_step()->set_count(1);
  return editor;
}

// Two frames with a signature, and an editor of 16 bits at byte 34 under a checksum at byte 40.
v1::Stream GoodStream() {
  v1::Stream stream;
  stream.add_frames(std::string(60, 'x'));
  stream.add_frames(std::string(100, 'x'));
  stream.set_signature(true);
  AddStep(stream, 8 * 34, 16).add_coverage()->set_weight(1);
  auto& checksum = *stream.add_checksums();
  checksum.set_kind(v1::Checksum::KIND_INTERNET_NOT_ZERO);
  checksum.set_offset(40);
  return stream;
}

FramesPlan Validate(const v1::Stream& stream) {
  return ValidateFrames(stream, {.name = "p1", .max_frame_bytes = 1518}, "stream 1");
}

using Change = std::function<void(v1::Stream&)>;

void ExpectRefused(const Change& change, const std::string& words) {
  v1::Stream stream = GoodStream();
  change(stream);
  try {
    Validate(stream);
    ADD_FAILURE() << "accepted; expected: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(words));
    EXPECT_THAT(error.what(), HasSubstr("stream 1"));
  }
}

// Expects that the changed editor 0 is refused.
void ExpectEditorRefused(const std::function<void(v1::Editor&)>& change, const std::string& words) {
  ExpectRefused([&](v1::Stream& stream) { change(*stream.mutable_editors(0)); },
                "editor 0" + words);
}

TEST(ValidateFrames, TakesGoodOnes) {
  v1::Stream stream = GoodStream();
  for (const uint32_t frame : {1, 1, 0}) stream.add_order(frame);
  stream.mutable_version()->set_bit_offset(8 * 20 + 4);  // 'x' has a 1 there
  stream.mutable_version()->set_bit_offset(8 * 20);
  const FramesPlan plan = Validate(stream);
  EXPECT_EQ(plan.frames.size(), 2U);
  EXPECT_EQ(plan.order, (std::vector<OrderRun>{{1, 2}, {0, 1}}));
  EXPECT_EQ(plan.editors.size(), 1U);
  EXPECT_EQ(plan.checksums.size(), 1U);
  EXPECT_TRUE(plan.version.has_value());
  EXPECT_EQ(Frames(plan).Only(0), nullptr);
}

TEST(ValidateFrames, LimitsAreInclusive) {
  v1::Stream stream = GoodStream();
  AddStep(stream, 8 * 44 - 1, 1);  // the last bit before the signature
  AddStep(stream, 0, 64);
  EXPECT_EQ(Validate(stream).editors.size(), 3U);
}

TEST(ValidateFrames, RefusesFrames) {
  ExpectRefused([](auto& stream) { stream.clear_frames(); }, "0 frames; allowed are 1 to 4096");
  ExpectRefused([](auto& stream) { stream.set_frames(1, std::string(59, 'x')); },
                "frame 1: the frame has 59 bytes");
  ExpectRefused([](auto& stream) { stream.mutable_frames(1)->back() = 'y'; },
                "the signatures of a stream must have the same");
  ExpectRefused([](auto& stream) { stream.add_order(2); }, "order 0 is frame 2; the stream has");
  ExpectRefused(
      [](auto& stream) {
        stream.add_order(0);
        stream.mutable_departures()->mutable_script();
      },
      "an order, and departures that name their frames");
  ExpectRefused(
      [](auto& stream) {
        auto& message = *stream.mutable_departures()->mutable_script()->add_messages();
        message.set_packets(1);
        message.set_frame(7);
      },
      "message 0 is frame 7");
}

TEST(ValidateFrames, MessagesAreAnOrder) {
  v1::Stream stream = GoodStream();
  for (const uint32_t frame : {1, 0}) {
    auto& message = *stream.mutable_departures()->mutable_script()->add_messages();
    message.set_packets(10 + frame);
    message.set_frame(frame);
  }
  EXPECT_EQ(Validate(stream).order, (std::vector<OrderRun>{{1, 11}, {0, 10}}));
}

TEST(ValidateFrames, RefusesFieldsOutsideAndTwice) {
  ExpectEditorRefused([](auto& editor) { editor.set_bits(0); }, ": a field of 0 bits");
  ExpectEditorRefused([](auto& editor) { editor.set_bits(65); }, ": a field of 65 bits");
  ExpectEditorRefused([](auto& editor) { editor.set_every(0); }, ": every is 0");
  ExpectEditorRefused([](auto& editor) { editor.set_bit_offset(8 * 44 - 15); },
                      ": the field is bits 337 to 352; the shortest frame, without its signature,");
  ExpectEditorRefused([](auto& editor) { editor.set_bit_offset(UINT32_MAX); },
                      ": the field is bits");
  ExpectEditorRefused([](auto& editor) { editor.set_bit_offset(8 * 40 + 15); },
                      ": the field shares bit 335 with the checksum");
  ExpectRefused([](auto& stream) { AddStep(stream, 8 * 35, 1); },
                "editor 1: the field shares bit 280 with the field");
  ExpectRefused([](auto& stream) { stream.mutable_version()->set_bit_offset(8 * 34 + 3); },
                "version: its bit shares bit 275 with the field");
  ExpectRefused([](auto& stream) { stream.mutable_version()->set_bit_offset(8 * 20 + 4); },
                "version: bit 164 is 1 in frame 0");
  ExpectRefused(
      [](auto& stream) {
        for (uint32_t i = 0; i < 16; ++i) AddStep(stream, i, 1);
      },
      "17 editors; allowed are up to 16");
}

TEST(ValidateFrames, RefusesSources) {
  ExpectEditorRefused([](auto& editor) { editor.clear_source(); }, ": no source");
  ExpectEditorRefused([](auto& editor) { editor.mutable_step()->set_count(0); }, ", step: ");
  ExpectEditorRefused([](auto& editor) { editor.mutable_step()->set_first(65536); },
                      ", step: first 65536 does not fit a field of 16 bits; at most 65535");
  ExpectEditorRefused([](auto& editor) { editor.mutable_values(); }, ", values: 0 values");
  ExpectEditorRefused([](auto& editor) { editor.mutable_values()->add_values(70000); },
                      ", values: value 70000 does not fit");
  ExpectEditorRefused([](auto& editor) { editor.mutable_random_bits()->set_mask(1 << 16); },
                      ", random_bits: mask 65536");
  ExpectEditorRefused([](auto& editor) { editor.mutable_random_bits()->set_base(1 << 16); },
                      ", random_bits: base 65536");
  ExpectEditorRefused([](auto& editor) { editor.mutable_random_range(); },
                      ", random_range: a range of 0 values");
  ExpectEditorRefused(
      [](auto& editor) {
        editor.mutable_random_range()->set_first(1);
        editor.mutable_random_range()->set_count(65536);
      },
      ", random_range: a range of 65536 values from 1 on does not fit");
}

TEST(ValidateFrames, RefusesDistributions) {
  const auto distribution = [](const std::vector<uint64_t>& values,
                               const std::vector<uint64_t>& bounds) {
    return [=](v1::Editor& editor) {
      auto& drawn = *editor.mutable_distribution();
      for (const uint64_t value : values) drawn.add_values(value);
      for (const uint64_t bound : bounds) drawn.add_cumulative(bound);
    };
  };
  ExpectEditorRefused(distribution({}, {}), ", distribution: 0 values");
  ExpectEditorRefused(distribution({1, 2}, {UINT64_MAX}), ", distribution: 2 values and 1");
  ExpectEditorRefused(distribution({1, 2}, {5, UINT64_MAX - 1}), ", distribution: the last");
  ExpectEditorRefused(distribution({1, 2, 3}, {5, 4, UINT64_MAX}),
                      ", distribution: cumulative 1 is 4, the one before 5");
}

TEST(ValidateFrames, RefusesChecksums) {
  const auto checksum = [](auto& stream) { return stream.mutable_checksums(0); };
  ExpectRefused([&](auto& stream) { checksum(stream)->clear_kind(); }, "checksum 0: kind 0");
  ExpectRefused([&](auto& stream) { checksum(stream)->set_offset(43); },
                "checksum 0: the checksum is bits 344 to 359");
  ExpectRefused([&](auto& stream) { checksum(stream)->set_tail(1); }, "are for KIND_CRC32C only");
  ExpectRefused(
      [](auto& stream) {
        for (int i = 0; i < 2; ++i) {
          for (const size_t at : {40, 41}) (*stream.mutable_frames(i))[at] = '\0';
        }
      },
      "checksum 0: frame 0 has 0 at byte 40, which is no checksum");
  ExpectRefused(
      [&](auto& stream) {
        checksum(stream)->set_kind(v1::Checksum::KIND_CRC32C);
        checksum(stream)->set_begin(41);
      },
      "it must lie in what it covers");
  ExpectRefused(
      [&](auto& stream) {
        checksum(stream)->set_kind(v1::Checksum::KIND_CRC32C);
        checksum(stream)->set_tail(17);
      },
      "it must lie in what it covers");
  ExpectEditorRefused([](auto& editor) { editor.mutable_coverage(0)->set_checksum(1); },
                      ": coverage names checksum 1; the stream has 1");
  ExpectEditorRefused([](auto& editor) { editor.add_coverage(); },
                      ": coverage names checksum 0 twice");
}

}  // namespace
}  // namespace tester
