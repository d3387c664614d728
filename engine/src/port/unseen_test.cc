// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/unseen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace tester {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A port with a worker that ends a loop each millisecond unless it is paused, and perhaps another
// one that is stuck.
struct SimulatedPort {
  uint64_t accounted = 0;
  uint64_t queued = 0;  // frames for the worker
  uint64_t each = 0;    // at most, in a loop
  Unseen::Time paused{};
  bool looked = false;  // in the loop under way, before the frames came
  Unseen::Time now{};
  uint64_t loops = 7;
  std::optional<uint64_t> stuck{};  // loops of the other worker

  std::optional<uint64_t> Look(Unseen& unseen, uint64_t arrived) {
    now = {};
    return unseen.Look(arrived, {.accounted = [this] { return accounted; },
                                 .loops = [this] { return Loops(); },
                                 .wait = [this] { return Go(); }});
  }

  std::vector<uint64_t> Loops() const {
    return stuck ? std::vector{loops, *stuck} : std::vector{loops};
  }

  Unseen::Time Go() {
    now += milliseconds(1);
    if (now <= paused) return now;
    ++loops;
    const uint64_t taken = std::exchange(looked, false) ? 0 : std::min(each, queued);
    queued -= taken;
    accounted += taken;
    return now;
  }
};

TEST(Unseen, AreFramesThatOnlyTheInterfaceHasCounted) {
  Unseen unseen;
  SimulatedPort port{.accounted = 100};
  EXPECT_EQ(port.Look(unseen, 100), 0U);
  port.accounted = 140;
  EXPECT_EQ(port.Look(unseen, 150), 10U);
  EXPECT_EQ(port.Look(unseen, 150), 10U);
  port.accounted = 240;
  EXPECT_EQ(port.Look(unseen, 250), 10U);
  port.accounted = 241;
  EXPECT_EQ(port.Look(unseen, 260), 19U);
}

TEST(Unseen, WaitForWhatIsUnderWay) {
  Unseen unseen;
  SimulatedPort port{.accounted = 90, .queued = 10, .each = 5};
  EXPECT_EQ(port.Look(unseen, 100), 0U);
}

TEST(Unseen, AreNotWhatAPausedWorkerFindsLater) {
  Unseen unseen;
  SimulatedPort port{
      .accounted = 90, .queued = 10, .each = 5, .paused = milliseconds(800), .looked = true};
  EXPECT_EQ(port.Look(unseen, 100), 0U);
}

TEST(Unseen, AreNotWhatAWorkerIsStillTaking) {
  Unseen unseen;
  SimulatedPort port{.accounted = 0, .queued = 1000, .each = 1};
  EXPECT_EQ(port.Look(unseen, 1000), 0U);
}

TEST(Unseen, AreCountedOnceAWholeLoopHasFoundNothing) {
  Unseen unseen;
  SimulatedPort port{.accounted = 90, .queued = 7, .each = 5, .paused = milliseconds(800)};
  EXPECT_EQ(port.Look(unseen, 100), 3U);
  EXPECT_EQ(port.accounted, 97U);
}

TEST(Unseen, AreNotKnownWhereTheWorkerIsStuck) {
  Unseen unseen;
  SimulatedPort port{.accounted = 90, .queued = 10, .each = 5, .paused = seconds(100)};
  EXPECT_EQ(port.Look(unseen, 100), std::nullopt);
  port.paused = {};
  EXPECT_EQ(port.Look(unseen, 100), 0U) << "it has gone on, and nothing was counted meanwhile";
}

TEST(Unseen, AreNotKnownWhereOneOfTwoWorkersIsStuck) {
  Unseen unseen;
  SimulatedPort port{.accounted = 90, .stuck = 7};
  EXPECT_EQ(port.Look(unseen, 100), std::nullopt);
  port.stuck = std::nullopt;
  EXPECT_EQ(port.Look(unseen, 100), 10U);
}

// The port has gone on while the kernel's count was read.
TEST(Unseen, AreNeverLessThanBefore) {
  Unseen unseen;
  SimulatedPort port{.accounted = 97};
  EXPECT_EQ(port.Look(unseen, 100), 3U);
  port.accounted = 120;
  EXPECT_EQ(port.Look(unseen, 100), 3U);
}

}  // namespace
}  // namespace tester
