// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Features of a kernel interface, read and set as `ethtool` does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tester {

// Queues that frames of an interface arrive on.
struct Channels {
  uint32_t receive = 0;
  uint32_t combined = 0;  // receive and send

  uint32_t arriving() const { return receive + combined; }
  // The `ethtool` command that makes frames arrive on so many channels.
  std::string Command(std::string_view interface, uint32_t channels) const;
};

// A feature by the kernel's name, such as "rx-gro" (ethtool -k).
struct Feature {
  std::string name;
  bool on = false;
};

// Flow control by PAUSE frames (IEEE 802.3 annex 31B).
struct PauseSetting {
  bool negotiated = false;
  bool receives = false;  // its sender stops while the other end asks it to
  bool sends = false;

  bool any() const { return negotiated || receives || sends; }
};

struct Statistic {
  std::string name;
  uint64_t value = 0;
};

// Ethtool of one interface. What the driver does not support is nothing or empty.
class Ethtool {
 public:
  explicit Ethtool(std::string interface);
  ~Ethtool();
  Ethtool(const Ethtool&) = delete;
  Ethtool& operator=(const Ethtool&) = delete;

  // Bits per second; 0 where it is not known.
  uint64_t Speed() const;
  std::optional<Channels> ReadChannels() const;
  std::vector<Feature> ReadFeatures() const;
  // False, with the reason in errno, where the feature is not so afterwards.
  bool SetFeature(std::string_view name, bool on) const;
  std::optional<PauseSetting> ReadPause() const;
  // False, with the reason in errno.
  bool SetPause(const PauseSetting& setting) const;
  std::vector<Statistic> ReadStatistics() const;

 private:
  bool Ask(void* command) const;
  std::vector<std::string> Names(uint32_t set) const;

  const std::string interface_;
  const int fd_;
};

}  // namespace tester
