// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/device/flow_control.h"

#include <rte_ethdev.h>

#include <numeric>
#include <utility>

#include "port/kernel/pause.h"

namespace tester {
namespace {

std::vector<uint64_t> FindStatistics(uint16_t device) {
  const int count = rte_eth_xstats_get_names(device, nullptr, 0);
  if (count <= 0) return {};
  std::vector<rte_eth_xstat_name> names(static_cast<size_t>(count));
  if (rte_eth_xstats_get_names(device, names.data(), static_cast<unsigned>(count)) != count) {
    return {};
  }
  std::vector<uint64_t> ids;
  for (size_t id = 0; id < names.size(); ++id) {
    if (IsReceivedPause(names[id].name)) ids.push_back(id);
  }
  return ids;
}

}  // namespace

FlowControl SwitchFlowControlOff(uint16_t device) {
  rte_eth_fc_conf conf{};
  if (rte_eth_dev_flow_ctrl_get(device, &conf) != 0) return FlowControl::kUnknown;
  if (conf.mode == RTE_ETH_FC_NONE) return FlowControl::kOff;
  conf.mode = RTE_ETH_FC_NONE;
  conf.autoneg = 0;
  return rte_eth_dev_flow_ctrl_set(device, &conf) == 0 ? FlowControl::kOff : FlowControl::kOn;
}

PauseStatistics::PauseStatistics(uint16_t device, std::string interface)
    : device_(device), interface_(std::move(interface)) {
  if (interface_.empty()) {
    ids_ = FindStatistics(device_);
    counted_ = !ids_.empty();
  } else {
    counted_ = SumReceivedPause(Ethtool(interface_).ReadStatistics()).has_value();
  }
}

std::optional<uint64_t> PauseStatistics::Read() const {
  if (!counted_) return std::nullopt;
  if (!interface_.empty()) return SumReceivedPause(Ethtool(interface_).ReadStatistics());
  std::vector<uint64_t> values(ids_.size());
  const auto count = static_cast<unsigned>(ids_.size());
  if (rte_eth_xstats_get_by_id(device_, ids_.data(), values.data(), count) !=
      static_cast<int>(count)) {
    return std::nullopt;
  }
  return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

}  // namespace tester
