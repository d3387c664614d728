// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Requests from clients, as bytes: the first byte says which message the others are.
#include <cstddef>
#include <cstdint>

#include "generator/frames.h"
#include "generator/schedule.h"
#include "plan/validate.h"

namespace tester {
namespace {

const std::vector<PortLimits>& Ports() {
  static const std::vector<PortLimits> ports = {{.name = "a", .max_frame_bytes = 1518},
                                                {.name = "b", .max_frame_bytes = 200}};
  return ports;
}

// What was found valid is used as the tester uses it.
void Use(const Job& job) {
  for (const auto& stream : job.streams) {
    const Frames frames(stream);
    const Schedule schedule(stream.rate, 1000, 5'000'000, stream.frames[0].size());
    const uint64_t due = schedule.Due(UINT64_MAX - 1);
    if (due == 0 || schedule.DueNs(due) != UINT64_MAX) __builtin_trap();
  }
}

template <typename Message>
Message Parse(const uint8_t* data, size_t size) {
  Message message;
  message.ParseFromArray(data, static_cast<int>(size));  // what was read until an error, too
  return message;
}

void Validate(uint8_t kind, const uint8_t* data, size_t size) {
  switch (kind % 3) {
    case 0:
      Use(ValidateJob(Parse<v1::Job>(data, size), {.ports = Ports(), .loaded = {}}));
      break;
    case 1:
      ValidateInject(Parse<v1::InjectRequest>(data, size), Ports()[1]);
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
