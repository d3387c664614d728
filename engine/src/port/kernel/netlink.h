// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Reads tables of the kernel over rtnetlink, in the network namespace of the process.
#pragma once

#include <linux/rtnetlink.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace tester {

// A message of the kernel: its fixed part and its attributes.
class NetlinkMessage {
 public:
  explicit NetlinkMessage(const nlmsghdr& header) : header_(header) {}

  template <typename Body>
  const Body& body() const {
    return *static_cast<const Body*>(NLMSG_DATA(&header_));
  }

  // The attribute's payload; nothing without the attribute.
  template <typename Body>
  std::optional<std::span<const uint8_t>> Find(uint16_t type) const {
    return FindFrom(NLMSG_SPACE(sizeof(Body)), type);
  }

 private:
  std::optional<std::span<const uint8_t>> FindFrom(size_t offset, uint16_t type) const;

  const nlmsghdr& header_;
};

// Calls `visit` for every attribute of a nested one, with its type and payload.
void VisitAttributes(std::span<const uint8_t> nested,
                     const std::function<void(uint16_t, std::span<const uint8_t>)>& visit);

// Calls `visit` for every entry of a table: RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE. Throws Error.
void DumpTable(uint16_t type, const std::function<void(const NetlinkMessage&)>& visit);

// Adds (RTM_NEWLINKPROP) or takes away (RTM_DELLINKPROP) another name of an interface. Returns 0 or
// an errno.
int ChangeOtherName(uint16_t type, int interface_index, const std::string& name);

}  // namespace tester
