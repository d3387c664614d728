// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Counters to messages.
#pragma once

#include "receiver/field_watch.h"
#include "stats/counters.h"
#include "stats/job_start.h"
#include "tester/v1/counters.pb.h"

namespace tester {

using Buckets = google::protobuf::RepeatedPtrField<v1::Bucket>;

// Those that are not empty, of the values from min to max. Returns how many values they hold.
uint64_t FillBuckets(const Histogram& histogram, uint64_t min, uint64_t max, Buckets& out);

struct StreamParts {
  bool versions;  // the stream has some to tell of
  bool buckets = true;
};
// What was received, of all streams and ports, is read before what was sent: no frame that was
// received is missing there.
void FillStreamReceived(const StreamRx& rx, StreamParts parts, v1::StreamCounters& out);
// After FillStreamReceived.
void FillStreamSent(const StreamTx& tx, StreamParts parts, v1::StreamCounters& out);

// What became of the header fields that a stream expects.
void FillFields(const FieldWatch& fields, v1::StreamCounters& out);

// Fills in `count` flows from `first` on, of a stream whose frames sent are counted in `sent`.
void FillFlows(const Flows& flows, uint32_t first, uint32_t count, const Counter& sent,
               v1::FlowCounters& out);

// All but the name of the port.
void FillGaps(const PollGaps& gaps, v1::PollGaps& out);

// The counters of the engine's own making; what driver and kernel count is not in here.
void FillPortReceived(const PortCounters& port, v1::PortCounters& out);
// After FillPortReceived.
void FillPortSent(const PortCounters& port, v1::PortCounters& out);

// The counters of a worker's own; what the kernel counts of its thread is not in here.
void FillWorker(const WorkerCounters& worker, v1::WorkerCounters& out);

}  // namespace tester
