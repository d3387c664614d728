// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "port/kernel/xdp.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/log.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr std::array<std::string_view, 2> kLibxdpPrograms = {"xsk_def_prog", "xdp_dispatcher"};

int LogMessage(const char* format, va_list arguments) {
  std::array<char, 512> text{};
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string_view line(text.data());
  while (line.ends_with('\n')) line.remove_suffix(1);
  Log(LogLevel::kDebug, "xdp", {{"text", std::string(line)}});
  return length;
}

int OnBpf(libbpf_print_level /*level*/, const char* format, va_list arguments) {
  return LogMessage(format, arguments);
}

int OnXdp(libxdp_print_level /*level*/, const char* format, va_list arguments) {
  return LogMessage(format, arguments);
}

// Creates the map that an XDP socket needs, and frees it. Returns the error.
int ErrorOfXskMap() {
  const int fd =
      bpf_map_create(BPF_MAP_TYPE_XSKMAP, "testerd", sizeof(int), sizeof(int), 1, nullptr);
  if (fd < 0) return -fd;
  ::close(fd);
  return 0;
}

// The foreign XDP program on the interface.
std::string ForeignProgram(int interface_index) {
  uint32_t id = 0;
  if (bpf_xdp_query_id(interface_index, 0, &id) != 0 || id == 0) return {};
  const int fd = bpf_prog_get_fd_by_id(id);
  if (fd < 0) return Cat("number ", id);
  bpf_prog_info info{};
  uint32_t length = sizeof info;
  const bool known = bpf_obj_get_info_by_fd(fd, &info, &length) == 0;
  ::close(fd);
  if (!known) return Cat("number ", id);
  for (const auto name : kLibxdpPrograms) {
    if (name == info.name) return {};
  }
  return Cat(Quote(info.name), ", number ", id);
}

}  // namespace

std::string XdpObstacle(int interface_index) {
  if (const int error = ErrorOfXskMap(); error != 0) {
    return Cat(
        "the kernel refuses XDP to this process (", std::strerror(error),
        error == EPERM ? "; it takes CAP_BPF, CAP_NET_ADMIN and CAP_NET_RAW, as root has)" : ")");
  }
  if (const std::string foreign = ForeignProgram(interface_index); !foreign.empty()) {
    return Cat("the interface has an XDP program of somebody else's (", foreign, ")");
  }
  return {};
}

bool RemoveXdpProgram(int interface_index) {
  uint32_t id = 0;
  if (bpf_xdp_query_id(interface_index, 0, &id) != 0 || id == 0) return false;
  if (!ForeignProgram(interface_index).empty()) return false;
  xdp_multiprog* programs = xdp_multiprog__get_from_ifindex(interface_index);
  if (libxdp_get_error(programs) != 0) return bpf_xdp_detach(interface_index, 0, nullptr) == 0;
  // With a dispatcher this also removes its pins in the BPF file system.
  const int error = xdp_multiprog__detach(programs);
  xdp_multiprog__close(programs);
  return error == 0;
}

void QuietXdpLibraries() {
  libbpf_set_print(OnBpf);
  libxdp_set_print(OnXdp);
}

}  // namespace tester
