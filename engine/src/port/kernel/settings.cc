// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/settings.h"

#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

#include "base/log.h"
#include "base/text.h"
#include "port/kernel/netlink.h"

namespace tester {
namespace {

// Some NICs restart their link for a setting.
constexpr auto kLinkPatience = std::chrono::seconds(10);
constexpr auto kLinkStep = std::chrono::milliseconds(20);

// The settings to switch off, and so to put back.
Restoration NeededFor(const Interface& before, const Ethtool& ethtool, bool with_xdp) {
  Restoration restoration;
  restoration.up = before.up;
  restoration.promiscuous = !before.promiscuous;
  restoration.xdp = with_xdp && !before.has_xdp_program;
  const std::vector<Feature> features = ethtool.ReadFeatures();
  for (const auto& unwanted : kUnwantedFeatures) {
    const auto found = std::ranges::find(features, unwanted.name, &Feature::name);
    if (found != features.end() && found->on) restoration.features.push_back(&unwanted);
  }
  if (const auto pause = ethtool.ReadPause(); pause && pause->any()) restoration.pause = pause;
  return restoration;
}

void WaitForLink(const std::string& interface) {
  const auto deadline = std::chrono::steady_clock::now() + kLinkPatience;
  for (;;) {
    const auto now = FindInterface(interface);
    if (!now || now->running || std::chrono::steady_clock::now() > deadline) return;
    std::this_thread::sleep_for(kLinkStep);
  }
}

// AF_XDP receives frames before software joins them; AF_PACKET restores tags that were stripped.
bool Concerns(const UnwantedFeature& feature, std::string_view driver) {
  if (feature.name == "rx-gro") return driver != "net_af_xdp";
  const bool takes_tags = feature.name.starts_with("rx-vlan");
  return !takes_tags || driver == "net_af_xdp";
}

}  // namespace

InterfaceSettings::InterfaceSettings(const Interface& before, bool with_xdp)
    : name_(before.name), index_(before.index) {
  restoration_ = NeededFor(before, Ethtool(name_), with_xdp);
  const int error = ChangeOtherName(RTM_NEWLINKPROP, index_, restoration_.Mark(index_));
  if (error != 0) {
    Log(LogLevel::kWarning, "unmarked",
        {{"interface", name_},
         {"reason", Cat("the kernel keeps no mark (", std::strerror(error),
                        "), so nobody can put settings back if testerd is killed")}});
  }
  SwitchFeaturesOff();
  SwitchFlowControlOff(before.is_virtual);
  if (before.running && (!restoration_.features.empty() || restoration_.pause)) WaitForLink(name_);
}

InterfaceSettings::~InterfaceSettings() {
  if (name_.empty()) return;
  try {
    Restore(name_, index_, restoration_);
  } catch (const std::exception&) {  // the mark stays, so the next start restores the rest
    Log(LogLevel::kWarning, "settings of an interface were not put back");
  }
}

void InterfaceSettings::SwitchFeaturesOff() {
  const Ethtool ethtool(name_);
  for (const auto* feature : restoration_.features) {
    if (ethtool.SetFeature(feature->name, false)) continue;
    stuck_.push_back({.feature = feature, .reason = std::strerror(errno)});
  }
  std::erase_if(restoration_.features, [&](const auto* feature) {
    return std::ranges::find(stuck_, feature, &StuckFeature::feature) != stuck_.end();
  });
}

void InterfaceSettings::SwitchFlowControlOff(bool is_virtual) {
  const Ethtool ethtool(name_);
  if (is_virtual) return;
  if (!ethtool.ReadPause()) {
    flow_control_ = FlowControl::kUnknown;
    return;
  }
  if (restoration_.pause) ethtool.SetPause({});
  const auto now = ethtool.ReadPause();
  flow_control_ = now && !now->receives ? FlowControl::kOff : FlowControl::kOn;
}

std::vector<std::string> InterfaceSettings::Objections(std::string_view driver) const {
  std::vector<std::string> objections;
  for (const auto& [feature, reason] : stuck_) {
    if (!Concerns(*feature, driver)) continue;
    objections.push_back(Cat(name_, " ", feature->effect, ": ", feature->name,
                             " cannot be switched off (", reason, "); try ethtool -K ", name_, " ",
                             feature->option, " off"));
  }
  return objections;
}

void Restore(const std::string& interface, int index, const Restoration& restoration) {
  const auto now = FindInterface(interface);
  if (!now || now->index != index) return;
  if (restoration.up && !now->up) SwitchInterface(interface, true);
  const Ethtool ethtool(interface);
  for (const auto* feature : restoration.features) ethtool.SetFeature(feature->name, true);
  if (restoration.pause) ethtool.SetPause(*restoration.pause);
  if (now->promiscuous == restoration.promiscuous) {
    SetPromiscuous(interface, !restoration.promiscuous);
  }
  for (const auto& name : now->other_names) {
    if (IsMark(name)) ChangeOtherName(RTM_DELLINKPROP, index, name);
  }
}

}  // namespace tester
