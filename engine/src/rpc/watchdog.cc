// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/watchdog.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/log.h"

namespace tester {
namespace {

// Neither TLS nor HTTP/2: the server closes the connection once it has read it.
constexpr std::string_view kQuestion = "testerd: does the server answer?\r\n\r\n";

}  // namespace

Watchdog::~Watchdog() { Disconnect(); }

bool Watchdog::Look() {
  if (pause_ > 0) {
    --pause_;
    return true;
  }
  if (socket_ < 0) Connect();
  if (socket_ >= 0 && Answered()) {
    Disconnect();
    if (!answered_once_) Log(LogLevel::kDebug, "the watchdog has reached the server");
    answered_once_ = true;
    pause_ = kPause;
    misses_ = 0;
    return true;
  }
  ++misses_;
  return !answered_once_ || misses_ < kMostMisses;
}

void Watchdog::Connect() {
  socket_ = ::socket(address_.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0 || ::connect(socket_, address_.get(), address_.bytes) == 0) return;
  if (errno != EINPROGRESS) Disconnect();
}

bool Watchdog::Answered() {
  pollfd polled{.fd = socket_, .events = POLLIN | POLLOUT, .revents = 0};
  if (::poll(&polled, 1, 0) <= 0) return false;
  if (!asked_ && (polled.revents & POLLOUT) != 0) {
    ::send(socket_, kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL);
    asked_ = true;
  }
  if ((polled.revents & (POLLIN | POLLHUP | POLLERR)) == 0) return false;
  // A refused connection was not answered.
  int error = 0;
  socklen_t bytes = sizeof error;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (error == 0 || error == ECONNRESET) return true;
  Disconnect();
  return false;
}

void Watchdog::Disconnect() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  asked_ = false;
}

}  // namespace tester
