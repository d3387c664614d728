// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "receiver/classifier.h"

#include "base/burst.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace tester {

void Classifier::Add(uint16_t id, const Expected& expected) {
  if (streams_.size() <= id) streams_.resize(size_t{id} + 1);
  streams_[id] = expected;
}

bool Classifier::IsStale(const uint8_t* signature, uint64_t now_ns) const {
  const Expected* stream = Find(signature);
  if (stream == nullptr) return WasUnloaded(signature, now_ns);
  const uint64_t timestamp_ns = wire::Signature::Read(signature).timestamp_ns;
  return !LatencyOf(*stream, timestamp_ns, now_ns) &&
         wire::IsPast(SentNs(*stream, timestamp_ns), now_ns);
}

namespace {

void CountTimes(StreamRx& rx, const Arrival& arrival) {
  rx.packets.Add(1);
  rx.bytes.Add(arrival.bytes + wire::kFcsBytes);
  if (rx.first_ns.Get() == 0) rx.first_ns.Set(arrival.now_ns);
  rx.last_ns.Set(arrival.now_ns);
}

uint32_t CountPortVersion(const Expected& stream, const Arrival& arrival) {
  const uint32_t version = stream.version.Of(arrival.frame);
  arrival.counters->rx_versions[version].Add(1, arrival.bytes + wire::kFcsBytes);
  return version;
}

uint32_t CountVersion(const Expected& stream, const Arrival& arrival) {
  const uint32_t version = CountPortVersion(stream, arrival);
  stream.counters->versions[version].Add(1, arrival.bytes + wire::kFcsBytes,
                                         arrival.now_ns - stream.base_ns);
  return version;
}

// An ICMP error goes to who has sent the frame that it quotes.
bool IsQuoted(const Expected& stream, Frame frame, size_t bytes) {
  if (stream.integrity == nullptr || stream.integrity->sends_icmp_errors()) return false;
  if (stream.integrity->HasOneTemplateOf(bytes)) return false;  // a quotation is longer
  return wire::Shape::Of(frame, bytes).icmp_error.has_value();
}

// The sent frames are counted only when frames seem to be missing: a sender counts in memory of its
// own.
bool WasNeverSent(const Expected& stream, uint64_t sequence) {
  return stream.sent != nullptr && sequence > stream.counters->order.next() &&
         sequence >= stream.sent->packets.Get() + kBurst;
}

void LookAtFields(const Expected& stream, uint64_t sequence, const uint8_t* signature,
                  const Arrival& arrival) {
  if (stream.fields == nullptr) return;
  stream.fields->Look(SignedFrameOf(signature, arrival), sequence, stream.numbered);
}

void CountDamage(const Expected& stream, Damage damage, uint64_t sequence, const uint8_t* signature,
                 const Arrival& arrival) {
  StreamRx& rx = *stream.counters;
  if (damage == Damage::kContent) rx.corrupted.Add(1);
  if (damage == Damage::kLength) rx.wrong_length.Add(1);
  if (damage == Damage::kFragment) rx.fragments.Add(1);
  if (damage == Damage::kHeaders) {
    rx.wrong_headers.Add(1);
    rx.header_faults.Set(rx.header_faults.Get() |
                         stream.integrity->FaultsOf(rx.order_place, stream.numbered, sequence,
                                                    SignedFrameOf(signature, arrival)));
    LookAtFields(stream, sequence, signature, arrival);
  }
}

// A frame on another port than expected. False: an ICMP error that quotes it.
bool CountMisrouted(const Expected& stream, uint64_t sequence, const uint8_t* signature,
                    const Arrival& arrival) {
  if (IsQuoted(stream, arrival.frame, arrival.bytes)) return false;
  const Damage damage = DamageOf(stream, sequence, signature, arrival);
  if (damage == Damage::kQuoted) return false;
  Misrouted& misrouted = stream.counters->misrouted;
  if (damage == Damage::kNone) {
    misrouted.Add(arrival.port, sequence);
  } else {
    misrouted.AddDamaged(arrival.port);
  }
  arrival.counters->rx_misrouted.Add(1);
  if (stream.version.exists()) CountPortVersion(stream, arrival);
  return true;
}

// Counts missing frames that left after a pause of the sender.
void CountCrowded(const Expected& stream, ArrivalPlace place, uint64_t next, uint64_t sequence) {
  if (stream.sent == nullptr) return;
  LostCrowded& lost = stream.counters->lost_crowded;
  if (place == ArrivalPlace::kSkipping) lost.Skip(stream.sent->crowds, next, sequence);
  if (place == ArrivalPlace::kOvertaken) lost.Find(stream.sent->crowds, sequence);
}

}  // namespace

Signed CountSigned(const Expected& stream, const uint8_t* at, const Arrival& arrival) {
  const auto signature = wire::Signature::Read(at);
  const uint64_t sequence = signature.sequence;
  const auto latency_ns = LatencyOf(stream, signature.timestamp_ns, arrival.now_ns);
  if (!latency_ns) {
    const bool in_the_past = wire::IsPast(SentNs(stream, signature.timestamp_ns), arrival.now_ns);
    return in_the_past ? Signed::kStale : Signed::kForeign;
  }
  if (arrival.port != stream.rx_port) {
    return CountMisrouted(stream, sequence, at, arrival) ? Signed::kBad : Signed::kForeign;
  }
  StreamRx& rx = *stream.counters;
  if (WasNeverSent(stream, sequence)) return Signed::kForeign;
  const Damage damage = DamageOf(stream, sequence, at, arrival);
  if (damage == Damage::kQuoted) return Signed::kForeign;
  if (damage != Damage::kNone) [[unlikely]] {
    CountDamage(stream, damage, sequence, at, arrival);
    return Signed::kBad;
  }
  const uint64_t next = rx.order.next();
  const ArrivalPlace place = rx.order.Add(sequence);
  if (place == ArrivalPlace::kSkipping && rx.packets.Get() != 0) {
    rx.outages.Add(rx.last_ns.Get(), arrival.now_ns, sequence, sequence - next);
  }
  if (place != ArrivalPlace::kNext) [[unlikely]]
    CountCrowded(stream, place, next, sequence);
  CountTimes(rx, arrival);
  rx.latency.Add(*latency_ns);
  if (*latency_ns == 0 &&
      SentNs(stream, signature.timestamp_ns) != (arrival.now_ns & wire::kMask48)) {
    rx.before_sent.Add(1);
  }
  if (place < ArrivalPlace::kDuplicate) rx.variation.Add(sequence, *latency_ns);
  if (stream.version.exists()) {
    const uint32_t version = CountVersion(stream, arrival);
    if (stream.sent != nullptr &&
        stream.sent->flips.StretchOf(sequence).version.value_or(version) != version) {
      rx.version_rewritten.Add(1);
    }
  }
  if (rx.flows) rx.flows->Add(sequence, arrival.bytes + wire::kFcsBytes, *latency_ns);
  LookAtFields(stream, sequence, at, arrival);
  return Signed::kGood;
}

const Expected* OwnerOf(const Classifier& classifier, const uint8_t* at, Frame frame,
                        uint64_t now_ns) {
  const Expected* stream = classifier.Find(at);
  if (stream == nullptr) return nullptr;
  const auto signature = wire::Signature::Read(at);
  if (!LatencyOf(*stream, signature.timestamp_ns, now_ns)) return nullptr;
  if (WasNeverSent(*stream, signature.sequence)) return nullptr;
  return IsQuoted(*stream, frame, frame.size()) ? nullptr : stream;
}

void CountMatched(const Expected& stream, const Arrival& arrival) {
  CountTimes(*stream.counters, arrival);
  if (stream.version.exists()) CountVersion(stream, arrival);
}

const uint8_t* SignatureBeforePadding(Frame frame) {
  const auto ethernet = wire::Ethernet::Parse(frame);
  if (!ethernet) return nullptr;
  const Frame packet = frame.subspan(ethernet->header_bytes);
  size_t packet_bytes = packet.size();
  if (const auto ipv4 = wire::Ipv4::Parse(packet); ipv4) {
    packet_bytes = ipv4->total_bytes;
  } else if (const auto ipv6 = wire::Ipv6::Parse(packet); ipv6) {
    packet_bytes = wire::kIpv6HeaderBytes + ipv6->payload_bytes;
  }
  if (packet_bytes == packet.size() || packet_bytes < wire::kSignatureBytes) return nullptr;
  return packet.data() + packet_bytes - wire::kSignatureBytes;
}

}  // namespace tester
