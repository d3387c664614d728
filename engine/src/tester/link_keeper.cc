// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/link_keeper.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/saturate.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr auto kLinkLook = std::chrono::milliseconds(1);
// NICs negotiate for seconds.
constexpr uint64_t kLinkPatienceNs = 10'000'000'000;

}  // namespace

LinkKeeper::LinkKeeper(const PathPlan& plan, std::shared_ptr<RunningPath> path, const Ports& ports,
                       const Clock& clock)
    : path_(std::move(path)),
      clock_(clock),
      links_{Link{.port = ports[plan.first_port]}, Link{.port = ports[plan.second_port]}} {
  for (auto& [event, cut] : path_->events.link_cuts()) {
    tasks_.push_back({.cut = cut, .wanted = std::get<TakeLinkDown>(plan.events[event].action)});
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void LinkKeeper::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const uint64_t now_ns = clock_.Now();
    for (Task& task : tasks_) {
      if (task.end_ns != 0 || !task.cut.in_force()) continue;
      // They go down also where this thread comes too late.
      task.end_ns =
          std::max(AddSaturating(task.cut.asked_ns(), task.wanted.duration_ns), now_ns + 1);
    }
    SetLinks(now_ns);
    for (Task& task : tasks_) {
      if (task.end_ns != 0) Note(task, now_ns);
    }
    std::this_thread::sleep_for(kLinkLook);
  }
  for (Link& link : links_) {
    if (link.down) Set(link, false);
  }
}

void LinkKeeper::SetLinks(uint64_t now_ns) {
  for (size_t i = 0; i < links_.size(); ++i) {
    const bool down = std::ranges::any_of(
        tasks_, [&](const Task& task) { return task.wanted.ports[i] && task.end_ns > now_ns; });
    if (down != links_[i].down) Set(links_[i], down);
  }
}

void LinkKeeper::Set(Link& link, bool down) {
  link.down = down;
  const bool done = link.port.SetLink(!down);
  const std::string state = down ? "down" : "up";
  const std::string why = done ? "" : std::strerror(errno);
  Log(done ? LogLevel::kInfo : LogLevel::kError, "link",
      {{"port", link.port.facts().name}, {"set", state}, {"reason", why}});
  if (done) return;
  const size_t index = static_cast<size_t>(&link - links_.data());
  for (Task& task : tasks_) {
    if (!task.wanted.ports[index] || task.end_ns == 0 || task.cut.fault.Get() != nullptr) continue;
    task.cut.fault.Set(Cat("the interface ", link.port.facts().interface, " of port ",
                           link.port.facts().name, " could not be set ", state, ": ", why));
  }
}

bool LinkKeeper::AreUp(const TakeLinkDown& wanted) const {
  for (size_t i = 0; i < links_.size(); ++i) {
    // A link that another event keeps down is left to that event.
    if (wanted.ports[i] && !links_[i].down && !links_[i].port.LinkUp()) return false;
  }
  return true;
}

void LinkKeeper::Note(Task& task, uint64_t now_ns) {
  LinkCut& cut = task.cut;
  if (!task.began) {
    task.began = true;
    cut.last_up_ns.Set(0);
    cut.times.Add(1);
    if (cut.first_down_ns.Get() == 0) cut.first_down_ns.Set(clock_.Now());
  }
  if (task.end_ns > now_ns) return;
  if (AreUp(task.wanted)) {
    cut.last_up_ns.Set(clock_.Now());
  } else if (now_ns < AddSaturating(task.end_ns, kLinkPatienceNs)) {
    return;
  } else if (cut.fault.Get() == nullptr) {
    cut.fault.Set(Cat("links were not up again ", kLinkPatienceNs / 1'000'000'000,
                      " s after they had been down"));
  }
  task.end_ns = 0;
  task.began = false;
  cut.End();
}

}  // namespace tester
