// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Captures and queries beside the measured path: the part of the worker.
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/tap.h"
#include "query/query_lane.h"
#include "worker/buffers.h"
#include "worker/clock.h"

namespace tester {

struct QueueProgram;
class Classifier;

// The point where a query counts the frames of one direction of one port.
struct QueryTap {
  std::shared_ptr<QueryLane> lane;
  std::shared_ptr<const StreamSet> streams;  // null: of every stream, or of none
};

// The captures and queries of one direction of a port.
struct Taps {
  std::vector<Tap> captures{};
  std::vector<QueryTap> queries{};

  bool empty() const { return captures.empty() && queries.empty(); }
  // Whether all captures and queries have ended.
  bool over() const;
  // Whether a capture or query needs the stream of a frame.
  bool ask_for_streams() const;
};

// The taps of one port. Immutable once in use.
struct PortTaps {
  const Clock* clock;
  uint16_t port;  // its index in the tester
  Taps transmitted{};
  Taps received{};

  bool empty() const { return transmitted.empty() && received.empty(); }
};

// A burst that taps see before the port has taken it.
class TapBurst {
 public:
  TapBurst(const Taps& taps, uint16_t port, uint64_t now_ns)
      : taps_(taps), port_(port), now_ns_(now_ns) {
    for (const Tap& tap : taps_.captures) tap.lane->Begin();
    for (const QueryTap& tap : taps_.queries) tap.lane->Begin(now_ns);
  }

  // Adds one of at most kBurst frames. Without `stream` it belongs to no stream.
  void See(const rte_mbuf* mbuf, uint16_t stream = 0,
           uint64_t sequence = CapturedFacts::kNoSequence) const {
    See({.frame = Whole(mbuf), .time_ns = now_ns_, .stream = stream, .sequence = sequence});
  }
  void See(const Sighting& sighting) const {
    for (const Tap& tap : taps_.captures) tap.See(sighting);
    if (taps_.queries.empty()) return;
    const QueriedFrame queried(sighting.frame, port_);
    for (const QueryTap& tap : taps_.queries) {
      tap.lane->See(queried, !tap.streams || tap.streams->test(sighting.stream));
    }
  }
  // Frames that have all gone through the port, for queries that do not ask for streams.
  void SeeAll(rte_mbuf* const* mbufs, uint16_t count) const {
    for (const QueryTap& tap : taps_.queries) {
      tap.lane->SeeAll(count, [&](uint16_t i) { return QueriedFrame(Whole(mbufs[i]), port_); });
      tap.lane->Publish(count);
    }
  }
  // The first `count` frames have gone through the port.
  void Publish(uint16_t count) const {
    for (const Tap& tap : taps_.captures) tap.lane->Publish(port_, count);
    for (const QueryTap& tap : taps_.queries) tap.lane->Publish(count);
  }

 private:
  const Taps& taps_;
  const uint16_t port_;
  uint64_t now_ns_;
};

// Frames that have arrived, known as the classifier and the port's matcher know them.
void TapReceived(const QueueProgram& program, const Classifier& classifier, rte_mbuf* const* mbufs,
                 uint16_t count, uint64_t now_ns);

}  // namespace tester
