// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/claim.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "base/error.h"
#include "base/text.h"

namespace tester {

InterfaceClaim::InterfaceClaim(const std::string& interface)
    : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = std::string(1, '\0').append("testerd/").append(interface);
  std::copy(name.begin(), name.end(), std::begin(address.sun_path));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (::bind(fd_, reinterpret_cast<const sockaddr*>(&address), length) == 0) return;
  const int error = errno;
  ::close(std::exchange(fd_, -1));
  throw Error(Code::kFailedPrecondition,
              error == EADDRINUSE
                  ? Cat("interface ", Quote(interface), " belongs to another testerd that runs")
                  : Cat("interface ", Quote(interface), ": ", std::strerror(error)));
}

InterfaceClaim::~InterfaceClaim() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace tester
