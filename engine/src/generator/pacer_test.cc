// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/pacer.h"

#include <gtest/gtest.h>

namespace tester {
namespace {

constexpr uint64_t kStart = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kInTime = 40'000'000;  // nothing is given up in it
constexpr Rate kEveryMicrosecond = {1, 1000};

ScheduleSegment SegmentOf(Departures departures, uint64_t begin_ns = kStart) {
  return {.begin_ns = begin_ns,
          .departures = std::make_shared<const Departures>(std::move(departures)),
          .frames = nullptr,
          .cursor = nullptr};
}

ScheduleSegment SegmentOf(const Rate& rate, uint64_t begin_ns = kStart) {
  return SegmentOf(Departures(0, Steady(rate)), begin_ns);
}

// A stream and the time. Frames leave as soon as they are due, if the port takes them.
struct Stream {
  Schedule schedule;
  Pacer pacer{schedule};
  uint64_t sent = 0;

  // How many frames are sent at an instant, at most `most`.
  uint64_t Send(uint64_t now_ns, uint64_t most = UINT64_MAX) {
    const uint64_t before = sent;
    for (;;) {
      const auto room = static_cast<uint16_t>(std::min<uint64_t>(64, most - (sent - before)));
      const Pacer::PacedBatch batch = pacer.Next(schedule, now_ns, room);
      EXPECT_EQ(batch.first, sent);
      if (batch.count == 0) {
        // Only a law that goes frame by frame may have to be asked again.
        if (room == 0 || pacer.WakeNs(schedule, now_ns) > now_ns) return sent - before;
        continue;
      }
      EXPECT_LE(batch.due_ns, now_ns);
      pacer.Sent(schedule, batch.count);
      sent += batch.count;
    }
  }
  uint64_t Wake(uint64_t now_ns) const { return pacer.WakeNs(schedule, now_ns); }
};

TEST(Pacer, NothingIsDueBeforeTheStart) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 0)};
  EXPECT_EQ(stream.Send(kStart - 1), 0U);
  EXPECT_EQ(stream.Wake(kStart - 1), kStart);
  EXPECT_EQ(stream.Send(kStart), 1U);
  EXPECT_EQ(stream.Wake(kStart), kStart + 1000);
  EXPECT_EQ(stream.Send(kStart + 999), 0U);
  EXPECT_EQ(stream.Send(kStart + 3000), 3U);
}

TEST(Pacer, AnOffsetComesBeforeTheLaw) {
  Stream stream{Schedule(SegmentOf(Departures(5000, Steady(kEveryMicrosecond))), 10'000, 0)};
  EXPECT_EQ(stream.Send(kStart + 4999), 0U);
  EXPECT_EQ(stream.Wake(kStart + 4999), kStart + 5000);
  EXPECT_EQ(stream.Send(kStart + 50'000), 5U) << "the duration counts from the start";
  EXPECT_EQ(stream.Wake(kStart + 50'000), kNever);
}

TEST(Pacer, DurationIsHalfOpen) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), kInTime, 0)};
  EXPECT_EQ(stream.Send(kStart + kInTime - 1), kInTime / 1000);
  EXPECT_EQ(stream.Wake(kStart + kInTime - 1), kStart + kInTime) << "to find out that it is over";
  EXPECT_EQ(stream.Send(kStart + kInTime), 0U) << "the frame due at the end is not in it";
  EXPECT_EQ(stream.Wake(kStart + kInTime), kNever);
}

TEST(Pacer, AFrameDueBetweenTheLastTwoNanosecondsIsIn) {
  Stream stream{Schedule(SegmentOf({.packets = 3, .nanoseconds = 7}), 3, 0)};  // at 0 and 2.33
  EXPECT_EQ(stream.Send(kStart + 2), 1U);
  EXPECT_EQ(stream.Send(kStart + 1000), 1U);
  EXPECT_EQ(stream.Wake(kStart + 1000), kNever);
}

TEST(Pacer, ACountEndsIt) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 10)};
  EXPECT_EQ(stream.Send(kStart + 8500), 9U);
  EXPECT_EQ(stream.Wake(kStart + 8500), kStart + 9000);
  EXPECT_EQ(stream.Send(kStart + 90'000), 1U);
  EXPECT_EQ(stream.Wake(kStart + 90'000), kNever);
  EXPECT_EQ(stream.pacer.intended(), 10U);
}

TEST(Pacer, WhatThePortRefusesIsDueAtOnceAndAgain) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 0)};
  EXPECT_EQ(stream.Send(kStart + 99'000, 30), 30U);
  EXPECT_EQ(stream.pacer.intended(), 100U);
  EXPECT_EQ(stream.Wake(kStart + 99'000), kStart + 30'000) << "when the next one was due";
  const Pacer::PacedBatch refused = stream.pacer.Next(stream.schedule, kStart + 99'500, 64);
  EXPECT_EQ(refused.count, 64);
  const Pacer::PacedBatch again = stream.pacer.Next(stream.schedule, kStart + 99'600, 64);
  EXPECT_EQ(again.first, refused.first);
  EXPECT_EQ(stream.Send(kStart + 99'700), 70U);
}

TEST(Pacer, SentSaysWhenTheLastOneWasDue) {
  const Schedule schedule(SegmentOf(kEveryMicrosecond), 0, 0);
  Pacer pacer(schedule);
  EXPECT_EQ(pacer.Next(schedule, kStart + 9500, 64).due_ns, kStart);
  EXPECT_EQ(pacer.Sent(schedule, 4), kStart + 3000);
  EXPECT_EQ(pacer.Next(schedule, kStart + 9500, 64).due_ns, kStart + 4000);
  EXPECT_EQ(pacer.Sent(schedule, 6), kStart + 9000);
}

TEST(Pacer, GivesUpASecondAfterTheEndOrATenthOfIt) {
  for (const auto& [duration_ns, grace_ns] : std::vector<std::pair<uint64_t, uint64_t>>{
           {kSecond, kSecond}, {60 * kSecond, 6 * kSecond}}) {
    const uint64_t end_ns = kStart + duration_ns;
    Stream stream{Schedule(SegmentOf(kEveryMicrosecond), duration_ns, 0)};
    EXPECT_EQ(stream.Send(end_ns, 5), 5U);
    EXPECT_LT(stream.Wake(end_ns + grace_ns - 1), end_ns);
    EXPECT_EQ(stream.Send(end_ns + grace_ns), 0U);
    EXPECT_EQ(stream.Wake(end_ns + grace_ns), kNever);
    EXPECT_EQ(stream.pacer.intended(), duration_ns / 1000) << "and does not hide what it owes";
  }
}

TEST(Pacer, ScriptsAndProfilesEndByThemselves) {
  const Departures script(0, Script({{.pause_ns = 10, .packets = 2, .gap_ns = 5}}, false));
  const Departures profile(
      0, Profile({{.duration_ns = 100, .packets = 3}, {.duration_ns = 1000, .packets = 0}}, false));
  for (const auto& [law, frames] : {std::pair(script, 2U), std::pair(profile, 3U)}) {
    Stream stream{Schedule(SegmentOf(law), 0, 0)};
    EXPECT_EQ(stream.Send(kStart + 5000), frames);
    EXPECT_EQ(stream.Wake(kStart + 5000), kNever);
    Stream late{Schedule(SegmentOf(law), 0, 0)};
    EXPECT_EQ(late.Send(kStart + 5000, 1), 1U);
    EXPECT_LT(late.Wake(kStart + 5000), kStart + 5000);
    EXPECT_EQ(late.Send(kStart + 5000 + kSecond), 0U) << "gives up";
    EXPECT_EQ(late.Wake(kStart + 5000 + kSecond), kNever);
  }
}

// However late it is asked and however little is taken, a random law counts the same.
TEST(Pacer, IntendedIsExactForALateStreamOfARandomLaw) {
  const Departures law(0, Exponential(7, 100));
  LawPlace place = law.Begin();
  while (!law.PassBefore(place, 10'000'000)) {
  }
  Stream stream{Schedule(SegmentOf(law), 10'000'000, 0)};
  uint64_t now_ns = kStart;
  for (; stream.Wake(now_ns) != kNever; now_ns += 5000) stream.Send(now_ns, 40);
  EXPECT_GT(now_ns, kStart + 10'000'000) << "it was late";
  EXPECT_EQ(stream.pacer.intended(), place.frame);
  EXPECT_EQ(stream.sent, place.frame);
}

TEST(Pacer, AnUpdateGoesOnWhereTheOldLawLeavesOff) {
  const uint64_t change = kStart + 10'500;
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 0)};
  EXPECT_EQ(stream.Send(kStart + 5000), 6U);
  stream.schedule =
      stream.schedule.Updated(SegmentOf({.packets = 1, .nanoseconds = 100}, change), 0);
  EXPECT_EQ(stream.Send(change - 1), 5U) << "old frames keep their times";
  EXPECT_EQ(stream.Wake(change - 1), change);
  EXPECT_EQ(stream.Send(change), 1U);
  EXPECT_EQ(stream.Wake(change), change + 100);
  EXPECT_EQ(stream.Send(change + 1000), 10U);
  EXPECT_EQ(stream.pacer.segment(), 1U);
}

TEST(Pacer, ALateStreamSendsWhatEveryUpdateOwes) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 0)};
  constexpr uint64_t kUpdates = 30;
  for (uint64_t i = 1; i <= kUpdates; ++i) {
    const uint64_t begin = stream.schedule.ChangeNs(kStart + i * 4000);
    stream.schedule =
        stream.schedule.Updated(SegmentOf(kEveryMicrosecond, begin), stream.pacer.segment());
  }
  const Pacer::PacedBatch batch = stream.pacer.Next(stream.schedule, kStart + 1'000'000, 64);
  EXPECT_EQ(batch.count, 4) << "never of two segments at once";
  EXPECT_EQ(stream.Send(kStart + 1'000'000), 1001U);
  EXPECT_EQ(stream.pacer.segment(), kUpdates);
  EXPECT_EQ(stream.pacer.intended(), 1001U);
  // Finished segments are forgotten.
  stream.schedule =
      stream.schedule.Updated(SegmentOf(kEveryMicrosecond, kStart + 2'000'000), kUpdates);
  EXPECT_EQ(stream.Send(kStart + 2'000'000), 1000U);
}

// A worker that learned of an update only after it had sent more by the old law.
TEST(Pacer, AnUpdateThatComesTooLateLosesAndDoublesNothing) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), kInTime, 0)};
  EXPECT_EQ(stream.Send(kStart + 20'000), 21U);
  stream.schedule = stream.schedule.Updated(SegmentOf(kEveryMicrosecond, kStart + 10'000), 0);
  EXPECT_EQ(stream.Send(kStart + 20'000), 11U);
  EXPECT_EQ(stream.Send(kStart + kInTime), kInTime / 1000 - 21);
  EXPECT_EQ(stream.Wake(kStart + kInTime), kNever);
  EXPECT_EQ(stream.pacer.intended(), stream.sent);
}

// Numbers of frames have no holes: Stream::Send looks at them.
TEST(Pacer, AfterALongSleepOnlyTheLastDebtIsSent) {
  constexpr uint64_t kDebt = Pacer::kMostDebtNs / 1000;
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 0)};
  EXPECT_EQ(stream.Send(kStart), 1U);
  EXPECT_EQ(stream.Send(kStart + Pacer::kMostDebtNs), kDebt) << "short enough";
  EXPECT_EQ(stream.pacer.given_up(), 0U);
  EXPECT_EQ(stream.Send(kStart + kSecond), kDebt + 1);
  EXPECT_EQ(stream.pacer.given_up(), 1'000'000 - 2 * kDebt - 1);
  EXPECT_EQ(stream.pacer.intended(), 1'000'001U);
  EXPECT_EQ(stream.Wake(kStart + kSecond), kStart + kSecond + 1000);
  EXPECT_EQ(stream.Send(kStart + kSecond + 5000), 5U);
  EXPECT_EQ(stream.sent + stream.pacer.given_up(), stream.pacer.intended());
}

TEST(Pacer, DebtOfRandomLawsIsGivenUpToo) {
  Stream stream{Schedule(SegmentOf(Departures(0, Exponential(7, 1000))), 0, 0)};
  while (stream.Wake(kStart + kSecond) < kStart + kSecond) stream.Send(kStart + kSecond);
  EXPECT_NEAR(static_cast<double>(stream.sent), 50'000, 2000);
  EXPECT_EQ(stream.sent + stream.pacer.given_up(), stream.pacer.intended());
}

TEST(Pacer, DebtOfSeveralUpdatesIsGivenUp) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 0)};
  EXPECT_EQ(stream.Send(kStart), 1U);
  for (const uint64_t ms : {100, 200, 970}) {
    stream.schedule =
        stream.schedule.Updated(SegmentOf(kEveryMicrosecond, kStart + ms * 1'000'000), 0);
  }
  const Pacer::PacedBatch batch = stream.pacer.Next(stream.schedule, kStart + kSecond, 64);
  EXPECT_EQ(batch.first, 1U);
  EXPECT_EQ(batch.segment, 2U);
  EXPECT_EQ(stream.Send(kStart + kSecond), 50'001U);
  const Pacer::PacedBatch last = stream.pacer.Next(stream.schedule, kStart + kSecond + 1000, 64);
  EXPECT_EQ(last.segment, 3U);
  EXPECT_EQ(last.segment_first, stream.sent - 30'001);
  EXPECT_EQ(last.first, stream.sent);
  EXPECT_EQ(stream.sent + stream.pacer.given_up() + 1, stream.pacer.intended());
}

TEST(Pacer, ACountIsSentInFull) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 10)};
  EXPECT_EQ(stream.Send(kStart + 3000), 4U);
  EXPECT_EQ(stream.Send(kStart + kSecond / 2), 6U);
  EXPECT_EQ(stream.pacer.given_up(), 0U);
}

TEST(Pacer, EndedAtKeepsWhatIsDueAndNoMore) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 0)};
  stream.schedule = stream.schedule.EndedAt(kStart + 3000, 50'000);
  EXPECT_EQ(stream.Send(kStart + 10'000, 2), 2U);
  EXPECT_LT(stream.Wake(kStart + 10'000), kStart + 10'000);
  EXPECT_EQ(stream.Wake(kStart + 53'000), kNever) << "gives up";
  EXPECT_EQ(stream.Send(kStart + 52'999), 1U);
  EXPECT_EQ(stream.Wake(kStart + 52'999), kNever);
}

TEST(Pacer, AStopBeforeAnUpdateCancelsIt) {
  Stream stream{Schedule(SegmentOf(kEveryMicrosecond), 0, 0)};
  stream.schedule = stream.schedule.Updated(SegmentOf(kEveryMicrosecond, kStart + 5500), 0)
                        .EndedAt(kStart + 3000, 50'000);
  EXPECT_EQ(stream.Send(kStart + 10'000), 3U);
  EXPECT_EQ(stream.Wake(kStart + 10'000), kNever);
}

}  // namespace
}  // namespace tester
