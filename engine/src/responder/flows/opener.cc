// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "responder/flows/opener.h"

namespace tester::machine {

Opener::Opener(const Opening& opening, bool keeps)
    : opening_(opening), keeps_(keeps), ring_(opening.flows) {}

void Opener::Begin(uint64_t start_us, uint64_t end_us) {
  origin_us_ = start_us;
  if (end_us != 0) end_us_ = end_us;
}

uint64_t Opener::DueUs() const {
  if (opening_.openings == 0) return origin_us_;
  const Uint128 nanoseconds = Uint128{opened_ - origin_} * opening_.nanoseconds / opening_.openings;
  return origin_us_ + static_cast<uint64_t>(nanoseconds / 1000);
}

bool Opener::HasRoom() const {
  if (!keeps_) return true;
  return open_ + lost_ < opening_.connections && (fresh_ < opening_.flows || over_ > 0);
}

uint64_t Opener::DueBy(uint64_t due_us, uint64_t now_us) const {
  if (opening_.openings == 0) return 0;
  const Uint128 late_ns = Uint128{now_us - due_us} * 1000;
  return 1 + static_cast<uint64_t>(late_ns * opening_.openings / opening_.nanoseconds);
}

bool Opener::IsDue(uint64_t now_us, uint64_t& put_off) {
  if (Over(now_us)) return false;
  const uint64_t due_us = DueUs();
  if (due_us > now_us) return false;
  const bool has_room = HasRoom();
  if (!has_room || put_off_ > 0) {
    const uint64_t due = DueBy(due_us, now_us);
    put_off += due - put_off_;
    put_off_ = due;
  }
  if (has_room && put_off_ > 0) {
    // Openings that were put off are not made up for.
    origin_ = opened_;
    origin_us_ = now_us;
    put_off_ = 0;
  }
  return has_room;
}

uint32_t Opener::Fresh() {
  return static_cast<uint32_t>((uint64_t{opening_.first_flow} + fresh_++) % opening_.flows);
}

uint32_t Opener::Take() {
  ++opened_;
  if (!keeps_) return Fresh();
  ++open_;
  if (fresh_ < opening_.flows) return Fresh();
  const uint32_t number = ring_[first_];
  first_ = (first_ + 1) % opening_.flows;
  --over_;
  return number;
}

void Opener::Ended(uint32_t number, bool failed) {
  --open_;
  ring_[(first_ + uint64_t{over_}) % opening_.flows] = number;
  ++over_;
  const bool again =
      opening_.reopen == Reopen::kAlways || (opening_.reopen == Reopen::kEndedWell && !failed);
  if (!again) ++lost_;
}

bool Opener::Over(uint64_t now_us) const {
  if (now_us >= end_us_) return true;
  if (opening_.total != 0 && opened_ >= opening_.total) return true;
  return keeps_ && open_ == 0 && lost_ >= opening_.connections;
}

}  // namespace tester::machine
