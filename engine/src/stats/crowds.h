// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames of a stream that left after a pause of the sender: counters.proto, rx_lost_crowded. The
// sender notes their sequence numbers before they leave, receivers look up those that are missing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "base/counter.h"

namespace tester {

class Crowds {
 public:
  // Frames that are later than this are late by a pause.
  static constexpr uint64_t kPauseNs = 100'000;
  // Behind a pause frames leave closer to each other than they are due, and a device that they have
  // filled has less room for a while: for this many times the pause.
  static constexpr uint64_t kFollowing = 10;

  // The sender's: `count` frames from number `first` on leave now. The first one was due at due_ns.
  void Note(uint64_t first, uint64_t count, uint64_t now_ns, uint64_t due_ns) {
    const uint64_t late_ns = now_ns > due_ns ? now_ns - due_ns : 0;
    if (late_ns > kPauseNs) [[unlikely]] {
      const uint64_t end_ns = now_ns + kFollowing * late_ns;
      if (end_ns > end_ns_) end_ns_ = end_ns;
    }
    if (now_ns < end_ns_) [[unlikely]]
      Add(first, first + count);
  }

  // Any thread's: how many of the frames from `first` to before `end` left after a pause; nothing
  // if that is too many pauses ago.
  std::optional<uint64_t> CountOf(uint64_t first, uint64_t end) const;

 private:
  struct Run {
    Counter first;
    Counter end;
  };
  static constexpr uint64_t kRemembered = 256;
  // A reader may meet the sender at the oldest ones.
  static constexpr uint64_t kLegible = kRemembered / 2;

  void Add(uint64_t first, uint64_t end);

  Counter runs_;  // ever; run i is at i % kRemembered
  std::array<Run, kRemembered> run_;
  uint64_t end_ns_ = 0;  // of the latest pause, with what follows it; used by the sender only
};

// Missing frames of a stream that left after a pause, counted by the worker that receives it.
struct LostCrowded {
  // The frames from `first` to before `end` are missing.
  void Skip(const Crowds& crowds, uint64_t first, uint64_t end) {
    if (const auto count = crowds.CountOf(first, end); count) {
      skipped.Add(*count);
    } else {
      forgotten.Add(1);
    }
  }

  // A frame was missing, and has arrived.
  void Find(const Crowds& crowds, uint64_t sequence) {
    if (const auto count = crowds.CountOf(sequence, sequence + 1); count) {
      overtaken.Add(*count);
    } else {
      forgotten.Add(1);
    }
  }

  Counter skipped;
  Counter overtaken;
  Counter forgotten;  // lookups of frames that left too many pauses ago
};

}  // namespace tester
