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

struct Origin {
  uint16_t stream = 0;  // 0: none
  uint64_t sequence = CapturedFacts::kNoSequence;
};

// The stream that a frame which has arrived is of.
Origin OriginOf(const PortProgram& port, const Classifier& classifier, Frame frame) {
  const auto signed_by = [&](const uint8_t* signature) {
    return signature != nullptr && classifier.Find(signature) != nullptr;
  };
  const uint8_t* signature = LastSixteen(frame);
  if (!signed_by(signature)) {
    const Expected* matched = port.matcher.empty() ? nullptr : port.matcher.Find(frame);
    if (matched != nullptr) return {.stream = matched->stream_id};
    signature = SignatureBeforePadding(frame);
  }
  if (!signed_by(signature)) return {};
  const auto read = wire::Signature::Read(signature);
  return {.stream = read.id, .sequence = read.sequence};
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

void TapBurst::See(const rte_mbuf* mbuf, uint16_t stream, uint64_t sequence) const {
  const Sighting sighting{
      .frame = Whole(mbuf), .time_ns = now_ns_, .stream = stream, .sequence = sequence};
  for (const Tap& tap : taps_.captures) tap.See(sighting);
  if (taps_.queries.empty()) return;
  const QueriedFrame queried(sighting.frame, port_, now_ns_, taps_.need_transport);
  for (const QueryTap& tap : taps_.queries) {
    tap.lane->See(queried, !tap.streams || tap.streams->test(stream));
  }
}

void TapReceived(const PortProgram& port, const Classifier& classifier, rte_mbuf* const* mbufs,
                 uint16_t count, uint64_t now_ns) {
  const Taps& taps = port.taps->received;
  if (taps.over()) return;
  const bool asks = taps.ask_for_streams();
  const TapBurst burst(taps, port.index, now_ns);
  for (uint16_t i = 0; i < count; ++i) {
    const Origin origin = asks ? OriginOf(port, classifier, Whole(mbufs[i])) : Origin{};
    burst.See(mbufs[i], origin.stream, origin.sequence);
  }
  burst.Publish(count);
}

}  // namespace tester
