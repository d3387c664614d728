// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>

namespace tester {

// Connects here: the system calls and the user of later may not.
ServiceManager::ServiceManager() {
  const char* const name = std::getenv("NOTIFY_SOCKET");
  const std::string path = name == nullptr ? "" : name;
  sockaddr_un address{};
  if (path.size() < 2 || path.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  if (path.front() == '@') address.sun_path[0] = '\0';  // an abstract name
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), bytes) == 0) return;
  ::close(socket_);
  socket_ = -1;
}

ServiceManager::~ServiceManager() {
  if (socket_ >= 0) ::close(socket_);
}

void ServiceManager::Notify(std::string_view state) const {
  if (socket_ >= 0) ::send(socket_, state.data(), state.size(), MSG_NOSIGNAL);
}

}  // namespace tester
