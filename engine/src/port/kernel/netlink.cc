// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/netlink.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

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

void VisitAttributes(std::span<const uint8_t> nested,
                     const std::function<void(uint16_t, std::span<const uint8_t>)>& visit) {
  auto remaining = static_cast<int>(nested.size());
  const auto* attribute = reinterpret_cast<const rtattr*>(nested.data());
  for (; RTA_OK(attribute, remaining); attribute = RTA_NEXT(attribute, remaining)) {
    visit(attribute->rta_type & NLA_TYPE_MASK,
          {static_cast<const uint8_t*>(RTA_DATA(attribute)), RTA_PAYLOAD(attribute)});
  }
}

std::optional<std::span<const uint8_t>> NetlinkMessage::FindFrom(size_t offset,
                                                                 uint16_t type) const {
  if (header_.nlmsg_len < offset) return std::nullopt;
  const auto* base = reinterpret_cast<const uint8_t*>(&header_);
  std::optional<std::span<const uint8_t>> found;
  VisitAttributes({base + offset, header_.nlmsg_len - offset},
                  [&](uint16_t given, std::span<const uint8_t> payload) {
                    if (given == type && !found) found = payload;
                  });
  return found;
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

int ChangeOtherName(uint16_t type, int interface_index, const std::string& name) {
  const Socket socket;
  if (socket.fd() < 0) return errno;
  struct {
    nlmsghdr header;
    ifinfomsg body;
    rtattr list;
    rtattr name;
    std::array<char, 128> text;  // ALTIFNAMSIZ
  } request{};
  if (name.size() >= request.text.size()) return ENAMETOOLONG;
  const size_t text_bytes = RTA_LENGTH(name.size() + 1);
  request.header.nlmsg_type = type;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  request.body.ifi_index = interface_index;
  request.name.rta_type = IFLA_ALT_IFNAME;
  request.name.rta_len = static_cast<unsigned short>(text_bytes);
  request.list.rta_type = NLA_F_NESTED | IFLA_PROP_LIST;
  request.list.rta_len = static_cast<unsigned short>(RTA_LENGTH(RTA_ALIGN(text_bytes)));
  request.header.nlmsg_len =
      static_cast<uint32_t>(NLMSG_LENGTH(sizeof request.body) + request.list.rta_len);
  std::copy(name.begin(), name.end(), request.text.begin());
  if (::send(socket.fd(), &request, request.header.nlmsg_len, 0) < 0) return errno;
  struct {
    nlmsghdr header;
    nlmsgerr answer;
    std::array<char, 1024> rest;
  } reply{};
  if (::recv(socket.fd(), &reply, sizeof reply, 0) < 0) return errno;
  return reply.header.nlmsg_type == NLMSG_ERROR ? -reply.answer.error : EPROTO;
}

}  // namespace tester
