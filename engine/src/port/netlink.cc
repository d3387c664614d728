// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/netlink.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "error.h"
#include "text.h"

namespace tester {
namespace {

class Socket {
 public:
  Socket() : fd_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {}
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void Fail(const char* what, int error) {
  throw Error(Code::kInternal, Cat("rtnetlink: ", what, ": ", std::strerror(error)));
}

// True when the answer is complete.
bool VisitAll(const uint8_t* data, size_t bytes,
              const std::function<void(const NetlinkMessage&)>& visit) {
  auto remaining = static_cast<uint32_t>(bytes);
  for (const auto* header = reinterpret_cast<const nlmsghdr*>(data); NLMSG_OK(header, remaining);
       header = NLMSG_NEXT(header, remaining)) {
    if (header->nlmsg_type == NLMSG_DONE) return true;
    if (header->nlmsg_type == NLMSG_ERROR) {
      Fail("dump", -static_cast<const nlmsgerr*>(NLMSG_DATA(header))->error);
    }
    visit(NetlinkMessage(*header));
  }
  return false;
}

}  // namespace

std::optional<std::span<const uint8_t>> NetlinkMessage::FindFrom(size_t offset,
                                                                 uint16_t type) const {
  const auto* base = reinterpret_cast<const uint8_t*>(&header_);
  int remaining = static_cast<int>(header_.nlmsg_len) - static_cast<int>(offset);
  const auto* attribute = reinterpret_cast<const rtattr*>(base + offset);
  for (; RTA_OK(attribute, remaining); attribute = RTA_NEXT(attribute, remaining)) {
    if ((attribute->rta_type & NLA_TYPE_MASK) != type) continue;
    return std::span(static_cast<const uint8_t*>(RTA_DATA(attribute)), RTA_PAYLOAD(attribute));
  }
  return std::nullopt;
}

void DumpTable(uint16_t type, const std::function<void(const NetlinkMessage&)>& visit) {
  const Socket socket;
  if (socket.fd() < 0) Fail("socket", errno);
  struct {
    nlmsghdr header;
    rtgenmsg body;
  } request{};
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof(rtgenmsg));
  request.header.nlmsg_type = type;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.rtgen_family = AF_UNSPEC;
  if (::send(socket.fd(), &request, request.header.nlmsg_len, 0) < 0) Fail("send", errno);
  alignas(nlmsghdr) std::array<uint8_t, 65536> buffer;
  for (;;) {
    const ssize_t bytes = ::recv(socket.fd(), buffer.data(), buffer.size(), 0);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) Fail("recv", bytes == 0 ? ECONNRESET : errno);
    if (VisitAll(buffer.data(), static_cast<size_t>(bytes), visit)) return;
  }
}

}  // namespace tester
