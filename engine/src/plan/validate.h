// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Validates requests: a message becomes a plan, or an Error says why not. Messages of proto/ are
// untrusted until they have passed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "plan/job.h"
#include "policy/policy.h"
#include "tester/v1/control.pb.h"
#include "tester/v1/plan.pb.h"

namespace tester {

inline constexpr uint32_t kMaxStreams = 4096;
inline constexpr uint32_t kMaxInjectFrames = 1024;
inline constexpr size_t kMaxJobNameBytes = 128;
inline constexpr uint16_t kMaxVlan = 4094;

struct PortLimits {
  std::string name;
  uint32_t max_frame_bytes;  // FCS included
  size_t worker = 0;         // that serves its first queue
  size_t queues = 1;
  std::shared_ptr<const Policy> policy{};  // null: anything may be sent
  std::string interface {};                // of the kernel; empty: none
};

// The state against which a job is checked.
struct Inventory {
  std::vector<PortLimits> ports;
  std::span<const Job* const> loaded;
};

// By itself: files that it names are read through. INVALID_ARGUMENT, NOT_FOUND (port).
Job ValidateJob(const v1::Job& job, std::span<const PortLimits> ports);

// Checks the job beside the loaded ones. ALREADY_EXISTS, RESOURCE_EXHAUSTED.
void CheckBeside(const Job& job, const Inventory& inventory);

// INVALID_ARGUMENT, NOT_FOUND (port). `job` is for the message.
StreamPlan ValidateStream(const v1::Stream& stream, std::string_view job,
                          std::span<const PortLimits> ports);

// The index of a port. NOT_FOUND.
uint16_t FindPort(const std::string& name, std::span<const PortLimits> ports,
                  std::string_view where);

// INVALID_ARGUMENT (length), RESOURCE_EXHAUSTED (count).
void ValidateInject(const v1::InjectRequest& request, const PortLimits& port);

// INVALID_ARGUMENT.
Question ValidateResolve(const v1::ResolveRequest& request);

}  // namespace tester
