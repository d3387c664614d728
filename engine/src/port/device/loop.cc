// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/device/loop.h"

#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ring.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr unsigned kRingFrames = 2048;
constexpr size_t kMostOfATag = 2;

// Rings stay until the process ends: frames in them belong to pools of both ports.
rte_ring* MakeRing() {
  static int number = 0;
  const std::string name = Cat("loop", number++);
  // One worker puts in and one takes out.
  rte_ring* ring = rte_ring_create(name.c_str(), kRingFrames, static_cast<int>(rte_socket_id()),
                                   RING_F_SP_ENQ | RING_F_SC_DEQ);
  if (ring == nullptr) {
    throw Error(Code::kResourceExhausted,
                Cat("no memory for ring ", name, " (", rte_strerror(rte_errno),
                    "); give more with --memory"));
  }
  return ring;
}

std::vector<rte_ring*> MakeRings(uint16_t queues) {
  std::vector<rte_ring*> rings;
  while (rings.size() < queues) rings.push_back(MakeRing());
  return rings;
}

Device MakeDevice(const std::string& port, std::vector<rte_ring*>& receive,
                  std::vector<rte_ring*>& send) {
  const auto queues = static_cast<unsigned>(receive.size());
  const int id = rte_eth_from_rings(port.c_str(), receive.data(), queues, send.data(), queues,
                                    rte_socket_id());
  if (id < 0) {
    throw Error(Code::kInternal, Cat("loop port ", Quote(port), ": ", rte_strerror(rte_errno)));
  }
  return Device(static_cast<uint16_t>(id));
}

}  // namespace

std::map<std::string, Device> MakeLoops(const std::vector<PortSpec>& specs, uint16_t queues) {
  using Tag = std::pair<PortKind, std::string>;
  std::map<Tag, std::vector<std::string>> ports_of_tag;
  for (const auto& spec : specs) {
    if (IsLoop(spec.kind)) ports_of_tag[{spec.kind, spec.argument}].push_back(spec.name);
  }
  std::map<std::string, Device> devices;
  for (const auto& [tag, ports] : ports_of_tag) {
    if (ports.size() > kMostOfATag) {
      throw Error(Code::kInvalidArgument,
                  Cat("the tag ", Quote(tag.second), " of a loop is given to the ports ",
                      Join(ports), "; allowed are one port (looped to itself) or two"));
    }
    std::vector<rte_ring*> there = MakeRings(queues);
    std::vector<rte_ring*> back = ports.size() == 1 ? there : MakeRings(queues);
    devices.emplace(ports.front(), MakeDevice(ports.front(), back, there));
    if (ports.size() > 1) devices.emplace(ports.back(), MakeDevice(ports.back(), there, back));
  }
  return devices;
}

}  // namespace tester
