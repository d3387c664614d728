// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "generator/laws/departures.h"

#include <concepts>
#include <utility>

namespace tester {
namespace {

// Knows any frame's time without those before.
template <typename Law>
concept Analytic = requires(const Law& law) {
  { law.DueNs(uint64_t{}) } -> std::same_as<uint64_t>;
};

template <Analytic Law>
void MoveTo(const Law& law, LawPlace& place, uint64_t frame) {
  if (frame <= place.frame) return;
  place.last_due_ns = frame == place.frame + 1 ? place.due_ns : law.DueNs(frame - 1);
  place.frame = frame;
  place.due_ns = law.DueNs(frame);
}

template <typename Law>
void PassDueOf(const Law& law, LawPlace& place, uint64_t elapsed_ns) {
  if (place.due_ns > elapsed_ns) return;
  if constexpr (Analytic<Law>) {
    MoveTo(law, place, law.DueBy(elapsed_ns));
  } else if constexpr (std::same_as<Law, Replayed>) {
    law.PassDue(place, elapsed_ns, Departures::kMostSteps);
  } else {
    for (uint64_t i = 0; i < Departures::kMostSteps && place.due_ns <= elapsed_ns; ++i) {
      law.Step(place);
    }
  }
}

}  // namespace

Departures::Departures(uint64_t offset_ns, Law law) : offset_ns_(offset_ns), law_(std::move(law)) {}

LawPlace Departures::Begin() const {
  return std::visit(
      []<typename L>(const L& law) {
        if constexpr (Analytic<L>) {
          LawPlace place;
          place.due_ns = law.DueNs(0);
          return place;
        } else {
          return law.Begin();
        }
      },
      law_);
}

void Departures::PassDue(LawPlace& place, uint64_t elapsed_ns) const {
  std::visit([&](const auto& law) { PassDueOf(law, place, elapsed_ns); }, law_);
}

bool Departures::PassBefore(LawPlace& place, uint64_t end_ns) const {
  if (end_ns == 0) return true;
  return std::visit(
      [&]<typename L>(const L& law) {
        if constexpr (Analytic<L>) {
          // A frame due between the last two nanoseconds has its first whole one at the end.
          MoveTo(law, place, law.DueBefore(end_ns));
          return true;
        } else {
          PassDueOf(law, place, end_ns - 1);
          return place.due_ns >= end_ns;
        }
      },
      law_);
}

uint64_t Departures::MostDue(uint64_t window_ns) const {
  return std::visit([&](const auto& law) { return law.MostDue(window_ns); }, law_);
}

void Departures::Step(LawPlace& place, uint64_t frames) const {
  std::visit(
      [&]<typename L>(const L& law) {
        if constexpr (Analytic<L>) {
          MoveTo(law, place, place.frame + frames);
        } else {
          for (uint64_t i = 0; i < frames; ++i) law.Step(place);
        }
      },
      law_);
}

}  // namespace tester
