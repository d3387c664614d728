// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Settings of an interface of the kernel, as a tester needs them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "port/kernel/interface.h"
#include "port/kernel/restoration.h"

namespace tester {

// A feature that stays on although it was to be off.
struct StuckFeature {
  const UnwantedFeature* feature;
  std::string reason;
};

enum class FlowControl : uint8_t {
  kNone,     // there is no MAC that could stop
  kOff,      // PAUSE frames stop nobody
  kUnknown,  // the driver does not say
  kOn        // it cannot be switched off
};

// While one lives, features that change received frames and flow control are off; then everything
// is as it was, promiscuous mode included.
class InterfaceSettings {
 public:
  InterfaceSettings() = default;  // of no interface
  // `with_xdp`: AF_XDP is going to put a program on the interface.
  InterfaceSettings(const Interface& before, bool with_xdp);
  ~InterfaceSettings();
  InterfaceSettings(InterfaceSettings&& other) noexcept { *this = std::move(other); }
  InterfaceSettings& operator=(InterfaceSettings&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(index_, other.index_);
    std::swap(restoration_, other.restoration_);
    std::swap(stuck_, other.stuck_);
    std::swap(flow_control_, other.flow_control_);
    return *this;
  }

  // Reasons why received frames may differ from those on the wire with this driver, as sentences
  // without their stop.
  std::vector<std::string> Objections(std::string_view driver) const;
  FlowControl flow_control() const { return flow_control_; }

 private:
  void SwitchFeaturesOff();
  void SwitchFlowControlOff(bool is_virtual);

  std::string name_;
  int index_ = 0;
  Restoration restoration_;
  std::vector<StuckFeature> stuck_;
  FlowControl flow_control_ = FlowControl::kNone;
};

// Puts back all but an XDP program, and takes the mark away.
void Restore(const std::string& interface, int index, const Restoration& restoration);

}  // namespace tester
