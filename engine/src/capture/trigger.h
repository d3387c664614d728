// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The trigger of a capture: the capture keeps the frames around the first frame that fires it.
// Checked for captured frames only, beside the measured path.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "capture/filter.h"
#include "receiver/classifier.h"

namespace tester {

// A frame that goes through a port.
struct Sighting {
  Frame frame;  // whole, without FCS
  uint64_t time_ns;
  uint16_t stream = 0;  // 0: none
  uint64_t sequence = UINT64_MAX;
  // Set for a frame with the signature of a stream; otherwise null.
  const Expected* expected = nullptr;
  const uint8_t* signature = nullptr;
};

struct TriggerPlan {
  enum class Kind : uint8_t {
    kGap,      // the number of a frame says that frames before it have not arrived
    kLatency,  // longer than this
    kDamage,   // another content, length or headers, or a piece
    kFilter,
  };

  Kind kind;
  uint64_t latency_ns = 0;
  std::shared_ptr<const Filter> filter = nullptr;
  uint32_t before = 0;  // frames that are kept
  uint32_t after = 0;
};

// One worker's part in the trigger of a capture.
class TriggerWatch {
 public:
  // `fired_ns`, of all workers, is when the capture was triggered; 0: it was not.
  TriggerWatch(TriggerPlan plan, std::shared_ptr<std::atomic<uint64_t>> fired_ns);

  const TriggerPlan& plan() const { return plan_; }
  bool fired() const { return fired_ns_->load(std::memory_order_relaxed) != 0; }
  // Whether it fires with this frame, which arrives on a port; only once for all workers.
  bool Fires(const Sighting& sighting, uint16_t port);

 private:
  struct RunProgress {
    uint64_t start_ns = 0;  // of the stream's run that `next` is of
    uint64_t next = 0;
  };

  bool Holds(const Sighting& sighting, uint16_t port);
  bool FollowsAGap(const Sighting& sighting);

  const TriggerPlan plan_;
  const std::shared_ptr<std::atomic<uint64_t>> fired_ns_;
  std::vector<RunProgress> progress_;  // by stream id; only of a gap
};

}  // namespace tester
