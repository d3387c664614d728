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

}  // namespace

void TapBurst::See(const rte_mbuf* mbuf, uint16_t stream, uint64_t sequence) const {
  const Sighting sighting{
      .frame = Whole(mbuf), .time_ns = now_ns_, .stream = stream, .sequence = sequence};
  for (const Tap& tap : taps_) tap.See(sighting);
}

void TapReceived(const PortProgram& port, const Classifier& classifier, rte_mbuf* const* mbufs,
                 uint16_t count, uint64_t now_ns) {
  const std::vector<Tap>& taps = port.taps->received;
  if (std::all_of(taps.begin(), taps.end(), [](const Tap& tap) { return tap.lane->complete(); })) {
    return;
  }
  const TapBurst burst(taps, now_ns);
  for (uint16_t i = 0; i < count; ++i) {
    const Frame frame = Whole(mbufs[i]);
    const auto signed_by = [&](const uint8_t* signature) {
      return signature != nullptr && classifier.Find(signature) != nullptr;
    };
    const uint8_t* signature = LastSixteen(frame);
    const Expected* matched = nullptr;
    if (!signed_by(signature)) {
      matched = port.matcher.empty() ? nullptr : port.matcher.Find(frame);
      signature = matched == nullptr ? SignatureBeforePadding(frame) : nullptr;
    }
    if (matched != nullptr) {
      burst.See(mbufs[i], matched->stream_id);
    } else if (signed_by(signature)) {
      const auto read = wire::Signature::Read(signature);
      burst.See(mbufs[i], read.id, read.sequence);
    } else {
      burst.See(mbufs[i]);
    }
  }
  burst.Publish(count);
}

}  // namespace tester
