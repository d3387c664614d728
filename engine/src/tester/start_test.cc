// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A start that is refused has changed nothing, wherever in it memory ends.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESTER_OPERATOR_NEW_IS_TAKEN  // clang's ThreadSanitizer does not allow to replace it
#endif
#endif

#ifndef TESTER_OPERATOR_NEW_IS_TAKEN
#include <cstdlib>
#include <new>

#include "tester/tester_testing.h"

namespace {

// How many more allocations of this thread succeed; below 0: all.
thread_local int64_t allocations_left = -1;

void* Allocate(std::size_t bytes, std::size_t alignment) {
  if (allocations_left == 0) {
    allocations_left = -1;
    throw std::bad_alloc();
  }
  if (allocations_left > 0) --allocations_left;
  const std::size_t whole =
      (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
// Used by std::stable_sort, which works without memory too. ASan would use its own otherwise.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace tester {
namespace {

TEST_F(LoopTest, AStartThatIsRefusedChangesNothing) {
  tester->Load(JobOf("job", {{.id = 1}, {.id = 2, .tx_port = "b", .rx_port = "a"}}));
  tester->Start({"job"}, 0, 100);
  WaitForEnd(*tester, "job");
  const v1::Snapshot before = tester->TakeSnapshot({"job"});
  const auto is_as_before = [&] {
    const v1::Snapshot now = tester->TakeSnapshot({"job"});
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(now.streams(i).tx_packets(), 100U);
      EXPECT_EQ(now.streams(i).rx_packets(), 100U);
      EXPECT_FALSE(now.streams(i).sending());
      EXPECT_EQ(now.ports(i).tx_packets(), before.ports(i).tx_packets());
    }
    EXPECT_EQ(now.jobs(0).starts(), 1U);
    EXPECT_EQ(now.jobs(0).started_at_ns(), before.jobs(0).started_at_ns());
  };
  int refused = 0;
  for (int64_t left = 0;; ++left) {
    allocations_left = left;
    try {
      tester->Start({"job"}, 0, 50);
      allocations_left = -1;
      break;
    } catch (const std::bad_alloc&) {
      ++refused;
      is_as_before();
      ASSERT_FALSE(HasFailure()) << "after " << left << " allocations";
    }
  }
  EXPECT_GT(refused, 20);
  WaitForEnd(*tester, "job");
  EXPECT_EQ(tester->TakeSnapshot({"job"}).streams(0).rx_packets(), 50U);
}

}  // namespace
}  // namespace tester

#endif
