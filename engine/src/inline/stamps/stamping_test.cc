// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "inline/stamps/stamping.h"
#include "base/int128.h"

#include <gtest/gtest.h>

#include <optional>

#include "inline/stamps/stamps_testing.h"

namespace tester {
namespace {

constexpr uint64_t kStart = 1'000'000'000;
constexpr uint64_t kLater = 5'000;
constexpr size_t kFrameBytes = 1514;

class StampingTest : public testing::Test {
 protected:
  static StampPlan Plan(bool by_match = false) {
    StampPlan plan;
    plan.name = "load";
    plan.by_match = by_match;
    plan.flows = 8;
    plan.under_way = 1024;
    plan.intervals = 10;
    return plan;
  }

  void Make(const StampPlan& plan, size_t direction = 0) {
    stamping.emplace(plan, direction, kStart);
  }

  // Sends a packet to the device; returns the frame that leaves.
  TestBytes Depart(const TestBytes& frame, uint64_t now_ns) {
    RoomyBuffer buffer(frame);
    stamping->Depart({&buffer.frame(), 1}, kFrameBytes, now_ns);
    return buffer.bytes();
  }
  TestBytes Arrive(const TestBytes& frame, uint64_t now_ns) {
    RoomyBuffer buffer(frame);
    stamping->Arrive({&buffer.frame(), 1}, now_ns);
    return buffer.bytes();
  }
  const StampCounters& counters() const { return stamping->counters(); }

  static TestBytes Tcp(uint32_t sequence, uint16_t source_port = 40'000) {
    return FrameAround(PacketOf({.payload = TestBytes(100, 7),
                                 .identification = static_cast<uint16_t>(sequence),
                                 .sequence = sequence,
                                 .source_port = source_port}));
  }

  std::optional<Stamping> stamping;
};

TEST_F(StampingTest, TimesAPacketAndGivesItBackAsItWas) {
  Make(Plan());
  const TestBytes stamped = Depart(Tcp(1), kStart + 100);
  EXPECT_EQ(stamped.size(), Tcp(1).size() + 16);
  EXPECT_EQ(Arrive(stamped, kStart + 100 + kLater), Tcp(1));
  EXPECT_EQ(counters().sent.Get(), 1U);
  EXPECT_EQ(counters().received.Get(), 1U);
  EXPECT_EQ(stamping->delay().sum_ns.Get(), kLater);
  EXPECT_EQ(stamping->flows().count(), 1U);
  EXPECT_EQ(stamping->flows()[0].received.Get(), 1U);
  EXPECT_EQ(stamping->intervals()[0].received.Get(), 1U);
}

TEST_F(StampingTest, LeavesBothTimesInAPacketWhereAsked) {
  StampPlan plan = Plan();
  plan.remove = false;
  Make(plan);
  const TestBytes received = Arrive(Depart(Tcp(1), kStart + 100), kStart + 100 + kLater);
  const auto stamp = ReadStamp(received, StampPlace(received, Tunnel::kNone));
  ASSERT_TRUE(stamp);
  EXPECT_EQ(stamp->second_ns - stamp->first_ns, kLater);
  EXPECT_TRUE(IsSound(received, Tunnel::kNone));
}

// Older than another packet whose time has the same lower bits.
TEST_F(StampingTest, KnowsACopyHoweverManyHaveComeSince) {
  Make(Plan());
  const TestBytes first = Depart(Tcp(1), kStart + 100);
  Arrive(first, kStart + 200);
  Arrive(Depart(Tcp(2), kStart + 100 + 65'536), kStart + 70'000);
  Arrive(first, kStart + 80'000);
  EXPECT_EQ(counters().received.Get(), 2U);
  EXPECT_EQ(counters().duplicated.Get(), 1U);
}

TEST_F(StampingTest, CountsNothingThatWasSentTheOtherWay) {
  Make(Plan(), 1);
  const TestBytes sent = Depart(Tcp(1), kStart + 100);
  Make(Plan(), 0);
  Depart(Tcp(1), kStart + 100);
  EXPECT_EQ(Arrive(sent, kStart + 200), Tcp(1)) << "it is as it was";
  EXPECT_EQ(counters().received.Get(), 0U);
  EXPECT_EQ(counters().unstamped.Get(), 0U);
}

TEST_F(StampingTest, DoesNotKnowAStampThatWasNeverPutIn) {
  Make(Plan());
  const TestBytes sent = Depart(Tcp(1), kStart + 100);
  Make(Plan());
  EXPECT_EQ(Arrive(sent, kStart + 200), sent);
  EXPECT_EQ(counters().received.Get(), 0U);
  EXPECT_EQ(counters().unstamped.Get(), 1U);
}

TEST_F(StampingTest, MatchesAPacketThatIsNotTouched) {
  Make(Plan(true));
  EXPECT_EQ(Depart(Tcp(1), kStart + 100), Tcp(1));
  TestBytes behind = Tcp(1);
  behind[22] = 63;  // a router
  EXPECT_EQ(Arrive(behind, kStart + 100 + kLater), behind);
  EXPECT_EQ(counters().received.Get(), 1U);
  EXPECT_EQ(stamping->delay().sum_ns.Get(), kLater);
  EXPECT_EQ(stamping->flows()[0].delay.count.Get(), 1U);
}

TEST_F(StampingTest, MatchesBehindANat) {
  StampPlan plan = Plan(true);
  plan.kept = static_cast<uint32_t>(Kept::kIdentification) |
              static_cast<uint32_t>(Kept::kSequence) | static_cast<uint32_t>(Kept::kPayload);
  Make(plan);
  Depart(Tcp(1), kStart + 100);
  TestBytes behind = Tcp(1, 1024);
  behind[29] = 99;
  Arrive(behind, kStart + 200);
  EXPECT_EQ(counters().received.Get(), 1U);
  EXPECT_EQ(stamping->flows()[0].received.Get(), 1U) << "of the flow as it was sent";
  EXPECT_EQ(stamping->flows().count(), 1U);
}

TEST_F(StampingTest, CountsPacketsThatLookAlikeAndDoesNotGuess) {
  Make(Plan(true));
  Depart(Tcp(1), kStart + 100);
  Depart(Tcp(1), kStart + 110);
  Arrive(Tcp(1), kStart + 200);
  EXPECT_EQ(counters().sent.Get(), 2U);
  EXPECT_EQ(counters().ambiguous.Get(), 1U);
  EXPECT_EQ(counters().received.Get(), 1U);
  EXPECT_EQ(stamping->delay().count.Get(), 0U);
  EXPECT_EQ(stamping->flows().oddities(0).ambiguous.Get(), 1U);
}

TEST_F(StampingTest, CountsWhatIsLostLateAndDuplicated) {
  for (const bool by_match : {false, true}) {
    StampPlan plan = Plan(by_match);
    plan.timeout_ns = 1'000;
    Make(plan);
    std::vector<TestBytes> sent;
    for (uint32_t i = 0; i < 4; ++i) sent.push_back(Depart(Tcp(i), kStart + 100 + i));
    Arrive(sent[0], kStart + 200);
    Arrive(sent[0], kStart + 210);
    Arrive(sent[2], kStart + 220);
    Arrive(sent[3], kStart + 2'000);
    EXPECT_EQ(counters().sent.Get(), 4U);
    EXPECT_EQ(counters().received.Get(), 2U);
    EXPECT_EQ(counters().duplicated.Get(), 1U);
    EXPECT_EQ(counters().late.Get(), 1U);
    EXPECT_EQ(stamping->flows().oddities(0).late.Get(), 1U);
  }
}

TEST_F(StampingTest, TellsTheOrderOfABurst) {
  Make(Plan());
  std::vector<RoomyBuffer> buffers;
  for (uint32_t i = 0; i < 3; ++i) buffers.emplace_back(Tcp(i));
  std::vector<RoomyFrame> frames;
  for (auto& buffer : buffers) frames.push_back(buffer.frame());
  stamping->Depart(frames, kFrameBytes, kStart + 100);
  std::swap(frames[0], frames[1]);
  stamping->Arrive(frames, kStart + 200);
  EXPECT_EQ(counters().received.Get(), 3U);
  EXPECT_EQ(counters().reordered.Get(), 1U);
  EXPECT_EQ(stamping->delay().ipdv_count.Get(), 1U);
}

TEST_F(StampingTest, CountsVariationWithinAFlow) {
  Make(Plan());
  const TestBytes first = Depart(Tcp(1), kStart + 100);
  const TestBytes other = Depart(Tcp(1, 40'001), kStart + 200);
  const TestBytes second = Depart(Tcp(2), kStart + 300);
  Arrive(first, kStart + 150);
  Arrive(other, kStart + 900);
  Arrive(second, kStart + 320);
  EXPECT_EQ(stamping->delay().ipdv_count.Get(), 1U);
  EXPECT_EQ(stamping->delay().ipdv_sum_ns.Get(), 30U);
  EXPECT_EQ(stamping->delay().ipdv_max_ns.Get(), 30U);
  EXPECT_EQ(counters().reordered.Get(), 0U) << "they are of two flows";
}

TEST_F(StampingTest, CountsWhatComesWithoutAStamp) {
  StampPlan plan = Plan();
  plan.matches = {{23, 0xff, 6}};
  Make(plan);
  Arrive(Tcp(1), kStart + 100);
  EXPECT_EQ(counters().unstamped.Get(), 1U);
  Arrive(FrameAround(PacketOf({.tcp = false})), kStart + 100);
  EXPECT_EQ(counters().unstamped.Get(), 1U) << "it does not meet the headers";
  EXPECT_EQ(
      Depart(FrameAround(PacketOf({.tcp = false, .payload = TestBytes(40)})), kStart + 100).size(),
      82U);
  EXPECT_EQ(counters().sent.Get(), 0U);
}

TEST_F(StampingTest, SeesOnlyPacketsWithPayloadWhereAsked) {
  StampPlan plan = Plan();
  plan.data_only = true;
  Make(plan);
  const TestBytes empty = FrameAround(PacketOf({}));
  EXPECT_EQ(Depart(empty, kStart + 100), empty);
  Arrive(empty, kStart + 100);
  EXPECT_EQ(counters().sent.Get() + counters().unstamped.Get(), 0U);
  Depart(Tcp(1), kStart + 100);
  EXPECT_EQ(counters().sent.Get(), 1U);
}

TEST_F(StampingTest, TakesNoStampOfAnotherTesterForItsOwn) {
  Make(Plan());
  TestBytes option(16);
  option[0] = 0x0f;
  option[1] = 0x10;
  const TestBytes before = FrameAround(PacketOf({.options = option}));  // sent before the start
  EXPECT_EQ(Arrive(before, kStart + 100), before);
  option[3] = 0x7f;
  const TestBytes after = FrameAround(PacketOf({.options = option}));
  EXPECT_EQ(Arrive(after, kStart + 100), after);
  EXPECT_EQ(counters().unstamped.Get(), 2U);
  EXPECT_EQ(Depart(after, kStart + 100), after);
  EXPECT_EQ(counters().occupied.Get(), 1U);
}

TEST_F(StampingTest, CountsFlowsForWhichThereIsNoRoom) {
  for (const bool by_match : {false, true}) {
    Make(Plan(by_match));
    for (uint16_t i = 0; i < 10; ++i) {
      Arrive(Depart(Tcp(1, static_cast<uint16_t>(40'000 + i)), kStart + 100 + i), kStart + 300);
    }
    EXPECT_EQ(counters().sent.Get(), 10U);
    EXPECT_EQ(counters().received.Get(), 10U);
    EXPECT_EQ(counters().untracked.Get(), 2U);
    EXPECT_EQ(stamping->flows().count(), 8U);
  }
}

TEST_F(StampingTest, DoesNotCountWhatThePortDidNotTake) {
  for (const bool by_match : {false, true}) {
    Make(Plan(by_match));
    const TestBytes refused = Depart(Tcp(1), kStart + 100);
    stamping->Withdraw(refused);
    EXPECT_EQ(counters().sent.Get(), 0U);
    EXPECT_EQ(stamping->flows()[0].sent.Get(), 0U);
    EXPECT_EQ(stamping->intervals()[0].sent.Get(), 0U);
  }
}

TEST_F(StampingTest, CountsByTheIntervalOfSending) {
  StampPlan plan = Plan();
  plan.interval_ns = 1'000'000;
  Make(plan);
  const TestBytes first = Depart(Tcp(1), kStart + 999'000);
  const TestBytes second = Depart(Tcp(2), kStart + 1'000'000);
  Arrive(first, kStart + 1'000'500);
  const StampIntervals& intervals = stamping->intervals();
  ASSERT_EQ(intervals.count(), 2U);
  EXPECT_EQ(intervals[0].received.Get(), 1U);
  EXPECT_EQ(intervals[0].delay_max_ns.Get(), 1'500U);
  EXPECT_EQ(intervals[1].sent.Get(), 1U);
  EXPECT_EQ(intervals[1].received.Get(), 0U);
  Depart(Tcp(3), kStart + 11'000'000);
  EXPECT_EQ(intervals.count(), 2U) << "it is behind the last one";
}

TEST_F(StampingTest, StampsNothingAfterItsEnd) {
  Make(Plan());
  const TestBytes stamped = Depart(Tcp(1), kStart + 100);
  stamping->End();
  EXPECT_EQ(Depart(Tcp(2), kStart + 110), Tcp(2));
  EXPECT_EQ(Arrive(stamped, kStart + 200), Tcp(1)) << "what was under way is still known";
  EXPECT_EQ(counters().received.Get(), 1U);
}

TEST_F(StampingTest, LooksIntoATunnelThatTheDeviceHasMade) {
  for (const bool by_match : {false, true}) {
    Make(Plan(by_match));
    const TestBytes stamped = Depart(Tcp(1), kStart + 100);
    const TestBytes packet(stamped.begin() + 14, stamped.end());
    Arrive(FrameAround(Tunnelled(packet, Tunnel::kVxlan, false, true)), kStart + 200);
    EXPECT_EQ(counters().received.Get(), 1U) << by_match;
    StampPlan plan = Plan(by_match);
    plan.tunnel = Tunnel::kGtpU;
    Make(plan);
    const TestBytes inside =
        Depart(FrameAround(Tunnelled(PacketOf({}), Tunnel::kGtpU, false, false)), kStart + 100);
    const StampPlace place = StampPlace(inside, Tunnel::kGtpU);
    Arrive(FrameAround({inside.begin() + static_cast<ptrdiff_t>(place.inner.network),
                        inside.begin() + static_cast<ptrdiff_t>(place.inner.end)}),
           kStart + 200);
    EXPECT_EQ(counters().received.Get(), 1U) << by_match;
  }
}

TEST_F(StampingTest, CountsWhatIsInPieces) {
  Make(Plan());
  RoomyFrame pieces;
  stamping->Depart({&pieces, 1}, kFrameBytes, kStart + 100);
  EXPECT_EQ(counters().unfit.Get(), 1U);
  stamping->Arrive({&pieces, 1}, kStart + 100);
  EXPECT_EQ(counters().received.Get(), 0U);
}

TEST(DelayFigures, SumsSquaresOfLongDelays) {
  DelayFigures figures;
  const uint64_t delay = 30'000'000'123;
  figures.Add(delay);
  figures.Add(delay);
  const Uint128 squares = static_cast<Uint128>(delay) * delay * 2;
  EXPECT_EQ(figures.squares.Get().low, static_cast<uint64_t>(squares));
  EXPECT_EQ(figures.squares.Get().high, static_cast<uint64_t>(squares >> 64));
}

}  // namespace
}  // namespace tester
