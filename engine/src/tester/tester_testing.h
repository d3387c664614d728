// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Testers on ports that need no network and no privileges, and jobs for them.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "port/device/eal_testing.h"
#include "port/open.h"
#include "tester/tester.h"

namespace tester {

inline constexpr uint64_t kMillisecond = 1'000'000;

// At most two workers.
inline std::unique_ptr<Tester> MakeTester(const std::vector<std::string>& texts, size_t workers = 1,
                                          uint16_t queues = 1) {
  StartEal();
  std::vector<PortSpec> specs;
  for (const auto& text : texts) specs.push_back(ParsePortSpec(text));
  std::vector<unsigned> cpus = TwoTestCpus();
  cpus.resize(workers);
  return std::make_unique<Tester>(OpenPorts(specs, queues),
                                  WorkerPlacement{.cpus = std::move(cpus), .shares_cpu = true});
}

struct StreamOptions {
  uint32_t id = 1;
  std::string tx_port = "a";
  std::string rx_port = "b";
  size_t bytes = 60;
  bool signature = true;
  uint64_t gap_ns = 100'000;
};

inline v1::Job JobOf(const std::string& name, const std::vector<StreamOptions>& streams) {
  v1::Job job;
  job.set_name(name);
  for (const auto& options : streams) {
    auto& stream = *job.add_streams();
    stream.set_id(options.id);
    stream.set_tx_port(options.tx_port);
    stream.set_rx_port(options.rx_port);
    stream.add_frames(std::string(options.bytes, '\0'));
    stream.set_signature(options.signature);
    stream.mutable_departures()->mutable_steady()->mutable_tick()->set_packets(1);
    stream.mutable_departures()->mutable_steady()->mutable_tick()->set_nanoseconds(options.gap_ns);
  }
  return job;
}

// Gives up after a time that only a broken tester needs.
inline void WaitForEnd(Tester& tester, const std::string& job) {
  for (int i = 0; i < 10'000 && tester.Progress({job}).sending(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_FALSE(tester.Progress({job}).sending());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // frames under way arrive
}

inline Code CodeOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "not refused";
  return Code::kInternal;
}

class LoopTest : public testing::Test {
 protected:
  std::unique_ptr<Tester> tester = MakeTester({"a=loop:x", "b=loop:x", "c=loop:y"});
};

}  // namespace tester
