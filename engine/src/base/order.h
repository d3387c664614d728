// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The order in which the frames of a stream leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tester {

// A number of packets that repeat one frame.
struct OrderRun {
  uint16_t frame;  // index in the stream's frames
  uint64_t packets;

  bool operator==(const OrderRun&) const = default;
};

// How far an order has come. A new one stands before frame 0.
struct OrderPlace {
  uint64_t next = 0;
  size_t run = 0;     // of the next one
  uint64_t left = 0;  // in this run; 0: not known
};

class Order {
 public:
  // At least one run, none without packets; after the last one begins the first again.
  explicit Order(const std::vector<OrderRun>& runs);
  // Without runs: frames 0 to `frames` - 1, one packet each.
  Order(const std::vector<OrderRun>& runs, size_t frames);

  // The indices of the frames number first to first + count - 1.
  void Choose(OrderPlace& place, uint64_t first, size_t count, uint16_t* frames) const;

 private:
  void Seek(OrderPlace& place, uint64_t number) const;

  std::vector<uint16_t> frames_;  // by run
  std::vector<uint64_t> ends_;    // by run: packets up to its end
};

}  // namespace tester
