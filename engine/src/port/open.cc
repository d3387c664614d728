// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/open.h"

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <map>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "port/device/delay.h"
#include "port/device/device.h"
#include "port/device/eal.h"
#include "port/device/loop.h"
#include "port/kernel/interface.h"
#include "port/kernel/leftovers.h"
#include "port/kernel/xdp.h"

namespace tester {
namespace {

constexpr uint32_t kLeastLongest = RTE_ETHER_MIN_LEN;  // of the frames that a device receives
constexpr uint32_t kLongestFrame = 16384;              // an mbuf's room is 16 bits
constexpr uint32_t kXdpMostMtu = 3498;  // a buffer is a page, including the kernel's part
constexpr uint32_t kFrameOverhead = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
// A ring of net_af_packet has to bridge the time in which the worker does not run.
constexpr uint32_t kPacketRingFrames = 4096;
constexpr uint32_t kPacketRingBytes = 16 << 20;
// Two rings for each of up to four ports share the pages that a user may lock.
constexpr uint32_t kPacketRings = 8;
constexpr uint32_t kPacketUnit = 128;
constexpr uint32_t kPacketBlockFrames = 32;
constexpr uint32_t kPacketHeadroom = 256;  // tpacket2_hdr, sockaddr_ll, Ethernet and rounding

Interface GetInterface(const std::string& name) {
  auto interface = FindInterface(name);
  if (!interface) {
    throw Error(Code::kNotFound,
                Cat("no interface ", Quote(name), "; there are ", Join(InterfaceNames())));
  }
  return *interface;
}

// Receive channels of an interface, at least one.
uint32_t ArrivingChannels(const std::string& interface) {
  const auto channels = Ethtool(interface).ReadChannels();
  return channels ? std::max(channels->arriving(), 1U) : 1;
}

// Says how many there are, with the command that makes it so many.
std::string ChannelsText(const std::string& interface, uint16_t wanted) {
  const auto channels = Ethtool(interface).ReadChannels().value_or(Channels{.receive = 1});
  const uint32_t arriving = channels.arriving();
  return Cat(interface, " receives on ", arriving, arriving == 1 ? " channel" : " channels", " (",
             channels.Command(interface, wanted),
             wanted == 1 ? " leaves one)" : Cat(" makes it ", wanted, ")"));
}

// The place of a port in its tester, and its number of queues.
struct PortShape {
  size_t number;
  uint16_t queues;
};

std::string XdpArguments(const Interface& interface, const PortShape& shape) {
  // Busy polling is a system call for every poll of an empty ring. The driver of a NIC needs it to
  // make progress; a virtual interface receives without it.
  return Cat("net_af_xdp", shape.number, ",iface=", interface.name,
             ",start_queue=0,queue_count=", shape.queues,
             interface.is_virtual ? ",busy_budget=0" : "");
}

// The largest ring. net_af_packet locks its rings in memory, and an unprivileged user may lock only
// a few pages. Only an attempt shows whether the limit applies to this process.
uint32_t PacketRingBytes() {
  constexpr size_t kAll = size_t{kPacketRingBytes} * kPacketRings;
  void* tried = ::mmap(nullptr, kAll, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
  if (tried != MAP_FAILED) {
    ::munmap(tried, kAll);
    return kPacketRingBytes;
  }
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  return static_cast<uint32_t>(std::min<rlim_t>(limit.rlim_cur / kPacketRings, kPacketRingBytes));
}

PacketRing PacketRingFor(const Interface& interface) {
  // An odd number of units: frames a power of two apart fall into few sets of the caches, which
  // cost a tenth of the rate. A block of 32 is whole pages.
  const uint32_t longest = std::min(interface.mtu, kLongestFrame);
  const uint32_t units = (longest + kPacketHeadroom) / kPacketUnit | 1;
  const uint32_t slot = units * kPacketUnit;
  const uint32_t slots = std::bit_floor(std::min(kPacketRingFrames, PacketRingBytes() / slot));
  return {.slot_bytes = slot, .slots = std::max(slots, kPacketBlockFrames)};
}

std::string PacketArguments(const Interface& interface, const PortShape& shape,
                            const PacketRing& ring) {
  return Cat("net_af_packet", shape.number, ",iface=", interface.name, ",qpairs=", shape.queues,
             ",framesz=", ring.slot_bytes, ",blocksz=", ring.slot_bytes * kPacketBlockFrames,
             ",framecnt=", ring.slots, ",qdisc_bypass=1");
}

// net_null receives invented frames endlessly unless it is told not to.
std::string VdevArguments(const std::string& argument) {
  const bool is_null = argument.starts_with("net_null") || argument.starts_with("eth_null");
  return is_null && argument.find("no-rx=") == std::string::npos ? argument + ",no-rx=1" : argument;
}

std::unique_ptr<Port> MakePort(Device device, PortFacts facts, PortSockets sockets,
                               TakenInterface taken) {
  rte_ether_addr mac{};
  facts.driver = DriverOf(device.id());
  if (rte_eth_macaddr_get(device.id(), &mac) == 0) facts.mac = wire::LoadMac(mac.addr_bytes);
  // Some virtual devices have none; a frame needs one.
  if (facts.mac == Mac{}) facts.mac = {2, 0, 0, 0, 0, static_cast<uint8_t>(device.id() + 1)};
  return std::make_unique<Port>(std::move(facts), std::move(device), std::move(sockets),
                                std::move(taken));
}

std::unique_ptr<Port> OpenDevice(const PortSpec& spec, uint16_t queues, Device device) {
  PortFacts facts;
  facts.name = spec.name;
  facts.has_wire = spec.kind == PortKind::kPci;
  rte_eth_dev_info info{};
  uint16_t mtu = RTE_ETHER_MTU;
  rte_eth_dev_info_get(device.id(), &info);
  rte_eth_dev_get_mtu(device.id(), &mtu);
  // Configuring the device would set its MTU back.
  facts.max_frame_bytes =
      std::min({mtu + kFrameOverhead, kLongestFrame, std::max(info.max_rx_pktlen, kLeastLongest)});
  if (facts.has_wire && queues > 1 && info.flow_type_rss_offloads == 0) {
    throw Error(Code::kFailedPrecondition,
                Cat("port ", spec.name, ": --queues ", queues, ", and ", info.driver_name,
                    " does not spread arriving frames over queues (RSS); leave --queues out"));
  }
  device.Start(spec.name, {.queues = queues,
                           .buffer_bytes = facts.max_frame_bytes,
                           .mtu = static_cast<uint16_t>(facts.max_frame_bytes - kFrameOverhead)});
  return MakePort(std::move(device), std::move(facts), {}, {});
}

std::unique_ptr<Port> OpenInterface(const PortSpec& spec, const Interface& interface,
                                    const std::string& arguments, uint16_t queues,
                                    const PacketRing& ring, std::string reason,
                                    TakenInterface& taken) {
  const std::vector<int> sockets = PacketSockets();
  Device device = Device::Probe(arguments);
  rte_eth_dev_info info{};
  rte_eth_dev_info_get(device.id(), &info);
  uint32_t limit = std::min(interface.mtu + kFrameOverhead, kLongestFrame);
  // net_af_packet reports the length it planned for; its rings were sized for the MTU above.
  const bool is_xdp = std::string(info.driver_name) == "net_af_xdp";
  if (is_xdp) limit = std::min(limit, info.max_rx_pktlen);
  PortFacts facts;
  facts.name = spec.name;
  facts.driver_reason = std::move(reason);
  facts.interface = interface.name;
  facts.has_wire = !interface.is_virtual;
  facts.max_frame_bytes = limit;
  if (!is_xdp && ArrivingChannels(interface.name) > 1) {
    facts.notes.push_back(ChannelsText(interface.name, 1) +
                          "; flows may overtake each other between them");
  }
  device.Start(spec.name, {.queues = queues, .buffer_bytes = std::max(limit, ring.slot_bytes)});
  return MakePort(std::move(device), std::move(facts), PortSockets::Since(sockets, ring),
                  std::move(taken));
}

std::unique_ptr<Port> OpenXdp(const PortSpec& spec, const Interface& interface,
                              const PortShape& shape, TakenInterface& taken) {
  if (ArrivingChannels(interface.name) != shape.queues) {
    throw Error(Code::kFailedPrecondition, Cat(ChannelsText(interface.name, shape.queues),
                                               "; AF_XDP takes one for each of the ", shape.queues,
                                               " queue(s) of a port (--queues)"));
  }
  if (const std::string obstacle = XdpObstacle(interface.index); !obstacle.empty()) {
    throw Error(Code::kFailedPrecondition, Cat("AF_XDP on ", interface.name, ": ", obstacle));
  }
  if (interface.mtu > kXdpMostMtu) {
    throw Error(Code::kFailedPrecondition,
                Cat("AF_XDP on ", interface.name, ": its MTU ", interface.mtu, " is more than the ",
                    kXdpMostMtu, " bytes for which AF_XDP has buffers; `ip link set ",
                    interface.name, " mtu ", kXdpMostMtu, "`, or AF_PACKET"));
  }
  return OpenInterface(spec, interface, XdpArguments(interface, shape), shape.queues, {}, "",
                       taken);
}

std::unique_ptr<Port> OpenPacket(const PortSpec& spec, const Interface& interface,
                                 const PortShape& shape, std::string reason,
                                 TakenInterface& taken) {
  const PacketRing ring = PacketRingFor(interface);
  return OpenInterface(spec, interface, PacketArguments(interface, shape, ring), shape.queues, ring,
                       std::move(reason), taken);
}

std::unique_ptr<Port> OpenPreferred(const PortSpec& spec, const Interface& interface,
                                    const PortShape& shape, TakenInterface& taken) {
  try {
    return OpenXdp(spec, interface, shape, taken);
  } catch (const Error& error) {
    const std::string reason = error.what();
    Log(LogLevel::kWarning, "fallback",
        {{"port", spec.name}, {"driver", "net_af_packet"}, {"reason", reason}});
    return OpenPacket(spec, interface, shape, reason, taken);
  }
}

TakenInterface Take(const PortSpec& spec) {
  const std::string name = spec.argument;
  InterfaceClaim claim(GetInterface(name).name);
  if (const std::string restored = RestoreInterface(GetInterface(name)); !restored.empty()) {
    Log(LogLevel::kWarning, "restored", {{"port", spec.name}, {"what", restored}});
  }
  const bool with_xdp = spec.kind != PortKind::kAfPacket;
  return {.claim = std::move(claim), .settings = {GetInterface(name), with_xdp}};
}

std::unique_ptr<Port> OpenPort(const PortSpec& spec, const PortShape& shape) {
  if (spec.kind == PortKind::kVdev) {
    return OpenDevice(spec, shape.queues, Device::Probe(VdevArguments(spec.argument)));
  }
  if (spec.kind == PortKind::kPci) {
    return OpenDevice(spec, shape.queues, Device::Probe(spec.argument));
  }
  TakenInterface taken = Take(spec);
  const Interface interface = GetInterface(spec.argument);
  if (spec.kind == PortKind::kAfXdp) return OpenXdp(spec, interface, shape, taken);
  if (spec.kind == PortKind::kAfPacket) return OpenPacket(spec, interface, shape, "", taken);
  return OpenPreferred(spec, interface, shape, taken);
}

void CheckUnused(const Interface& interface, const std::set<std::string>& forced) {
  const std::vector<std::string> uses = UsesOfInterface(interface.index);
  if (uses.empty() || forced.contains(interface.name)) return;
  throw Error(Code::kFailedPrecondition,
              Cat("interface ", Quote(interface.name), " is in use (", Join(uses),
                  "), and a tester would cut it off; take another one, or remove its address and "
                  "routes (testerd by itself takes it with --force-interface ",
                  interface.name, ")"));
}

// The kernel's interfaces under a DPDK device. INVALID_ARGUMENT for a driver that is a port of its
// own.
std::vector<std::string> InterfacesBehind(const PortSpec& spec) {
  if (spec.kind == PortKind::kPci) return InterfacesOfPci(spec.argument);
  std::vector<std::string> names;
  std::istringstream arguments(spec.argument);
  for (std::string argument; std::getline(arguments, argument, ',');) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = argument.substr(0, equals);
    // net_pcap has iface, rx_iface and more; net_tap has remote.
    if (key.ends_with("iface") || key == "remote") names.push_back(argument.substr(equals + 1));
  }
  for (const char* driver : {"af_packet", "af_xdp"}) {
    if (names.empty() ||
        spec.argument.substr(0, spec.argument.find(',')).find(driver) == std::string::npos) {
      continue;
    }
    throw Error(
        Code::kInvalidArgument,
        Cat("port ", spec.name, ": vdev:", spec.argument, ": give ", driver, ":", names.front(),
            ", which also puts the interface back and counts what it loses"));
  }
  return names;
}

}  // namespace

void CheckInterfaces(const std::vector<PortSpec>& specs, const std::set<std::string>& forced) {
  std::map<std::string, std::string> port_of_argument;
  for (const auto& spec : specs) {
    if (IsLoop(spec.kind)) continue;
    const auto [at, is_new] = port_of_argument.emplace(spec.argument, spec.name);
    if (!is_new) {
      throw Error(Code::kInvalidArgument, Cat(Quote(spec.argument), " is given to the ports ",
                                              at->second, " and ", spec.name, "; one may have it"));
    }
    if (UsesKernelInterface(spec.kind)) {
      CheckUnused(GetInterface(spec.argument), forced);
      continue;
    }
    for (const std::string& name : InterfacesBehind(spec)) {
      if (const auto interface = FindInterface(name)) CheckUnused(*interface, forced);
    }
  }
}

std::vector<std::unique_ptr<Port>> OpenPorts(const std::vector<PortSpec>& specs, uint16_t queues) {
  const EalQuiet quiet;
  std::map<std::string, Device> loops = MakeLoops(specs, queues);
  std::vector<std::unique_ptr<Port>> ports;
  for (const auto& spec : specs) {
    const auto loop = loops.find(spec.name);
    ports.push_back(loop != loops.end()
                        ? OpenDevice(spec, queues, std::move(loop->second))
                        : OpenPort(spec, {.number = ports.size(), .queues = queues}));
    const PortFacts& facts = ports.back()->facts();
    Log(LogLevel::kInfo, "port",
        {{"name", facts.name},
         {"driver", facts.driver},
         {"interface", facts.interface},
         {"max_frame_bytes", int64_t{facts.max_frame_bytes}},
         {"reason", facts.driver_reason}});
    if (spec.kind == PortKind::kDelay) DelayArrivals(ports.back()->device(), queues, spec.delay);
  }
  return ports;
}

}  // namespace tester
