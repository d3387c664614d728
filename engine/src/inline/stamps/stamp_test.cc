// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/stamp.h"

#include <gtest/gtest.h>

#include <random>

#include "inline/stamps/stamps_testing.h"

namespace tester {
namespace {

constexpr StampLimits kLimits{.packet_bytes = 9000, .frame_bytes = 9014, .grows = true};
constexpr Stamp kStamp{.first_ns = 0x123456789abc, .flow = 0x0102};

Fit FitsIn(const TestBytes& frame, const StampLimits& limits = kLimits,
           Tunnel tunnel = Tunnel::kNone, size_t headroom = 128) {
  RoomyBuffer buffer(frame, headroom);
  return FitOf(buffer.frame(), StampPlace(frame, tunnel), limits);
}

TEST(Stamp, IsTheFirstOptionOfTcp) {
  // A time stamp of the stack: two no-operations, kind 8.
  const TestBytes options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2};
  const TestBytes frame = FrameAround(PacketOf({.options = options, .payload = TestBytes(100, 7)}));
  RoomyBuffer buffer(frame);
  InsertStamp(buffer.frame(), StampPlace(frame, Tunnel::kNone), kStamp, true);
  const TestBytes stamped = buffer.bytes();
  EXPECT_EQ(stamped.size(), frame.size() + 16);
  const TestBytes option = {0x0f, 0x10, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 1, 2, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(TestBytes(stamped.begin() + 54, stamped.begin() + 70), option);
  EXPECT_EQ(stamped[46], (20 + 16 + 12) / 4 << 4);
  EXPECT_EQ(wire::Load16(stamped.data() + 16), 20 + 20 + 28 + 100);
  EXPECT_TRUE(IsSound(stamped, Tunnel::kNone));
}

TEST(Stamp, IsAtTheBeginOfAPayloadOfUdp) {
  const TestBytes frame = FrameAround(PacketOf({.tcp = false, .payload = TestBytes(40, 7)}));
  for (const bool grows : {true, false}) {
    RoomyBuffer buffer(frame);
    InsertStamp(buffer.frame(), StampPlace(frame, Tunnel::kNone), kStamp, grows);
    const TestBytes stamped = buffer.bytes();
    EXPECT_EQ(stamped.size(), frame.size() + (grows ? 16 : 0));
    EXPECT_EQ(stamped[42], 0x0f);
    EXPECT_EQ(stamped[43], 0x11);
    EXPECT_TRUE(IsSound(stamped, Tunnel::kNone));
  }
}

TEST(Stamp, FitsWhereThereIsRoom) {
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({}))), Fit::kFits);
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.options = TestBytes(24, 1)}))), Fit::kFits);
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.options = TestBytes(28, 1)}))), Fit::kNoRoom)
      << "a header of TCP has 60 bytes at most";
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({})), kLimits, Tunnel::kNone, 15), Fit::kNoRoom);
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.tcp = false})),
                   {.packet_bytes = 1500, .frame_bytes = 1514, .grows = false}),
            Fit::kNoRoom)
      << "there is nothing to write over";
}

TEST(Stamp, DoesNotFitBeyondTheMtu) {
  const auto fits = [](size_t payload, StampLimits limits) {
    return FitsIn(FrameAround(PacketOf({.payload = TestBytes(payload)})), limits);
  };
  const StampLimits mtu{.packet_bytes = 1500, .frame_bytes = 9014, .grows = true};
  EXPECT_EQ(fits(1500 - 40 - 16, mtu), Fit::kFits);
  EXPECT_EQ(fits(1500 - 40 - 15, mtu), Fit::kTooLong);
  const StampLimits port{.packet_bytes = 9000, .frame_bytes = 1514, .grows = true};
  EXPECT_EQ(fits(1500 - 40 - 16, port), Fit::kFits);
  EXPECT_EQ(fits(1500 - 40 - 15, port), Fit::kTooLong);
}

TEST(Stamp, LeavesOptionsOfItsKindAlone) {
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.options = {0x0f, 4, 1, 2}}))), Fit::kOccupied);
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.options = {1, 0x0f, 3, 1}}))), Fit::kOccupied);
  TestBytes full(28, 1);
  full[24] = 0x0f;
  full[25] = 4;
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.options = full}))), Fit::kOccupied);
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.options = {2, 4, 0x0f, 0x0f}}))), Fit::kFits)
      << "a value is no kind";
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.options = {0, 0x0f, 0x0f, 0x0f}}))), Fit::kFits)
      << "nothing comes behind the end of options";
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.options = {8, 0, 0x0f, 4}}))), Fit::kFits)
      << "an option without length ends them";
}

TEST(Stamp, DoesNotFitInFragmentsAndOtherProtocols) {
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.fragment = 0x2000}))), Fit::kUnfit);
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.fragment = 0x0100}))), Fit::kUnfit);
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({.fragment = 0x4000}))), Fit::kFits)
      << "it is not to be cut";
  TestBytes icmp = PacketOf({});
  icmp[9] = 1;
  EXPECT_EQ(FitsIn(FrameAround(icmp)), Fit::kUnfit);
  EXPECT_EQ(FitsIn(TestBytes(60)), Fit::kUnfit);
  EXPECT_EQ(FitsIn(FrameAround(PacketOf({})), kLimits, Tunnel::kVxlan), Fit::kUnfit)
      << "there is no tunnel";
}

TEST(Stamp, IsReadOnlyWhereItIs) {
  const auto read = [](const TestBytes& frame) {
    return ReadStamp(frame, StampPlace(frame, Tunnel::kNone));
  };
  EXPECT_FALSE(read(FrameAround(PacketOf({.payload = TestBytes(40)}))));
  EXPECT_FALSE(read(FrameAround(PacketOf({.options = {0x0f, 4, 1, 2}, .payload = TestBytes(40)}))));
  TestBytes other(16);
  other[0] = 0x0f;
  other[1] = 0x10;
  EXPECT_TRUE(read(FrameAround(PacketOf({.options = other}))));
  other[1] = 0x11;
  EXPECT_FALSE(read(FrameAround(PacketOf({.options = other}))));
  EXPECT_TRUE(read(FrameAround(PacketOf({.tcp = false, .payload = other}))));
  other.pop_back();
  EXPECT_FALSE(read(FrameAround(PacketOf({.tcp = false, .payload = other})))) << "it is cut short";
}

// Each packet has right lengths and checksums with a stamp, and equals the original bit for bit
// without it.
TEST(Stamp, LeavesAllChecksumsRightAndNoTrace) {
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  const auto bytes = [&](size_t count) {
    TestBytes made(count);
    for (uint8_t& byte : made) byte = static_cast<uint8_t>(random());
    return made;
  };
  for (int i = 0; i < 4000; ++i) {
    const auto tunnel = static_cast<Tunnel>(random() % 3);
    const bool grows = random() % 4 != 0;
    TestPacket test{.tcp = random() % 2 == 0,
                    .ipv6 = random() % 2 == 0,
                    .options = TestBytes(random() % 7 * 4, 1),
                    .payload = bytes(16 + random() % 200)};
    test.without_sum = !test.tcp && !test.ipv6 && random() % 2 == 0;
    if (random() % 8 == 0) std::ranges::fill(test.payload, uint8_t{0xff});
    TestBytes packet = PacketOf(test);
    if (tunnel != Tunnel::kNone) packet = Tunnelled(packet, tunnel, random() % 2 == 0, false);
    if (tunnel != Tunnel::kNone && random() % 3 == 0)
      packet = Tunnelled(PacketOf(test), tunnel, false, true);
    const TestBytes frame = FrameAround(packet, random() % 2 == 0 ? 7 : 0);
    ASSERT_TRUE(IsSound(frame, tunnel)) << i;
    RoomyBuffer buffer(frame);
    const StampPlace place = StampPlace(frame, tunnel);
    ASSERT_EQ(
        FitOf(buffer.frame(), place, {.packet_bytes = 2000, .frame_bytes = 2014, .grows = grows}),
        Fit::kFits)
        << i;
    const Stamp stamp{.first_ns = uint64_t{random()} << 16 ^ random(),
                      .flow = static_cast<uint16_t>(random())};
    InsertStamp(buffer.frame(), place, stamp, grows);
    const TestBytes stamped = buffer.bytes();
    ASSERT_TRUE(IsSound(stamped, tunnel)) << i;
    const StampPlace behind = StampPlace(stamped, tunnel);
    const auto read = ReadStamp(stamped, behind);
    ASSERT_TRUE(read) << i;
    EXPECT_EQ(read->first_ns, stamp.first_ns & kStampTimeMask);
    EXPECT_EQ(read->flow, stamp.flow);
    CompleteStamp(buffer.frame(), behind, 0xfedcba987654);
    ASSERT_TRUE(IsSound(buffer.bytes(), tunnel)) << i;
    EXPECT_EQ(ReadStamp(buffer.bytes(), behind)->second_ns, 0xfedcba987654U);
    if (!test.tcp && !grows) continue;
    RemoveStamp(buffer.frame(), behind);
    ASSERT_EQ(buffer.bytes(), frame) << i;
  }
}

TEST(Stamp, KeepsAWrongChecksumWrong) {
  TestBytes frame = FrameAround(PacketOf({.payload = TestBytes(40)}));
  frame[50] ^= 0x55;
  RoomyBuffer buffer(frame);
  const StampPlace place = StampPlace(frame, Tunnel::kNone);
  InsertStamp(buffer.frame(), place, kStamp, true);
  EXPECT_FALSE(IsSound(buffer.bytes(), Tunnel::kNone));
  RemoveStamp(buffer.frame(), StampPlace(buffer.bytes(), Tunnel::kNone));
  EXPECT_EQ(buffer.bytes(), frame);
}

}  // namespace
}  // namespace tester
