// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/interface.h"

#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "port/netlink.h"
#include "text.h"

namespace tester {
namespace {

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

// Old and simple, and answered by every driver; fast enough for what happens once a start.
uint64_t SpeedOf(const std::string& name) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return 0;
  ethtool_cmd command{};
  command.cmd = ETHTOOL_GSET;
  ifreq request{};
  std::copy(name.begin(), name.end(), std::begin(request.ifr_name));
  request.ifr_data = reinterpret_cast<char*>(&command);
  const bool known = ::ioctl(fd, SIOCETHTOOL, &request) == 0;
  ::close(fd);
  const uint32_t mbps = ethtool_cmd_speed(&command);
  return known && mbps != 0 && mbps != static_cast<uint32_t>(SPEED_UNKNOWN)
             ? uint64_t{mbps} * 1'000'000
             : 0;
}

Interface ReadLink(const NetlinkMessage& link) {
  Interface interface;
  const auto& body = link.body<ifinfomsg>();
  interface.name = NameIn(link);
  interface.index = body.ifi_index;
  interface.running = (body.ifi_flags & IFF_RUNNING) != 0;
  if (const auto mtu = link.Find<ifinfomsg>(IFLA_MTU)) interface.mtu = As<uint32_t>(*mtu);
  if (const auto mac = link.Find<ifinfomsg>(IFLA_ADDRESS)) interface.mac = As<Mac>(*mac);
  interface.is_virtual = link.Find<ifinfomsg>(IFLA_LINKINFO).has_value();
  // Without a wire, what drivers say of its speed is a constant.
  if (!interface.is_virtual) interface.speed_bps = SpeedOf(interface.name);
  if (const auto downs = link.Find<ifinfomsg>(IFLA_CARRIER_DOWN_COUNT)) {
    interface.carrier_downs = As<uint32_t>(*downs);
  }
  if (const auto bytes = link.Find<ifinfomsg>(IFLA_STATS64)) {
    const auto stats = As<rtnl_link_stats64>(*bytes);
    interface.dropped = stats.rx_dropped + stats.tx_dropped + stats.rx_missed_errors;
  }
  return interface;
}

}  // namespace

std::optional<Interface> FindInterface(const std::string& name) {
  std::optional<Interface> found;
  DumpTable(RTM_GETLINK, [&](const NetlinkMessage& link) {
    if (NameIn(link) == name) found = ReadLink(link);
  });
  return found;
}

std::vector<std::string> InterfaceNames() {
  std::vector<std::string> names;
  DumpTable(RTM_GETLINK, [&](const NetlinkMessage& link) { names.push_back(NameIn(link)); });
  return names;
}

std::vector<std::string> UsesOfInterface(int index) {
  std::vector<std::string> uses;
  DumpTable(RTM_GETADDR, [&](const NetlinkMessage& address) {
    const auto& body = address.body<ifaddrmsg>();
    if (static_cast<int>(body.ifa_index) != index) return;
    if (body.ifa_scope == RT_SCOPE_LINK) return;
    auto bytes = address.Find<ifaddrmsg>(IFA_LOCAL);
    if (!bytes) bytes = address.Find<ifaddrmsg>(IFA_ADDRESS);
    if (bytes) uses.push_back("address " + AddressText(*bytes));
  });
  DumpTable(RTM_GETROUTE, [&](const NetlinkMessage& route) {
    const auto& body = route.body<rtmsg>();
    const auto out = route.Find<rtmsg>(RTA_OIF);
    if (body.rtm_type != RTN_UNICAST || body.rtm_dst_len != 0 || !out) return;
    if (As<int>(*out) == index) {
      uses.push_back(body.rtm_family == AF_INET6 ? "IPv6 default route" : "IPv4 default route");
    }
  });
  return uses;
}

}  // namespace tester
