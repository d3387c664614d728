// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Frames that the kernel dropped on an interface as they arrived and that nobody else has counted.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tester {

// An interface may count a frame that its socket had no room for (veth and virtio_net do), or not,
// and does not say which. So the frames that both have are taken to be the same ones: of two counts
// that are not 0 at least the greater one is reported, and no frame twice.
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
