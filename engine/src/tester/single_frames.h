// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Single frames of ports, independent of jobs: injected frames and requests to neighbours. A port
// has one order and one request at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "tester/access/client.h"
#include "tester/ports.h"
#include "tester/v1/control.pb.h"
#include "tester/workers.h"
#include "wire/bytes.h"

namespace tester {

class SingleFrames {
 public:
  // Throws Error for a client that may not use the tester now, after the end of the tester was
  // requested, and for more `frames` of `bytes` bytes with FCS than the port may send now.
  using Admit = std::function<void(const Client&, uint16_t port, uint64_t frames, uint64_t bytes)>;
  SingleFrames(const Ports& ports, Workers& workers, Admit admit);

  void Inject(const v1::InjectRequest& request, const Client& client = {});
  // `cancelled` is asked while waiting.
  Mac Resolve(const v1::ResolveRequest& request, const std::function<bool()>& cancelled,
              const Client& client = {});
  // Returns when the requested frames have left or were withdrawn.
  void Finish();

 private:
  void Send(uint16_t port, std::vector<std::vector<uint8_t>> frames, const Client& client);

  const Ports& ports_;
  Workers& workers_;
  Admit admit_;
  std::unique_ptr<std::mutex[]> orders_;     // by port
  std::unique_ptr<std::mutex[]> questions_;  // by port
};

}  // namespace tester
