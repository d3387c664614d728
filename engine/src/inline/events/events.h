// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The events of a path from a start to its stop: the packets that they see and select, and what
// they do to these. Used by one worker; any thread may read counters. It allocates when it is made,
// and never later.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/burst.h"
#include "base/counter.h"
#include "inline/events/blackholes.h"
#include "inline/events/link_cut.h"
#include "inline/events/numbered_flows.h"
#include "inline/events/resets.h"
#include "inline/path_plan.h"
#include "inline/segment.h"
#include "wire/bytes.h"

namespace tester {

// The result of the events for one frame.
struct Treatment {
  // Held back until later packets have passed.
  struct HoldBack {
    uint32_t event = 0;
    uint32_t frames = 0;  // that pass before it; 0: it is not held back
    uint64_t limit_ns = 0;
  };

  bool selected = false;  // by an event; otherwise it passes unchanged
  bool dropped = false;   // and nothing more
  bool changed = false;   // some of its bytes
  bool answered = false;  // by frames that leave where it came from
  uint16_t copies = 0;    // that leave behind it
  size_t bytes = 0;       // of it that leave
  uint64_t delay_ns = 0;
  bool overtaken = false;  // while it is delayed
  HoldBack hold_back{};
};

class Events {
 public:
  struct Counts {
    Counter fired;
    Counter missed;
    Counter first_ns;
    Counter last_ns;
    Counter expired;
    Counter held_back;  // at present
  };

  explicit Events(const PathPlan& plan);

  bool empty() const { return plan_.events.empty(); }

  // Begins a burst of one direction, at most kBurst frames in the order in which they arrived. It
  // parses all of them and prefetches memory. Then See and Treat go through them in the same order.
  void Begin(std::span<const MutableFrame> frames, size_t direction, uint64_t now_ns);
  // Sees frames of the burst that pass unchanged, up to the first one that may not. Returns its
  // index, or `end` where all pass.
  size_t See(size_t begin, size_t end);
  // The treatment of the frame at which `See` ended; valid until the next call.
  const Treatment& Treat(size_t index);
  // Frames of the burst, so far, that no event has seen.
  uint32_t unseen() const { return unseen_; }

  // Indexes of the events that changed the last treated frame.
  std::span<const uint32_t> happened() const { return happened_; }

  // Frames that go back to the sender of the last treated frame.
  std::span<const Resets::Answer> answers() const { return resets_.answers(); }

  // A packet is held back: frames that its event sees are noted from now on, until `Release`.
  void HoldBack(uint32_t event, size_t direction) {
    ++SeriesOfEvent(event).held_back[direction];
    counts_[event].held_back.Add(1);
  }
  void Release(uint32_t event, size_t direction) {
    --SeriesOfEvent(event).held_back[direction];
    Counter& waiting = counts_[event].held_back;
    waiting.Set(waiting.Get() - 1);
  }
  // The time limit of a packet that an event has held back is over.
  void Expire(uint32_t event) { counts_[event].expired.Add(1); }
  // Whether an event, which holds back a packet, has seen the frame that was seen last.
  bool Saw(uint32_t event) const;

  // Cuts by events that take links down.
  const std::map<uint32_t, LinkCut>& link_cuts() const { return link_cuts_; }
  std::map<uint32_t, LinkCut>& link_cuts() { return link_cuts_; }
  // Whether nothing reaches the other end.
  bool IsCut() const {
    return std::ranges::any_of(link_cuts_, [](const auto& cut) { return cut.second.in_force(); });
  }

  const Counts& counts(size_t event) const { return counts_[event]; }
  uint64_t matched(size_t event) const { return series_[series_of_[event]]->packets.Get(); }
  uint64_t flows() const { return flow_count_.Get(); }
  uint64_t untracked() const { return untracked_.Get(); }

 private:
  // A numbered segment whose later transmissions are awaited.
  struct Awaited {
    uint32_t event;
    uint32_t flow;
    uint32_t begin;          // its first sequence number
    uint32_t transmissions;  // so far
    size_t direction;
  };
  // Packets that are numbered together, for all events that see the same ones. A packet that
  // selects nothing needs one cache line.
  struct alignas(64) Series {
    explicit Series(const EventPlan& event)
        : flow(event.flow), heading(event.heading), data_only(event.data_only) {}

    bool Sees(const Segment& segment, size_t direction) const {
      return Heads(heading, direction) && (!data_only || segment.has_payload());
    }

    const uint32_t flow;
    const Heading heading;
    const bool data_only;
    std::array<uint32_t, kPathDirections> held_back{};  // packets, by direction
    Counter packets;
    uint64_t numbered = 0;
    uint64_t next_number = UINT64_MAX;  // of the packet of `next`
    std::vector<uint32_t> recurring;    // events
    std::vector<uint32_t> by_number;    // events, by ascending number
    size_t next = 0;                    // of these, the first one whose packet has not come
    std::vector<Awaited> awaited;       // has room for all of by_number
  };
  // The sequence number of the first data of a flow, by direction.
  using Begins = std::array<uint32_t, kPathDirections>;
  struct Watch {
    const Matches* matches;
    std::unique_ptr<NumberedFlows> flows;   // null where nobody asks for flows
    std::vector<Begins> begins{};           // by flow; none where nobody asks for them
    bool numbers_all = false;               // packets of all flows, together
    std::vector<Series*> everywhere{};      // of all frames
    std::vector<Series*> of_flows{};        // by ascending flow
    std::vector<uint32_t> first_of_flow{};  // where in of_flows the series of a flow begin, by flow
    // The flow of the last seen frame; null if unknown.
    NumberedFlow* flow = nullptr;
  };
  struct Packet {
    Packet() = default;
    explicit Packet(MutableFrame whole)
        : frame(whole),
          segment(Segment::Of(whole)),
          key(segment.has_flow() ? segment.Key(whole) : FlowKey{}),
          hash(key.Hash()) {}

    MutableFrame frame{};
    Segment segment{};
    FlowKey key{};  // of a packet that has a flow
    uint64_t hash = 0;
  };
  struct Arrived {
    const Segment* segment;
    size_t direction;
    uint32_t flow;  // 0: none that is known
    SequenceProgress progress;
  };

  Series& SeriesOf(const EventPlan& event);
  Series& SeriesOfEvent(size_t event) { return *series_[series_of_[event]]; }
  // Whether a series sees a packet, which it then counts and may select.
  bool SeenBy(Series& series, const Arrived& arrived) {
    if (!series.Sees(*arrived.segment, arrived.direction)) return false;
    const uint64_t packet = series.packets.Get();
    series.packets.Set(packet + 1);
    if (series.held_back[arrived.direction] != 0) [[unlikely]]
      watching_.push_back(&series);
    if (arrived.progress.again) [[unlikely]]
      SelectAgain(series, arrived);
    if (arrived.progress.first && ++series.numbered == series.next_number) [[unlikely]]
      SelectByNumber(series, arrived);
    if (!series.recurring.empty()) [[unlikely]]
      SelectRecurring(series, packet, arrived);
    return true;
  }
  // By value, so that the data of every packet stays in registers.
  void SelectAgain(Series& series, Arrived arrived);
  void SelectByNumber(Series& series, Arrived arrived);
  void SelectRecurring(const Series& series, uint64_t packet, Arrived arrived);
  bool Selects(uint32_t event, uint64_t packet, const Arrived& arrived);
  // Whether a packet has the sequence number that an event is about, in that transmission.
  bool Carries(uint32_t event, const ByCarried& carried, const Arrived& arrived);
  void FindNextNumber(Series& series) const;
  // The first data of a flow in the present direction, if this is its first packet there.
  void NoteBegin(Watch& watch, const Segment& segment) const;
  // Whether an event of the watch sees a packet.
  bool SeenBy(Watch& watch, const Packet& packet);
  // The present frame, unchanged by events.
  struct Present {
    MutableFrame frame;
    const Segment& segment;
    size_t direction;
    uint64_t now_ns;
  };
  // Selects a frame for the events with a blackhole that it is in.
  void SelectInBlackholes(const Present& present);
  // False where it cannot happen to this frame.
  bool Happen(uint32_t event, const Present& present, Treatment& treatment);
  bool Swallow(uint32_t event, const BlackholePath& blackhole, const Present& present,
               Treatment& treatment);
  bool Cut(uint32_t event, const Present& present, Treatment& treatment);
  bool Reset(uint32_t event, const Present& present, Treatment& treatment);

  const PathPlan plan_;
  // The present burst.
  std::array<Packet, kBurst> packets_;
  size_t direction_ = 0;
  uint64_t now_ns_ = 0;
  uint32_t unseen_ = 0;   // frames of it
  bool is_seen_ = false;  // the frame at which `See` has ended
  Treatment treatment_;
  std::vector<Watch> watches_;
  std::vector<const NumberedFlows*> tables_;  // of the watches
  std::vector<std::unique_ptr<Series>> series_;
  std::vector<size_t> series_of_;  // by event
  std::vector<Counts> counts_;     // the same
  // Of events on a sequence number: transmissions by direction.
  std::vector<std::array<uint32_t, kPathDirections>> transmissions_;
  std::vector<uint32_t> selected_;       // events that have selected the present frame
  std::vector<uint32_t> happened_;       // of these, to the present frame
  std::vector<const Series*> watching_;  // that see the present frame and hold back another one
  Blackholes blackholes_;
  std::map<uint32_t, LinkCut> link_cuts_;  // by event
  Resets resets_;
  Counter flow_count_;
  Counter untracked_;
};

}  // namespace tester
