// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The jobs of the tester: those that are loaded, and what is still known of those that were.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/validate.h"
#include "receiver/retired.h"
#include "tester/loaded.h"

namespace tester {

class Jobs {
 public:
  using Names = std::vector<std::string>;

  // Each of them once. Throws Error where one is not loaded, with who has unloaded it.
  std::vector<LoadedJob*> Find(const Names& names) const;
  std::vector<LoadedJob*> All() const;
  LoadedStream& FindStream(const std::string& job, uint32_t stream_id,
                           std::string_view where) const;

  // Throws Error where it can not be beside the others.
  LoadedJob& Load(const Job& plan, const std::vector<PortLimits>& ports);
  // As if it had never been loaded.
  void Withdraw(const std::string& name) { loaded_.erase(name); }
  // They are to be freed when no worker knows them any more.
  LoadedJobs Unload(const std::vector<LoadedJob*>& jobs, const std::string& by);

  const LoadedJobs& loaded() const { return loaded_; }
  const std::shared_ptr<const Retired>& retired() const { return retired_; }

 private:
  LoadedJobs loaded_;
  std::shared_ptr<const Retired> retired_;                    // streams of jobs that were unloaded
  std::deque<std::pair<std::string, std::string>> unloaded_;  // the last ones, and by whom
};

}  // namespace tester
