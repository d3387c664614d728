// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/gap_watch.h"

#include <algorithm>
#include <utility>

namespace tester {

void GapWatch::Add(Watched watched) {
  watched_.push_back(std::move(watched));
  active_ = watched_.size();
  notable_ns_ = 0;
}

void GapWatch::Record(uint64_t now_ns, uint64_t gap_ns) {
  // Watches that ended stay, so that no memory is freed here.
  const auto end =
      std::partition(watched_.begin(), watched_.begin() + static_cast<std::ptrdiff_t>(active_),
                     [&](const Watched& watched) {
                       return watched.job == nullptr ||
                              watched.job->StreamsActiveAt(now_ns - std::min(now_ns, gap_ns));
                     });
  active_ = static_cast<size_t>(end - watched_.begin());
  notable_ns_ = active_ == 0 ? UINT64_MAX : PollGaps::kLateNs;
  std::for_each(watched_.begin(), end, [&](const Watched& watched) {
    if (now_ns > watched.since_ns) {
      watched.gaps->Add(std::min(gap_ns, now_ns - watched.since_ns));
    }
    notable_ns_ = std::min(notable_ns_, watched.gaps->worst_ns.Get());
  });
}

}  // namespace tester
