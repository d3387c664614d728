// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/train.h"

#include <algorithm>

namespace tester {

void Train::Begin(const Expected& stream, const uint8_t* signature, const Arrival& arrival) {
  const StreamRx& rx = *stream.counters;
  const uint64_t high = wire::Load64(signature);
  const uint64_t sequence = high & wire::kMask48;
  const uint64_t low = wire::Load64(signature + 8);
  const uint64_t latency_ns = (now_ns_ - SentNs(stream, low >> 16)) & wire::kMask48;
  // After a frame that was overtaken, came twice or went astray, frames differ from the one before.
  // Expected fields are compared in each frame.
  if (stream.fields != nullptr || arrival.port != stream.rx_port ||
      rx.order.next() != sequence + 1 || !rx.variation.LastWas(sequence, latency_ns)) {
    return;
  }
  // Of a stream that another tester sends, frames carry the only copy of the version.
  const Flips::Stretch sent = stream.sent == nullptr
                                  ? Flips::Stretch{.version = std::nullopt, .end = UINT64_MAX}
                                  : stream.sent->flips.StretchOf(sequence);
  stream_ = &stream;
  port_ = arrival.counters;
  flows_ = rx.flows.get();
  next_ = high + 1;
  end_ = (high & ~wire::kMask48) + std::min(sent.end, wire::kMask48);
  next_low_ = LowAfter(low);
  latency_ns_ = latency_ns;
  version_ = stream.version;
  version_of_all_ = stream.version.Of(arrival.frame);
  rewritten_ = stream.version.exists() && sent.version.value_or(version_of_all_) != version_of_all_;
  looks_ = LooksAt(stream, arrival);
  first_ = stream.integrity != nullptr && looks_ == Looks::kAtTheFirst
               ? arrival.frame.first(arrival.bytes - wire::kSignatureBytes)
               : Frame();
  bytes_of_each_ = arrival.bytes;
}

Train::Looks Train::LooksAt(const Expected& stream, const Arrival& arrival) {
  const Integrity* integrity = stream.integrity;
  if (integrity == nullptr) return Looks::kAtTheFirst;
  if (!stream.numbered || arrival.frame.size() != arrival.bytes) return Looks::kCloser;
  if (integrity->sends_one()) return Looks::kAtTheFirst;
  return integrity->HasOneTemplateOf(arrival.bytes) ? Looks::kAtThePattern : Looks::kCloser;
}

bool Train::LookCloser(const uint8_t* signature, const Arrival& arrival) const {
  return DamageOf(*stream_, next_ & wire::kMask48, signature, arrival) == Damage::kNone;
}

void Train::Count() {
  StreamRx& rx = *stream_->counters;
  const uint64_t bytes = bytes_ + frames_ * wire::kFcsBytes;
  rx.packets.Add(frames_);
  rx.bytes.Add(bytes);
  rx.order.Follow(frames_);
  rx.latency.Add(latency_ns_, frames_);
  rx.variation.Repeat(frames_);
  if (version_.exists()) {
    rx.versions[version_of_all_].Add(frames_, bytes, now_ns_ - stream_->base_ns);
    port_->rx_versions[version_of_all_].Add(frames_, bytes);
    if (rewritten_) rx.version_rewritten.Add(frames_);
  }
  frames_ = 0;
  bytes_ = 0;
}

}  // namespace tester
