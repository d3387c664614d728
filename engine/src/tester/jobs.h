// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The jobs of the tester: loaded ones, and what is remembered of unloaded ones.
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

  // Each job once. Throws Error for a job that is not loaded, with the client that unloaded it.
  std::vector<LoadedJob*> Find(const Names& names) const;
  std::vector<LoadedJob*> All() const;
  LoadedStream& FindStream(const std::string& job, uint32_t stream_id,
                           std::string_view where) const;

  // Throws Error for a job that conflicts with loaded ones.
  LoadedJob& Load(const Job& plan, const Ports& ports);
  // Removes a job without a trace of it.
  void Withdraw(const std::string& name) { loaded_.erase(name); }
  // Returns them, to be freed when no worker uses them any more.
  LoadedJobs Unload(const std::vector<LoadedJob*>& jobs, const std::string& by);

  const LoadedJobs& loaded() const { return loaded_; }
  const std::shared_ptr<const Retired>& retired() const { return retired_; }

 private:
  LoadedJobs loaded_;
  std::shared_ptr<const Retired> retired_;  // streams of jobs that were unloaded
  // The last unloaded jobs, and the clients that unloaded them.
  std::deque<std::pair<std::string, std::string>> unloaded_;
};

}  // namespace tester
