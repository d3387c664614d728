// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Requests from clients, as bytes: the first byte says which message the others are.
#include <cstddef>
#include <cstdint>

#include "generator/frames/frames.h"
#include "generator/pacer.h"
#include "plan/validate.h"
#include "plan/validate_capture.h"

namespace tester {
namespace {

const std::vector<PortLimits>& Ports() {
  static const std::vector<PortLimits> ports = {{.name = "a", .max_frame_bytes = 1518},
                                                {.name = "b", .max_frame_bytes = 200}};
  return ports;
}

// Sends a part of a stream, late and in one go.
void Send(const StreamPlan& stream, uint64_t packets) {
  constexpr uint64_t kStartNs = 1000;
  const Schedule schedule(
      {.begin_ns = kStartNs, .departures = stream.departures, .frames = nullptr, .cursor = nullptr},
      5'000'000, packets);
  Pacer pacer(schedule);
  uint64_t sent = 0;
  for (uint64_t now_ns = kStartNs; pacer.WakeNs(schedule, now_ns) != kNever; now_ns += 1'000'000) {
    const Pacer::PacedBatch batch = pacer.Next(schedule, now_ns, 64);
    if (batch.first != sent) __builtin_trap();
    if (batch.count == 0) continue;
    sent += batch.count;
    if (batch.due_ns > now_ns || pacer.Sent(schedule, batch.count) > now_ns) __builtin_trap();
  }
  if (sent > packets || sent != pacer.intended()) __builtin_trap();
}

// A burst from the begin and one from elsewhere, into buffers of exactly the frames' sizes.
void WriteSome(const StreamPlan& stream) {
  const Frames frames(stream.contents);
  Cursor cursor;
  for (const uint64_t first : {0U, 3U, 200U, 100U}) {
    const FrameRun run{.first = first,
                       .count = 40,
                       .sequence = first,
                       .now_ns = 1,
                       .version = static_cast<uint8_t>(first % 2)};
    std::vector<const Template*> chosen(run.count, frames.Only(run.version));
    if (chosen.front() == nullptr) frames.Choose(cursor, run, chosen.data());
    std::vector<std::vector<uint8_t>> buffers;
    std::vector<uint8_t*> at;
    for (const Template* each : chosen) {
      const Frame frame = each->image.frame();
      buffers.emplace_back(frame.begin(), frame.end());
    }
    for (auto& buffer : buffers) at.push_back(buffer.data());
    frames.Write(cursor, run, chosen.data(), at.data());
  }
}

// Uses a valid job as the tester does.
void Use(const Job& job) {
  for (const auto& stream : job.streams) {
    if (stream.replay) continue;
    WriteSome(stream);
    Send(stream, stream.contents.frames[0].size());
  }
}

template <typename Message>
Message Parse(const uint8_t* data, size_t size) {
  Message message;
  // Checks also the part that was read before an error.
  message.ParseFromArray(data, static_cast<int>(size));
  return message;
}

void Validate(uint8_t kind, const uint8_t* data, size_t size) {
  switch (kind % 4) {
    case 0: {
      const Job job = ValidateJob(Parse<v1::Job>(data, size), Ports());
      CheckBeside(job, {.ports = Ports(), .loaded = {}});
      Use(job);
      break;
    }
    case 1:
      ValidateInject(Parse<v1::InjectRequest>(data, size), Ports()[1]);
      break;
    case 2:
      ValidateCapture(Parse<v1::Capture>(data, size), Ports());
      break;
    default:
      AskNeighbour(ValidateResolve(Parse<v1::ResolveRequest>(data, size)));
  }
}

}  // namespace
}  // namespace tester

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    tester::Validate(data[0], data + 1, size - 1);
  } catch (const tester::Error& error) {
    if (error.what()[0] == '\0') __builtin_trap();
  }
  return 0;
}
