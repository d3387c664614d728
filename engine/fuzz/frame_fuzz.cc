// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames from the wire: classification, neighbour questions and answers.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "receiver/classifier.h"
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

void Classify(const Classifier& classifier, const uint8_t* signature, size_t bytes) {
  const Expected* stream = classifier.Find(signature);
  if (stream == nullptr) return;
  CountReceived(*stream, wire::Signature::Read(signature), 0, bytes, 1'000'000);
}

}  // namespace
}  // namespace tester

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tester;  // NOLINT(google-build-using-namespace)
  static StreamRx rx;
  static const Classifier classifier = [] {
    Classifier made;
    made.Add(1, {.counters = &rx, .signature_sum = 0xffff, .rx_port = 0, .start_ns = 0});
    return made;
  }();
  // A copy of exactly this size, so that the sanitizer sees a step beyond it.
  const std::vector<uint8_t> frame(data, data + size);
  if (size >= wire::kSignatureBytes) {
    Classify(classifier, frame.data() + size - wire::kSignatureBytes, size);
  }
  if (const uint8_t* at = SignatureBeforePadding(frame)) Classify(classifier, at, size);
  std::vector<uint8_t> reply(kNeighbourFrameBytes);
  reply.resize(AnswerNeighbour(frame, Table(), reply));
  // An answer is well formed, and never answered itself: two testers must not talk for ever.
  if (!reply.empty()) {
    std::vector<uint8_t> second(kNeighbourFrameBytes);
    if (reply.size() < wire::kMinFrameBytes || !ReadAdvertisement(reply)) __builtin_trap();
    if (AnswerNeighbour(reply, Table(), second) != 0) __builtin_trap();
  }
  ReadAdvertisement(frame);
  return 0;
}
