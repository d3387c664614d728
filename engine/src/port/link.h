// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Watches a port's link and its frames in the kernel while the engine runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "port/kernel/interface.h"

namespace tester {

// Since the port was opened.
struct LinkReading {
  bool up = false;
  uint64_t downs = 0;
  // Frames that the interface counts; 0 where the kernel has none.
  uint64_t dropped_on_arrival = 0;
  uint64_t dropped = 0;  // otherwise
  uint64_t received = 0;
  uint64_t receive_errors = 0;
  uint64_t send_errors = 0;
};

// Counts the interrupts by which a driver says that a link was lost.
class LinkInterrupts {
 public:
  // `device` is configured.
  explicit LinkInterrupts(uint16_t device);
  ~LinkInterrupts();
  LinkInterrupts(const LinkInterrupts&) = delete;
  LinkInterrupts& operator=(const LinkInterrupts&) = delete;

  uint64_t downs() const { return downs_.load(std::memory_order_relaxed); }

  // Called by the interrupt thread, possibly several times for one loss.
  void Look();

 private:
  const uint16_t device_;
  bool up_;
  std::atomic<uint64_t> downs_{0};
};

// The link of one port. Reads are not thread-safe; an outage may begin and end meanwhile.
class Link {
 public:
  // `interface` is empty where the kernel knows none. The device is started.
  Link(uint16_t device, const std::string& interface);

  LinkReading Read();

  // Begins an intended outage: its losses of link and frames are not in `Read`.
  void BeginOutage();
  void EndOutage();

 private:
  // Counts changes of the link that are counted nowhere else.
  void See(bool up);

  const uint16_t device_;
  const std::string name_;  // of the interface
  std::mutex outages_;
  Interface before_;                // without what outages have lost; none: all 0
  std::optional<Interface> since_;  // an outage that lasts
  std::unique_ptr<LinkInterrupts> interrupts_;
  LinkReading last_;
};

// Whether the driver says so.
bool DeviceUp(uint16_t device);

}  // namespace tester
