// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "worker/sender.h"

#include <algorithm>
#include <utility>

#include "generator/frames/frames.h"

namespace tester {
namespace {

// The rest of a longer frame is prefetched by the CPU.
constexpr size_t kFrameStart = 128;

void AddFrames(const Frames& frames, HotLines& hot) {
  hot.Add(&frames, sizeof frames);
  if (frames.feed() != nullptr) return;
  if (const Template* only = frames.Only(0)) {
    hot.Add(only, sizeof *only);
    const Frame frame = only->image.frame();
    hot.Add(frame.data(), std::min(frame.size(), kFrameStart));
  }
}

}  // namespace

SendEntry::SendEntry(uint16_t stream_id, std::shared_ptr<const Schedule> stream_schedule,
                     std::shared_ptr<Sender> stream_sender, std::shared_ptr<StreamTx> stream_tx)
    : schedule(std::move(stream_schedule)),
      sender(std::move(stream_sender)),
      tx(std::move(stream_tx)),
      id(stream_id) {
  const ScheduleSegment& segment = schedule->last_segment();
  hot.Add(sender.get(), sizeof *sender);
  hot.Add(schedule.get(), sizeof *schedule);
  hot.Add(&segment, sizeof segment);
  // Flips are rare, but each burst checks for a request.
  hot.Add(tx.get(), sizeof *tx - sizeof tx->flips + 1);
  hot.Add(segment.departures.get(), sizeof *segment.departures);
  AddFrames(*segment.frames, hot);
}

}  // namespace tester
