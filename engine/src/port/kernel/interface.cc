// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/interface.h"

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "port/kernel/ethtool.h"
#include "port/kernel/netlink.h"

namespace tester {
namespace {

// IFF_LOWER_UP of linux/if.h, which net/if.h does not go with.
constexpr unsigned kLowerUp = 1U << 16;

template <typename Value>
Value As(std::span<const uint8_t> bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

std::string NameIn(const NetlinkMessage& link) {
  const auto bytes = link.Find<ifinfomsg>(IFLA_IFNAME);
  if (!bytes || bytes->empty()) return {};
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  return {text, ::strnlen(text, bytes->size())};
}

// The alternative names of an interface.
std::vector<std::string> OtherNamesIn(const NetlinkMessage& link) {
  std::vector<std::string> names;
  const auto list = link.Find<ifinfomsg>(IFLA_PROP_LIST);
  if (!list) return names;
  VisitAttributes(*list, [&](uint16_t type, std::span<const uint8_t> bytes) {
    if (type != IFLA_ALT_IFNAME) return;
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    names.emplace_back(text, ::strnlen(text, bytes.size()));
  });
  return names;
}

bool HasXdpProgram(const NetlinkMessage& link) {
  bool attached = false;
  const auto about = link.Find<ifinfomsg>(IFLA_XDP);
  if (!about) return false;
  VisitAttributes(*about, [&](uint16_t type, std::span<const uint8_t> bytes) {
    if (type == IFLA_XDP_ATTACHED) attached = As<uint8_t>(bytes) != XDP_ATTACHED_NONE;
  });
  return attached;
}

Interface ReadLink(const NetlinkMessage& link) {
  Interface interface;
  const auto& body = link.body<ifinfomsg>();
  interface.name = NameIn(link);
  interface.index = body.ifi_index;
  interface.up = (body.ifi_flags & IFF_UP) != 0;
  // IFF_RUNNING follows up to a second later.
  interface.running = (body.ifi_flags & kLowerUp) != 0;
  interface.promiscuous = (body.ifi_flags & IFF_PROMISC) != 0;
  interface.has_xdp_program = HasXdpProgram(link);
  interface.other_names = OtherNamesIn(link);
  if (const auto mtu = link.Find<ifinfomsg>(IFLA_MTU)) interface.mtu = As<uint32_t>(*mtu);
  if (const auto mac = link.Find<ifinfomsg>(IFLA_ADDRESS)) interface.mac = As<Mac>(*mac);
  interface.is_virtual = link.Find<ifinfomsg>(IFLA_LINKINFO).has_value();
  // Virtual interfaces report a constant speed.
  if (!interface.is_virtual) interface.speed_bps = Ethtool(interface.name).Speed();
  if (const auto downs = link.Find<ifinfomsg>(IFLA_CARRIER_DOWN_COUNT)) {
    interface.carrier_downs = As<uint32_t>(*downs);
  }
  if (const auto bytes = link.Find<ifinfomsg>(IFLA_STATS64)) {
    const auto stats = As<rtnl_link_stats64>(*bytes);
    interface.dropped_on_arrival = stats.rx_dropped;
    interface.dropped = stats.tx_dropped + stats.rx_missed_errors;
    interface.received = stats.rx_packets;
    interface.receive_errors = stats.rx_crc_errors + stats.rx_length_errors + stats.rx_frame_errors;
    interface.send_errors = stats.tx_errors;
  }
  return interface;
}

std::string KindIn(const NetlinkMessage& link) {
  std::string kind;
  const auto about = link.Find<ifinfomsg>(IFLA_LINKINFO);
  if (!about) return kind;
  VisitAttributes(*about, [&](uint16_t type, std::span<const uint8_t> bytes) {
    if (type != IFLA_INFO_KIND) return;
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    kind.assign(text, ::strnlen(text, bytes.size()));
  });
  return kind;
}

// The interfaces that send and receive by others: the bridge or bond of a port, VLANs and the like.
struct Above {
  std::string name;
  int index;
  std::vector<int> below;
};

std::vector<Above> InterfacesAbove() {
  std::vector<Above> found;
  std::map<int, std::vector<int>> ports;  // by bridge or bond
  DumpTable(RTM_GETLINK, [&](const NetlinkMessage& link) {
    const int index = link.body<ifinfomsg>().ifi_index;
    Above above{.name = NameIn(link), .index = index, .below = {}};
    if (const auto master = link.Find<ifinfomsg>(IFLA_MASTER)) {
      ports[As<int>(*master)].push_back(index);
    }
    // The other end of a veth is not above it, and one of another namespace has another number
    // there.
    const bool is_elsewhere = link.Find<ifinfomsg>(IFLA_LINK_NETNSID).has_value();
    const auto lower = link.Find<ifinfomsg>(IFLA_LINK);
    if (lower && !is_elsewhere && KindIn(link) != "veth") above.below.push_back(As<int>(*lower));
    found.push_back(std::move(above));
  });
  for (Above& above : found) {
    const auto& more = ports[above.index];
    above.below.insert(above.below.end(), more.begin(), more.end());
  }
  return found;
}

// The interface itself, and all above it, by their numbers.
std::map<int, std::string> StackOn(int index) {
  const std::vector<Above> all = InterfacesAbove();
  std::map<int, std::string> stack{{index, ""}};
  for (size_t before = 0; before != stack.size();) {
    before = stack.size();
    for (const Above& above : all) {
      if (std::ranges::any_of(above.below, [&](int below) { return stack.contains(below); })) {
        stack.emplace(above.index, " of " + above.name);
      }
    }
  }
  return stack;
}

bool SetFlag(const std::string& name, int flag, bool on) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::copy_n(name.begin(), std::min(name.size(), sizeof request.ifr_name - 1),
              std::begin(request.ifr_name));
  bool done = ::ioctl(fd, SIOCGIFFLAGS, &request) == 0;
  if (done) {
    request.ifr_flags =
        static_cast<short>(on ? request.ifr_flags | flag : request.ifr_flags & ~flag);
    done = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  }
  const int error = errno;
  if (fd >= 0) ::close(fd);
  errno = error;
  return done;
}

}  // namespace

std::optional<Interface> FindInterface(const std::string& name) {
  std::optional<Interface> found;
  DumpTable(RTM_GETLINK, [&](const NetlinkMessage& link) {
    if (NameIn(link) == name) found = ReadLink(link);
  });
  return found;
}

std::vector<Interface> Interfaces() {
  std::vector<Interface> interfaces;
  DumpTable(RTM_GETLINK, [&](const NetlinkMessage& link) { interfaces.push_back(ReadLink(link)); });
  return interfaces;
}

bool SetPromiscuous(const std::string& name, bool on) { return SetFlag(name, IFF_PROMISC, on); }

bool SwitchInterface(const std::string& name, bool on) { return SetFlag(name, IFF_UP, on); }

std::vector<std::string> InterfacesOfPci(const std::string& address) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(Cat("/sys/bus/pci/devices/", address, "/net"), error)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

std::vector<std::string> InterfaceNames() {
  std::vector<std::string> names;
  DumpTable(RTM_GETLINK, [&](const NetlinkMessage& link) { names.push_back(NameIn(link)); });
  return names;
}

std::vector<std::string> UsesOfInterface(int index) {
  const std::map<int, std::string> stack = StackOn(index);
  std::vector<std::string> uses;
  DumpTable(RTM_GETADDR, [&](const NetlinkMessage& address) {
    const auto& body = address.body<ifaddrmsg>();
    const auto at = stack.find(static_cast<int>(body.ifa_index));
    if (at == stack.end()) return;
    if (body.ifa_scope == RT_SCOPE_LINK) return;
    auto bytes = address.Find<ifaddrmsg>(IFA_LOCAL);
    if (!bytes) bytes = address.Find<ifaddrmsg>(IFA_ADDRESS);
    if (bytes) uses.push_back("address " + AddressText(*bytes) + at->second);
  });
  DumpTable(RTM_GETROUTE, [&](const NetlinkMessage& route) {
    const auto& body = route.body<rtmsg>();
    const auto out = route.Find<rtmsg>(RTA_OIF);
    if (body.rtm_type != RTN_UNICAST || body.rtm_dst_len != 0 || !out) return;
    const auto at = stack.find(As<int>(*out));
    if (at == stack.end()) return;
    uses.push_back((body.rtm_family == AF_INET6 ? "IPv6 default route" : "IPv4 default route") +
                   at->second);
  });
  return uses;
}

}  // namespace tester
