// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Work that may never end, such as reading a file of a network share that is gone.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

namespace tester {

// Runs `work` in a thread of its own and returns its result, or throws its exception. `give_up` is
// called meanwhile. When it throws, the wait ends; the thread goes on by itself and has copies of
// all it needs.
template <typename Work>
std::invoke_result_t<Work> RunApart(Work work, const std::function<void()>& give_up) {
  constexpr auto kLook = std::chrono::milliseconds(20);
  std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  while (result.wait_for(kLook) != std::future_status::ready) give_up();
  return result.get();
}

}  // namespace tester
