// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames against a model that knows nothing of bursts: each frame by itself, bit by bit, and every
// checksum from all the bytes that it covers.
#include "generator/frames/frames.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "wire/checksum.h"
#include "wire/crc32c.h"
#include "wire/signature.h"

namespace tester {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kIp = 14;
constexpr uint32_t kUdp = 34;
constexpr uint32_t kVxlan = 42;
constexpr uint32_t kInnerIp = kVxlan + 8 + 14;
constexpr uint32_t kInnerTcp = kInnerIp + 20;

uint16_t SumOver(const Bytes& frame, size_t begin, size_t end, uint64_t initial = 0) {
  return wire::Checksum({frame.data() + begin, end - begin}, initial);
}

// From the header to the frame's end, with a pseudo header of the addresses of the IPv4 header
// before.
uint16_t TransportSum(const Bytes& frame, size_t begin, uint8_t protocol) {
  const size_t addresses = begin - 8;
  const uint64_t pseudo =
      wire::Sum({frame.data() + addresses, 8}) + protocol + frame.size() - begin;
  return SumOver(frame, begin, frame.size(), pseudo);
}

void SetSum(Bytes& frame, uint32_t at, const std::function<uint16_t()>& sum) {
  wire::Store16(frame.data() + at, 0);
  wire::Store16(frame.data() + at, sum());
}

uint16_t NotZero(uint16_t sum) { return sum == 0 ? uint16_t{0xffff} : sum; }

// Ethernet / IPv4 / UDP / payload, of any length.
void SumUdp(Bytes& frame) {
  SetSum(frame, kIp + 10, [&] { return SumOver(frame, kIp, kUdp); });
  SetSum(frame, kUdp + 6, [&] { return NotZero(TransportSum(frame, kUdp, 17)); });
}

// Ethernet / IPv4 / UDP / VXLAN / Ethernet / IPv4 / TCP / payload.
void SumVxlan(Bytes& frame) {
  SetSum(frame, kInnerIp + 10, [&] { return SumOver(frame, kInnerIp, kInnerTcp); });
  SetSum(frame, kInnerTcp + 16, [&] { return TransportSum(frame, kInnerTcp, 6); });
  SumUdp(frame);
}

Bytes RandomBytes(size_t count, std::mt19937_64& random) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

FramesPlan PlanOf(std::vector<Bytes> frames, bool signature = false) {
  FramesPlan plan{};
  plan.stream_id = 7;
  plan.frames = std::move(frames);
  plan.signature = signature;
  return plan;
}

Editor EditorOf(uint32_t bit_offset, uint32_t bits, uint64_t every, Source source,
                std::vector<Coverage> coverage) {
  return {.field = Field(bit_offset, bits),
          .every = every,
          .source = std::move(source),
          .coverage = std::move(coverage)};
}

// Sends frames like a worker, from a few buffers that keep their contents.
class Sender {
 public:
  explicit Sender(const FramesPlan& plan) : frames_(plan), keys_(kBuffers), buffers_(kBuffers) {}

  std::vector<Bytes> Send(uint64_t first, uint16_t count, uint8_t version = 0) {
    const FrameRun run{
        .first = first, .count = count, .sequence = first, .now_ns = 1000, .version = version};
    std::vector<const Template*> chosen(count, frames_.Only(version));
    if (chosen.front() == nullptr) frames_.Choose(cursor_, run, chosen.data());
    std::vector<uint8_t*> at;
    std::vector<size_t> used;
    for (uint16_t i = 0; i < count; ++i) {
      const size_t buffer = next_++ % kBuffers;
      if (keys_[buffer] != chosen[i]->key) {
        const Frame frame = chosen[i]->image.frame();
        buffers_[buffer].assign(frame.begin(), frame.end());
      }
      keys_[buffer] = chosen[i]->key;
      at.push_back(buffers_[buffer].data());
      used.push_back(buffer);
    }
    frames_.Write(cursor_, run, chosen.data(), at.data());
    std::vector<Bytes> sent;
    for (const size_t buffer : used) sent.push_back(buffers_[buffer]);
    return sent;
  }

 private:
  static constexpr size_t kBuffers = 100;
  Frames frames_;
  Cursor cursor_;
  std::vector<uint64_t> keys_;
  std::vector<Bytes> buffers_;
  size_t next_ = 0;
};

uint64_t ValueOf(const Editor& editor, uint64_t frame) {
  SourcePlace place;
  uint64_t value = 0;
  FillValues(editor.source, place, frame / editor.every, 1, &value);
  return value;
}

using SumAll = std::function<void(Bytes&)>;

Bytes Model(const FramesPlan& plan, uint64_t frame, uint8_t version, const SumAll& sum) {
  Bytes bytes = plan.frames[frame % plan.frames.size()];
  const auto set = [&](const Field& field, uint64_t value) {
    for (uint32_t i = 0; i < field.bits(); ++i) {
      const uint32_t bit = field.bit_offset() + i;
      const auto mask = static_cast<uint8_t>(0x80 >> bit % 8);
      const bool one = (value >> (field.bits() - 1 - i) & 1) != 0;
      bytes[bit / 8] = static_cast<uint8_t>(one ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
    }
  };
  for (const auto& editor : plan.editors) set(editor.field, ValueOf(editor, frame));
  if (plan.version) set(plan.version->field, version);
  sum(bytes);
  return bytes;
}

// In order, again as after a refusal, and from elsewhere; with both versions.
void ExpectLikeModel(const FramesPlan& plan, const SumAll& sum, std::mt19937_64& random) {
  Sender sender(plan);
  uint64_t next = 0;
  for (int i = 0; i < 60; ++i) {
    const auto count = static_cast<uint16_t>(1 + random() % kBurst);
    const auto version = static_cast<uint8_t>(plan.version ? random() % 2 : 0);
    const auto sent = sender.Send(next, count, version);
    for (uint16_t k = 0; k < count; ++k) {
      ASSERT_EQ(sent[k], Model(plan, next + k, version, sum)) << "frame " << next + k;
    }
    const uint64_t taken = random() % 2 == 0 ? count : random() % (count + 1);
    next = random() % 10 == 0 ? random() % 3000 : next + taken;
  }
}

Source AnySource(const Field& field, std::mt19937_64& random) {
  const uint64_t first = random() & field.mask();
  switch (random() % 5) {
    case 0:
      return Step(first, random(), 1 + random() % 100, field.mask());
    case 1: {
      std::vector<uint64_t> values;
      for (size_t i = 1 + random() % 5; i > 0; --i) values.push_back(random() & field.mask());
      return Values(std::move(values));
    }
    case 2:
      return RandomBits(random(), first, random() & field.mask());
    case 3:
      return RandomRange(random(), first, 1 + std::min(field.mask() - first, random() >> 2));
    default:
      return Distribution(random(), {first, random() & field.mask()}, {random(), UINT64_MAX});
  }
}

// Editors that fill a part of the frame without a gap, so that the windows of neighbours overlap.
std::vector<Editor> AdjacentEditors(uint32_t begin, uint32_t end, std::vector<Coverage> coverage,
                                    std::mt19937_64& random) {
  std::vector<Editor> editors;
  while (begin < end && editors.size() < kMaxEditors) {
    const auto bits = static_cast<uint32_t>(1 + random() % std::min(64U, end - begin));
    const Field field(begin, bits);
    editors.push_back(EditorOf(begin, bits, 1 + random() % 3 * (random() % 40),
                               AnySource(field, random), coverage));
    begin += bits;
  }
  return editors;
}

TEST(Frames, EditAddressesAndPortsWithTheirChecksums) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20; ++i) {
    FramesPlan plan = PlanOf({RandomBytes(60 + random() % 9, random)});
    SumUdp(plan.frames[0]);
    plan.checksums = {{Checksum::Kind::kInternet, kIp + 10, 0, 0},
                      {Checksum::Kind::kInternetNotZero, kUdp + 6, 0, 0}};
    plan.editors = AdjacentEditors(8 * (kIp + 12), 8 * (kIp + 20), {{0, 1}, {1, 1}}, random);
    auto ports = AdjacentEditors(8 * kUdp, 8 * (kUdp + 4), {{1, 1}}, random);
    plan.editors.insert(plan.editors.end(), ports.begin(), ports.end());
    plan.editors.resize(std::min(plan.editors.size(), kMaxEditors), plan.editors[0]);
    plan.frames[0][kIp + 4] &= 0x7f;  // the top bit of the identification
    SumUdp(plan.frames[0]);
    plan.version = VersionPlan{.field = Field(8 * (kIp + 4), 1), .coverage = {{0, 1}}};
    ExpectLikeModel(plan, SumUdp, random);
  }
}

// The inner checksum is part of the outer data, so an edit that the inner checksum covers leaves
// the outer one unchanged, unless the outer one covers the edit in another way as well.
TEST(Frames, KeepOuterChecksumsOfInnerFieldsRight) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 12; ++i) {
    FramesPlan plan = PlanOf({RandomBytes(kInnerTcp + 20 + random() % 40, random)});
    SumVxlan(plan.frames[0]);
    plan.checksums = {{Checksum::Kind::kInternet, kIp + 10, 0, 0},
                      {Checksum::Kind::kInternetNotZero, kUdp + 6, 0, 0},
                      {Checksum::Kind::kInternet, kInnerIp + 10, 0, 0},
                      {Checksum::Kind::kInternet, kInnerTcp + 16, 0, 0}};
    // In both inner checksums, once in the data of the outer one: 1 - 2.
    plan.editors = AdjacentEditors(8 * (kInnerIp + 12), 8 * (kInnerIp + 20),
                                   {{1, -1}, {2, 1}, {3, 1}}, random);
    // A field of TCP: 1 - 1. It does not affect the outer checksum.
    plan.editors.resize(std::min<size_t>(plan.editors.size(), 8), plan.editors[0]);
    auto sequence =
        AdjacentEditors(8 * (kInnerTcp + 4), 8 * (kInnerTcp + 8), {{1, 0}, {3, 1}}, random);
    sequence.resize(std::min<size_t>(sequence.size(), 8), plan.editors[0]);
    plan.editors.insert(plan.editors.end(), sequence.begin(), sequence.end());
    ExpectLikeModel(plan, SumVxlan, random);
  }
}

// A sum of 0 modulo 65535 is 0xffff in one's complement; its checksum is 0, and UDP sends 0xffff.
TEST(Frames, KnowBothZeros) {
  FramesPlan plan = PlanOf({Bytes(60)});
  plan.frames[0][13] = 1;
  SumUdp(plan.frames[0]);
  plan.checksums = {{Checksum::Kind::kInternet, kIp + 10, 0, 0},
                    {Checksum::Kind::kInternetNotZero, kUdp + 6, 0, 0}};
  const Step all(0, 1, 65536, 0xffff);
  plan.editors = {EditorOf(8 * (kIp + 12), 16, 1, all, {{0, 1}, {1, 1}}),
                  EditorOf(8 * kIp, 8, 1, Step(0x45, 0, 1, 0xff), {{0, 1}})};
  Sender sender(plan);
  for (uint64_t first = 0; first < 65536; first += kBurst) {
    const auto sent = sender.Send(first, kBurst);
    for (uint64_t k = 0; k < kBurst; ++k) ASSERT_EQ(sent[k], Model(plan, first + k, 0, SumUdp));
  }
}

TEST(Frames, AtAnOddOffsetSumTheOtherBytes) {
  std::mt19937_64 random(3);
  FramesPlan plan = PlanOf({RandomBytes(61, random)});
  const SumAll sum = [](Bytes& frame) {
    SetSum(frame, 25, [&] { return SumOver(frame, 15, 61); });
  };
  sum(plan.frames[0]);
  plan.checksums = {{Checksum::Kind::kInternet, 25, 0, 0}};
  plan.editors = AdjacentEditors(8 * 27, 8 * 50, {{0, 1}}, random);
  ExpectLikeModel(plan, sum, random);
}

TEST(Frames, OfSeveralLengthsAreSignedAtTheirEnds) {
  std::mt19937_64 random(4);
  const Bytes key = RandomBytes(wire::kSignatureBytes, random);
  std::vector<Bytes> frames;
  for (const size_t bytes : {60, 566, 1514}) {
    frames.push_back(RandomBytes(bytes, random));
    std::copy(key.begin(), key.end(), frames.back().end() - wire::kSignatureBytes);
    SumUdp(frames.back());
  }
  FramesPlan plan = PlanOf(frames, true);
  plan.order = {{.frame = 0, .packets = 7}, {.frame = 1, .packets = 4}, {.frame = 2, .packets = 1}};
  plan.checksums = {{Checksum::Kind::kInternetNotZero, kUdp + 6, 0, 0}};
  plan.editors = {EditorOf(8 * kUdp, 16, 1, RandomBits(1, 0, 0xffff), {{0, 1}})};
  Sender sender(plan);
  for (uint64_t first = 0; first < 600; first += 60) {
    const auto sent = sender.Send(first, 60);
    for (uint64_t k = 0; k < sent.size(); ++k) {
      const uint64_t in_turn = (first + k) % 12;
      const Bytes& frame = sent[k];
      ASSERT_EQ(frame.size(), in_turn < 7 ? 60U : in_turn < 11 ? 566U : 1514U);
      const uint8_t* const at = frame.data() + frame.size() - wire::kSignatureBytes;
      ASSERT_EQ(wire::Signature::Read(at).sequence, first + k);
      ASSERT_EQ(wire::SignatureSum(at), wire::SignatureSum(key.data()));
      Bytes summed = frame;
      SetSum(summed, kUdp + 6, [&] { return NotZero(TransportSum(summed, kUdp, 17)); });
      ASSERT_EQ(summed, frame);
    }
  }
}

TEST(Frames, HaveACrcOverAllThatChanges) {
  std::mt19937_64 random(5);
  FramesPlan plan = PlanOf({RandomBytes(100, random)}, true);
  plan.checksums = {{Checksum::Kind::kCrc32c, kUdp + 8, kUdp, 3}};
  plan.editors = {EditorOf(8 * kUdp, 16, 1, Step(0, 1, 65536, 0xffff), {{0, 1}})};
  for (const Bytes& frame : Sender(plan).Send(0, 20)) {
    Bytes covered(frame.begin() + kUdp, frame.end() - 3);
    std::fill_n(covered.begin() + 8, 4, uint8_t{0});
    const uint32_t crc = wire::Crc32c(covered);
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(frame[kUdp + 8 + i], crc >> 8 * i & 0xff);
  }
}

TEST(Frames, SequenceMayDifferFromTheNumber) {
  FramesPlan plan = PlanOf({Bytes(60)}, true);
  const Frames frames(plan);
  Cursor cursor;
  Bytes bytes = plan.frames[0];
  uint8_t* const at = bytes.data();
  const Template* const only = frames.Only(0);
  frames.Write(cursor, {.first = 0, .count = 1, .sequence = 500, .now_ns = 9, .version = 0}, &only,
               &at);
  EXPECT_EQ(wire::Signature::Read(at + 44).sequence, 500U);
  EXPECT_EQ(wire::Signature::Read(at + 44).timestamp_ns, 9U);
  EXPECT_EQ(wire::Signature::Read(at + 44).id, 7);
}

}  // namespace
}  // namespace tester
