// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// For any arrivals, trains count the same as counting frame by frame. The test is here since it
// compares all counters as messages.

#include "receiver/train.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "snapshot/merge.h"

namespace tester {
namespace {

constexpr uint16_t kId = 7;
constexpr uint16_t kSum = 0x1234;
constexpr uint16_t kPort = 1;
constexpr size_t kEditedAt = 35;
constexpr size_t kSignatureAt = 44;

struct Sent {
  uint64_t sequence;
  uint64_t stamp_ns;
  uint16_t port;
  uint8_t version;
  uint8_t payload;
  size_t more = 0;      // bytes before the signature
  uint8_t address = 0;  // of IP, its last byte
};

// The features of a stream.
struct Kind {
  bool flows;
  bool payloads;
  bool edits;  // a port, which changes from frame to frame
};

std::vector<uint8_t> Bytes(const Sent& sent) {
  std::vector<uint8_t> frame(kSignatureAt + sent.more + wire::kSignatureBytes);
  frame[12] = 8;  // UDP over IPv4
  frame[14] = 0x45;
  frame[17] = static_cast<uint8_t>(frame.size() - 14);
  frame[23] = 17;
  frame[33] = sent.address;
  frame[18] = static_cast<uint8_t>(sent.version << 7);
  frame[42] = sent.payload;
  wire::SignatureWriter(kId, kSum, sent.stamp_ns)
      .Write(frame.data() + kSignatureAt + sent.more, sent.sequence);
  return frame;
}

HeaderRules Edited() {
  return {.kept = std::vector<uint8_t>(42, 0xff),
          .changes = {{.bits = {.begin = 18 * 8, .end = 18 * 8 + 1}, .updates_checksums = false},
                      {.bits = {.begin = kEditedAt * 8, .end = kEditedAt * 8 + 8},
                       .updates_checksums = false}}};
}

// A stream on one port, and its counters.
class Receiver {
 public:
  explicit Receiver(const Kind& kind) : kind_(kind) {
    tx.packets.Set(1'000'000);
    if (kind.flows) rx.flows = std::make_unique<Flows>(5);
    classifier_.Add(kId, {.counters = &rx,
                          .sent = &tx,
                          .start_ns = 1000,
                          .base_ns = 1000,
                          .integrity = &integrity_,
                          .version = VersionBit::At(18 * 8),
                          .signature_sum = kSum,
                          .rx_port = kPort});
  }

  void Burst(const std::vector<Sent>& burst, uint64_t now_ns, bool in_trains) {
    std::vector<std::vector<uint8_t>> buffers;  // stay until the train has ended
    for (const Sent& sent : burst) {
      buffers.push_back(Bytes(sent));
      if (kind_.edits) buffers.back()[kEditedAt] = static_cast<uint8_t>(sent.sequence);
    }
    Train train(now_ns);
    for (size_t i = 0; i < burst.size(); ++i) {
      const Sent& sent = burst[i];
      const std::vector<uint8_t>& frame = buffers[i];
      const auto bytes = static_cast<uint32_t>(frame.size());
      const Arrival arrival{.frame = frame,
                            .bytes = bytes,
                            .end = bytes,
                            .port = sent.port,
                            .now_ns = now_ns,
                            .counters = &port};
      const uint8_t* signature = frame.data() + bytes - wire::kSignatureBytes;
      if (in_trains && train.Join(signature, arrival)) {
        ++joined;
        continue;
      }
      train.End();
      const Expected* stream = classifier_.Find(signature);
      if (CountSigned(*stream, signature, arrival) == Signed::kGood) {
        train.Begin(*stream, signature, arrival);
      }
    }
  }

  std::string Counted() const {
    v1::StreamCounters stream;
    FillStreamReceived({&rx}, {.versions = true}, stream);
    FillStreamSent(tx, {.versions = true}, stream);
    v1::PortCounters all;
    FillPortReceived(port, all);
    FillPortSent(port, all);
    v1::FlowCounters flows;
    if (rx.flows) FillFlows(*rx.flows, 0, 5, Counter{}, flows);
    return stream.DebugString() + all.DebugString() + flows.DebugString();
  }

  StreamTx tx;
  StreamRx rx;
  PortCounters port;
  size_t joined = 0;

 private:
  const Kind kind_;
  Classifier classifier_;
  const std::vector<std::vector<uint8_t>> frames_{
      Bytes({.sequence = 0, .stamp_ns = 0, .port = 0, .version = 0, .payload = 0})};
  const Integrity integrity_{{.frames = frames_,
                              .order = {},
                              .payload_offset = kind_.payloads ? size_t{42} : 0,
                              .edited = kind_.edits,
                              .headers = kind_.edits ? Edited() : HeaderRules{}}};
};

class TrainTest : public testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  static Kind KindOf(const ParamType& of) {
    return {.flows = std::get<0>(of), .payloads = std::get<1>(of), .edits = std::get<2>(of)};
  }

  void Burst(const std::vector<Sent>& burst, uint64_t now_ns) {
    one_by_one.Burst(burst, now_ns, false);
    in_trains.Burst(burst, now_ns, true);
  }

  void Flip(uint64_t sequence) {
    for (Receiver* each : {&one_by_one, &in_trains}) {
      each->tx.flips.Ask();
      each->tx.flips.Begin(sequence);
    }
  }

  Receiver one_by_one{KindOf(GetParam())};
  Receiver in_trains{KindOf(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(FlowsPayloadsAndEdits, TrainTest,
                         testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()));

TEST_P(TrainTest, ABurstIsOne) {
  std::vector<Sent> burst;
  for (uint64_t i = 0; i < 64; ++i) burst.push_back({i, 2000, kPort, 0, 0});
  Burst(burst, 3000);
  EXPECT_EQ(in_trains.joined, 63U);
  EXPECT_EQ(in_trains.rx.latency.sum(), 64'000U);
  EXPECT_EQ(in_trains.Counted(), one_by_one.Counted());
}

TEST_P(TrainTest, AFlipEndsOne) {
  Flip(10);
  std::vector<Sent> burst;
  for (uint64_t i = 0; i < 64; ++i) burst.push_back({i, 2000, kPort, i >= 10, 0});
  Burst(burst, 3000);
  EXPECT_EQ(in_trains.joined, 62U);
  EXPECT_EQ(in_trains.rx.versions[1].packets.Get(), 54U);
  EXPECT_EQ(in_trains.rx.version_rewritten.Get(), 0U);
  EXPECT_EQ(in_trains.Counted(), one_by_one.Counted());
}

TEST_P(TrainTest, AVersionThatWasWrittenOverIsSeenInEachFrame) {
  Flip(0);
  std::vector<Sent> burst;
  for (uint64_t i = 0; i < 64; ++i) burst.push_back({i, 2000, kPort, 0, 0});
  Burst(burst, 3000);
  EXPECT_EQ(in_trains.rx.version_rewritten.Get(), 64U);
  EXPECT_EQ(in_trains.Counted(), one_by_one.Counted());
}

TEST_P(TrainTest, WhateverArrives) {
  std::mt19937_64 random(4711);
  const auto one_in = [&](uint64_t n) { return random() % n == 0; };
  uint64_t sequence = 0;
  uint64_t now_ns = 10'000;
  uint8_t version = 0;
  std::vector<Sent> held;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t stamp_ns = now_ns - random() % 5000;
    std::vector<Sent> burst;
    std::vector<Sent> astray;
    for (uint64_t k = random() % 40; k > 0; --k) {
      if (one_in(200)) {
        Flip(sequence);
        version ^= 1;
      }
      Sent frame{sequence++, stamp_ns + (one_in(50) ? 1U : 0U), kPort, version, 0};
      if (one_in(100)) frame.version ^= 1;
      if (one_in(100)) frame.payload = 1;
      if (one_in(100)) frame.more = 4;
      if (one_in(100)) frame.address = 1;
      if (one_in(60)) held.push_back(frame);  // comes again, or late
      if (one_in(100)) astray.push_back({frame.sequence, frame.stamp_ns, kPort + 1, version, 0});
      if (!one_in(40)) burst.push_back(frame);
      if (one_in(90)) burst.push_back(frame);
      if (one_in(40) && !held.empty()) {
        burst.push_back(held.back());
        held.pop_back();
      }
    }
    Burst(astray, now_ns);
    Burst(burst, now_ns);
    now_ns += random() % 3000;
  }
  EXPECT_GT(in_trains.joined, 10'000U);
  EXPECT_GT(in_trains.rx.order.duplicated(), 100U);
  EXPECT_GT(in_trains.rx.order.overtaken(), 10U);
  EXPECT_GT(in_trains.rx.misrouted.frames(), 100U);
  EXPECT_GT(in_trains.rx.corrupted.Get() + in_trains.rx.wrong_length.Get(), 100U);
  EXPECT_EQ(in_trains.rx.wrong_headers.Get() > 100, std::get<2>(GetParam()));
  EXPECT_EQ(in_trains.Counted(), one_by_one.Counted());
}

}  // namespace
}  // namespace tester
