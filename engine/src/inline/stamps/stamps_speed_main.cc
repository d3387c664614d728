// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A benchmark of matching packets in front of a device and behind it, without ports.
//
//     stamps_speed FLOWS PACKETS MODE
//
// MODE is stamp or match. Prints the packets that one CPU handles in a second; each packet leaves
// to the device and comes back from it. Flows come in an order without pattern, and 1,024 packets
// are under way.
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/random_numbers.h"
#include "inline/stamps/stamping.h"
#include "wire/bytes.h"

namespace tester {
namespace {

constexpr size_t kBurstsUnderWay = 16;
constexpr size_t kHeadroom = 128;
constexpr size_t kFrameBytes = 60;
constexpr size_t kSourceOffset = 26;  // of IPv4, which begins at 14
constexpr size_t kIdentificationOffset = 18;

// Ethernet, IPv4, UDP and 18 bytes; checksums do not matter here.
constexpr std::array<uint8_t, kFrameBytes> kFrame = {
    2, 0,  0,  0, 0, 1,  2, 0, 0, 0,  0, 2, 8, 0,    0x45, 0,    0,    46, 0,  0, 0,
    0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x14, 0x51, 0x14, 0x51, 0,  26, 0, 0};

using Buffer = std::array<uint8_t, kHeadroom + kFrameBytes>;

struct Burst {
  std::array<Buffer, kBurst> buffers;
  std::array<RoomyFrame, kBurst> frames;

  void Fill(uint64_t first, uint32_t flows) {
    for (size_t i = 0; i < kBurst; ++i) {
      uint8_t* const data = buffers[i].data() + kHeadroom;
      std::memcpy(data, kFrame.data(), kFrameBytes);
      const auto flow = static_cast<uint32_t>(RandomNumber(1, first + i) % flows);
      wire::Store(data + kSourceOffset, 0x0a000000 + flow);
      wire::Store16(data + kIdentificationOffset, static_cast<uint16_t>(first + i));
      frames[i] = {.data = data, .bytes = kFrameBytes, .headroom = kHeadroom};
    }
  }
};

// The time of this thread on a CPU: it never waits, and others may be on its CPU.
uint64_t Now() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

double Speed(uint32_t flows, uint64_t packets, bool by_match) {
  const StampPlan plan{
      .name = "load", .before = {}, .behind = {}, .by_match = by_match, .flows = flows};
  Stamping stamping(plan, 0, Now());
  std::vector<Burst> under_way(kBurstsUnderWay);
  const uint64_t bursts = packets / kBurst;
  uint64_t begin_ns = 0;
  // A warm-up of the same size: all flows are known and their memory is touched.
  for (uint64_t burst = 0; burst < 2 * bursts; ++burst) {
    if (burst == bursts) begin_ns = Now();
    Burst& place = under_way[burst % kBurstsUnderWay];
    if (burst >= kBurstsUnderWay) stamping.Arrive(place.frames, Now());
    place.Fill(burst * kBurst, flows);
    stamping.Depart(place.frames, 1514, Now());
  }
  const double seconds = static_cast<double>(Now() - begin_ns) / 1e9;
  const StampCounters& counters = stamping.counters();
  const uint64_t back = counters.received.Get() + kBurstsUnderWay * kBurst;
  if (back + counters.overflowed.Get() != 2 * bursts * kBurst || counters.ambiguous.Get() != 0) {
    std::fprintf(stderr, "only %lu packets were known again\n", counters.received.Get());
    std::exit(1);
  }
  return static_cast<double>(bursts * kBurst) / seconds;
}

}  // namespace
}  // namespace tester

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "stamps_speed FLOWS PACKETS stamp|match\n");
    return 2;
  }
  const auto flows = static_cast<uint32_t>(std::strtoul(words[1], nullptr, 10));
  const uint64_t packets = std::strtoull(words[2], nullptr, 10);
  std::printf("%.0f\n", tester::Speed(flows, packets, std::string_view(words[3]) == "match"));
  return 0;
}
