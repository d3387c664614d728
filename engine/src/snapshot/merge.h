// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters to messages.
#pragma once

#include <vector>

#include "receiver/field_watch.h"
#include "stats/counters.h"
#include "stats/job_start.h"
#include "tester/v1/counters.pb.h"

namespace tester {

using Buckets = google::protobuf::RepeatedPtrField<v1::Bucket>;

// Adds the buckets that are not empty, of the values from min to max, of histograms taken together.
// Returns the number of values in them.
uint64_t FillBuckets(const std::vector<const Histogram*>& histograms, uint64_t min, uint64_t max,
                     Buckets& out);

struct StreamParts {
  bool versions;  // the stream has a version
  bool buckets = true;
  bool sent_here = true;   // not by another tester
  bool signatures = true;  // its frames have signatures
};
// The counters of one start of a stream, by worker.
using StreamShards = std::vector<const StreamRx*>;

// Merges the shards. Sums, extremes and histograms are exact, and so is the number of duplicates,
// since a copy of a frame arrives on the queue of the frame. Order, outages and variation are known
// where one worker has received all frames; otherwise they are absent, never a guess.
//
// Received frames of all streams and ports are read before sent ones: every received frame is among
// the sent ones.
void FillStreamReceived(const StreamShards& shards, StreamParts parts, v1::StreamCounters& out);
// After FillStreamReceived.
void FillStreamSent(const StreamTx& tx, StreamParts parts, v1::StreamCounters& out);

// Counts of the header fields that a stream expects.
void FillFields(const FieldWatch& fields, v1::StreamCounters& out);

// Adds `count` flows from `first` on. `sent` counts the frames sent by their stream.
void FillFlows(const Flows& flows, uint32_t first, uint32_t count, const Counter& sent,
               v1::FlowCounters& out);

// All but the name of the port. `gaps`: of its queues.
void FillGaps(const std::vector<const PollGaps*>& gaps, v1::PollGaps& out);

// The engine's own counters, without those of driver and kernel.
void FillPortReceived(const PortCounters& port, v1::PortCounters& out);
// After FillPortReceived.
void FillPortSent(const PortCounters& port, v1::PortCounters& out);

// The worker's own counters, without those of the kernel.
void FillWorker(const WorkerCounters& worker, v1::WorkerCounters& out);

}  // namespace tester
