// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames that the kernel dropped on arrival at an interface and that are in no other counter.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tester {

// Some interfaces count frames without room in their socket (veth and virtio_net do), others do
// not, and none says which. So the frames of both counts are taken to be the same: the greater
// count is reported, and no frame twice.
class KernelDrops {
 public:
  // `by_interface` is read before `by_sockets`, and an interface counts a frame after its socket
  // has: the difference is never too large. It may be too small for a moment, so it only grows.
  uint64_t Look(uint64_t by_interface, uint64_t by_sockets) {
    return most_ = std::max(most_, by_interface - std::min(by_interface, by_sockets));
  }

 private:
  uint64_t most_ = 0;
};

}  // namespace tester
