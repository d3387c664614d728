// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A query and frames for it: its length in two bytes and a message of query.proto, then frames,
// each behind its length in two bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/validate_query.h"
#include "query/query.h"
#include "wire/bytes.h"

namespace tester {
namespace {

constexpr uint32_t kMostKeys = 64;  // more would only take time

std::span<const uint8_t> TakeBlock(std::span<const uint8_t>& data) {
  if (data.size() < 2) return {};
  const size_t bytes = std::min<size_t>(wire::Load16(data.data()), data.size() - 2);
  const auto block = data.subspan(2, bytes);
  data = data.subspan(2 + bytes);
  return block;
}

// Every frame that matched is in one row, or was missed.
void Check(const Query& query) {
  uint64_t frames = 0;
  uint64_t rows = 0;
  std::string last;
  query.Read(std::nullopt, [&](const Query::Row& row) {
    if (row.frames == 0 || row.keys.size() != query.plan().key_bytes) __builtin_trap();
    if (rows != 0 && row.keys <= last) __builtin_trap();
    if (query.Find(row.keys)->frames != row.frames) __builtin_trap();
    last = row.keys;
    frames += row.frames;
    ++rows;
    return true;
  });
  const Query::Counted counted = query.counted();
  if (frames + counted.missed != counted.matched || rows != query.keys()) __builtin_trap();
}

void Ask(std::span<const uint8_t> data) {
  static const std::vector<PortLimits> ports = {{.name = "a", .max_frame_bytes = 1518},
                                                {.name = "b", .max_frame_bytes = 200}};
  const auto message = TakeBlock(data);
  v1::Query request;
  request.ParseFromArray(message.data(), static_cast<int>(message.size()));
  QueryPlan plan = ValidateQuery(request, ports);
  plan.capacity = std::min(plan.capacity, kMostKeys);
  const Query query(std::make_shared<const QueryPlan>(plan), {true}, 0);
  for (uint64_t now_ns = 0; !data.empty(); now_ns += 700) {
    const auto block = TakeBlock(data);
    // A copy of exactly this size, so that the sanitizer sees a step beyond it.
    const std::vector<uint8_t> frame(block.begin(), block.end());
    query.lane(0)->Begin(now_ns);
    query.lane(0)->See(QueriedFrame(frame, 0), true);
    query.lane(0)->Publish(1);
    if (block.empty()) break;
  }
  Check(query);
}

}  // namespace
}  // namespace tester

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    tester::Ask({data, size});
  } catch (const tester::Error& error) {
    if (error.what()[0] == '\0') __builtin_trap();
  }
  return 0;
}
