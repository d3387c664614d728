// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/text.h"

// net_af_xdp takes an interface without combined channels for one with a single queue. A veth has
// channels to receive and others to send, and net_af_xdp uses them in pairs.
extern "C" int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  const auto result = static_cast<int>(::syscall(SYS_ioctl, fd, request, argument));
  if (result != 0 || request != SIOCETHTOOL) return result;
  auto* const channels =
      reinterpret_cast<ethtool_channels*>(static_cast<ifreq*>(argument)->ifr_data);
  if (channels->cmd == ETHTOOL_GCHANNELS && channels->max_combined == 0) {
    channels->max_combined = std::min(channels->max_rx, channels->max_tx);
    channels->combined_count = std::min(channels->rx_count, channels->tx_count);
  }
  return result;
}

namespace tester {
namespace {

constexpr uint32_t kBlockBits = 32;
// The kernel writes as many values as the driver has at that moment and ignores the given room; a
// driver that added queues since the count has more.
constexpr size_t kSpareValues = 4096;

// A command of ethtool that ends with a list, in memory that is aligned for it.
template <typename Head>
class Request {
 public:
  explicit Request(size_t list_bytes) : words_((sizeof(Head) + list_bytes + 7) / 8) {}
  Head* operator->() { return reinterpret_cast<Head*>(words_.data()); }
  void* command() { return words_.data(); }

 private:
  std::vector<uint64_t> words_;
};

size_t BlocksFor(size_t features) { return (features + kBlockBits - 1) / kBlockBits; }

}  // namespace

std::string Channels::Command(std::string_view interface, uint32_t channels) const {
  if (combined == 0) return Cat("ethtool -L ", interface, " rx ", channels);
  return Cat("ethtool -L ", interface, " combined ", channels, receive > 0 ? " rx 0" : "");
}

Ethtool::Ethtool(std::string interface)
    : interface_(std::move(interface)), fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}

Ethtool::~Ethtool() {
  if (fd_ >= 0) ::close(fd_);
}

bool Ethtool::Ask(void* command) const {
  ifreq request{};
  if (fd_ < 0 || interface_.size() >= sizeof request.ifr_name) {
    errno = fd_ < 0 ? EBADF : ENAMETOOLONG;
    return false;
  }
  std::copy(interface_.begin(), interface_.end(), std::begin(request.ifr_name));
  request.ifr_data = static_cast<char*>(command);
  return ::syscall(SYS_ioctl, fd_, SIOCETHTOOL, &request) == 0;
}

uint64_t Ethtool::Speed() const {
  // Old and simple, and answered by every driver.
  ethtool_cmd command{};
  command.cmd = ETHTOOL_GSET;
  if (!Ask(&command)) return 0;
  const uint32_t mbps = ethtool_cmd_speed(&command);
  return mbps == static_cast<uint32_t>(SPEED_UNKNOWN) ? 0 : uint64_t{mbps} * 1'000'000;
}

std::optional<Channels> Ethtool::ReadChannels() const {
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  if (!Ask(&channels)) return std::nullopt;
  return Channels{.receive = channels.rx_count, .combined = channels.combined_count};
}

std::vector<std::string> Ethtool::Names(uint32_t set) const {
  Request<ethtool_sset_info> count(sizeof(uint32_t));
  count->cmd = ETHTOOL_GSSET_INFO;
  count->sset_mask = uint64_t{1} << set;
  if (!Ask(count.command()) || count->sset_mask == 0) return {};
  uint32_t length = 0;
  std::memcpy(&length, count->data, sizeof length);
  Request<ethtool_gstrings> strings((length + kSpareValues) * ETH_GSTRING_LEN);
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = set;
  strings->len = length;
  if (!Ask(strings.command())) return {};
  std::vector<std::string> names;
  const auto* text = reinterpret_cast<const char*>(strings->data);
  for (uint32_t i = 0; i < std::min(length, strings->len); ++i, text += ETH_GSTRING_LEN) {
    names.emplace_back(text, ::strnlen(text, ETH_GSTRING_LEN));
  }
  return names;
}

std::vector<Feature> Ethtool::ReadFeatures() const {
  const std::vector<std::string> names = Names(ETH_SS_FEATURES);
  const size_t blocks = BlocksFor(names.size());
  Request<ethtool_gfeatures> request(blocks * sizeof(ethtool_get_features_block));
  request->cmd = ETHTOOL_GFEATURES;
  request->size = static_cast<uint32_t>(blocks);
  if (names.empty() || !Ask(request.command())) return {};
  std::vector<Feature> features;
  for (size_t i = 0; i < names.size(); ++i) {
    const uint32_t active = request->features[i / kBlockBits].active;
    features.push_back({.name = names[i], .on = (active >> i % kBlockBits & 1) != 0});
  }
  return features;
}

bool Ethtool::SetFeature(std::string_view name, bool on) const {
  const std::vector<std::string> names = Names(ETH_SS_FEATURES);
  const auto place = static_cast<size_t>(std::ranges::find(names, name) - names.begin());
  if (place == names.size()) {
    errno = EOPNOTSUPP;
    return false;
  }
  const size_t blocks = BlocksFor(names.size());
  Request<ethtool_sfeatures> request(blocks * sizeof(ethtool_set_features_block));
  request->cmd = ETHTOOL_SFEATURES;
  request->size = static_cast<uint32_t>(blocks);
  const uint32_t bit = uint32_t{1} << place % kBlockBits;
  request->features[place / kBlockBits].valid = bit;
  request->features[place / kBlockBits].requested = on ? bit : 0;
  if (!Ask(request.command())) return false;
  // The kernel may have taken it down as a wish.
  const std::vector<Feature> now = ReadFeatures();
  errno = EOPNOTSUPP;
  return place < now.size() && now[place].on == on;
}

std::optional<PauseSetting> Ethtool::ReadPause() const {
  ethtool_pauseparam pause{};
  pause.cmd = ETHTOOL_GPAUSEPARAM;
  if (!Ask(&pause)) return std::nullopt;
  return PauseSetting{.negotiated = pause.autoneg != 0,
                      .receives = pause.rx_pause != 0,
                      .sends = pause.tx_pause != 0};
}

bool Ethtool::SetPause(const PauseSetting& setting) const {
  ethtool_pauseparam pause{};
  pause.cmd = ETHTOOL_SPAUSEPARAM;
  pause.autoneg = setting.negotiated ? 1 : 0;
  pause.rx_pause = setting.receives ? 1 : 0;
  pause.tx_pause = setting.sends ? 1 : 0;
  return Ask(&pause);
}

std::vector<Statistic> Ethtool::ReadStatistics() const {
  std::vector<std::string> names = Names(ETH_SS_STATS);
  if (names.empty()) return {};
  Request<ethtool_stats> request((names.size() + kSpareValues) * sizeof(uint64_t));
  request->cmd = ETHTOOL_GSTATS;
  request->n_stats = static_cast<uint32_t>(names.size());
  if (!Ask(request.command())) return {};
  std::vector<Statistic> statistics;
  const size_t count = std::min<size_t>(names.size(), request->n_stats);
  for (size_t i = 0; i < count; ++i) {
    statistics.push_back({.name = std::move(names[i]), .value = request->data[i]});
  }
  return statistics;
}

}  // namespace tester
