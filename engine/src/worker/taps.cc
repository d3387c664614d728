// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/taps.h"

#include <algorithm>
#include <array>

#include "receiver/classifier.h"
#include "wire/ethernet.h"
#include "wire/signature.h"
#include "worker/buffers.h"
#include "worker/program.h"

namespace tester {
namespace {

const uint8_t* LastSixteen(Frame frame) {
  if (frame.size() < wire::kMacHeaderBytes + wire::kSignatureBytes) return nullptr;
  return frame.last(wire::kSignatureBytes).data();
}

// A frame that has arrived, with the stream that it is of.
Sighting Arrived(const QueueProgram& program, const Classifier& classifier, Frame frame,
                 uint64_t now_ns) {
  Sighting sighting{.frame = frame, .time_ns = now_ns};
  const auto find = [&](const uint8_t* signature) {
    sighting.signature = signature;
    sighting.expected =
        signature == nullptr ? nullptr : OwnerOf(classifier, signature, frame, now_ns);
    return sighting.expected != nullptr;
  };
  const uint8_t* const last = LastSixteen(frame);
  if (!find(last)) {
    const Expected* matched = program.matcher.empty() ? nullptr : program.matcher.Find(frame);
    const bool stale = last != nullptr && classifier.IsStale(last, now_ns);
    if (stale && (matched == nullptr || !Replays(*matched, last))) return sighting;
    if (matched != nullptr) {
      sighting.stream = matched->stream_id;
      return sighting;
    }
    if (!find(SignatureBeforePadding(frame))) return sighting;
  }
  const auto read = wire::Signature::Read(sighting.signature);
  sighting.stream = read.id;
  sighting.sequence = read.sequence;
  return sighting;
}

}  // namespace

bool Taps::over() const {
  return queries.empty() &&
         std::ranges::all_of(captures, [](const Tap& tap) { return tap.lane->complete(); });
}

bool Taps::ask_for_streams() const {
  return !captures.empty() ||
         std::ranges::any_of(queries, [](const QueryTap& tap) { return tap.streams != nullptr; });
}

void TapReceived(const QueueProgram& program, const Classifier& classifier, rte_mbuf* const* mbufs,
                 uint16_t count, uint64_t now_ns) {
  const Taps& taps = program.taps->received;
  if (taps.over()) return;
  const bool asks = taps.ask_for_streams();
  const TapBurst burst(taps, program.port, now_ns);
  if (!asks) return burst.SeeAll(mbufs, count);
  for (uint16_t i = 0; i < count; ++i) {
    burst.See(Arrived(program, classifier, Whole(mbufs[i]), now_ns));
  }
  burst.Publish(count);
}

}  // namespace tester
