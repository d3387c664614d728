// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames from the wire: classification, neighbour questions and answers.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "receiver/classifier.h"
#include "receiver/foreign.h"
#include "receiver/matcher.h"
#include "receiver/train.h"
#include "responder/neighbour.h"
#include "wire/ethernet.h"

namespace tester {
namespace {

// 192.0.2.9 and 2001:db8::9, as in the corpus.
const NeighbourTable& Table() {
  static const NeighbourTable table(
      {{.address = MakeAddress(std::array<uint8_t, 4>{192, 0, 2, 9}), .mac = {2, 0, 0, 0, 0, 9}},
       {.address = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9},
        .mac = {2, 0, 0, 0, 0, 9}}});
  return table;
}

// Signed frames may have anything that is looked at when they arrive.
struct Stream {
  Stream() {
    rx.flows = std::make_unique<Flows>(3);
    tx.packets.Set(1000);
    const Expected expected{.counters = &rx,
                            .sent = &tx,
                            .integrity = &integrity,
                            .version = VersionBit::At(18 * 8),
                            .signature_sum = 0xffff};
    classifier.Add(1, expected);
    matcher.Add({{12, 0xff, 0x08}, {23, 0xff, 17}}, expected);
    matcher.Add({{12, 0xff, 0x86}}, expected);
  }

  StreamTx tx;
  StreamRx rx;
  const std::vector<std::vector<uint8_t>> frames{std::vector<uint8_t>(60),
                                                 std::vector<uint8_t>(80)};
  const std::vector<OrderRun> order{{1, 2}, {0, 1}};
  const Integrity integrity{{.frames = frames, .order = order, .payload_offset = 42}};
  Classifier classifier;
  Matcher matcher;
};

void Classify(const Stream& known, const uint8_t* signature, const Arrival& arrival) {
  const Expected* stream = known.classifier.Find(signature);
  if (stream == nullptr || CountSigned(*stream, signature, arrival) != Signed::kGood) return;
  Train train(arrival.now_ns);
  train.Begin(*stream, signature, arrival);
  // A frame does not follow itself.
  if (train.Join(signature, arrival)) __builtin_trap();
}

}  // namespace
}  // namespace tester

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tester;  // NOLINT(google-build-using-namespace)
  static const Stream stream;
  // A copy of exactly this size, so that the sanitizer sees a step beyond it.
  const std::vector<uint8_t> frame(data, data + size);
  static PortCounters counters;
  Arrival arrival{.frame = frame,
                  .bytes = static_cast<uint32_t>(size),
                  .end = static_cast<uint32_t>(size),
                  .port = 0,
                  .now_ns = 1'000'000,
                  .counters = &counters};
  if (size >= wire::kSignatureBytes) {
    Classify(stream, frame.data() + size - wire::kSignatureBytes, arrival);
  }
  CountForeign(frame, size, counters);
  if (const uint8_t* at = SignatureBeforePadding(frame)) {
    arrival.end = static_cast<uint32_t>(at - frame.data() + wire::kSignatureBytes);
    Classify(stream, at, arrival);
  }
  if (const Expected* found = stream.matcher.Find(frame)) CountMatched(*found, arrival);
  std::vector<uint8_t> reply(kNeighbourFrameBytes);
  reply.resize(AnswerNeighbour(frame, Table(), reply));
  // An answer is well formed, and is never answered itself: two testers must not answer each other
  // endlessly.
  if (!reply.empty()) {
    std::vector<uint8_t> second(kNeighbourFrameBytes);
    if (reply.size() < wire::kMinFrameBytes || !ReadAdvertisement(reply)) __builtin_trap();
    if (AnswerNeighbour(reply, Table(), second) != 0) __builtin_trap();
  }
  ReadAdvertisement(frame);
  return 0;
}
