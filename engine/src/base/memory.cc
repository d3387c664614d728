// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "base/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr uint64_t kReserve = uint64_t{64} << 20;  // for all that is not asked for
constexpr uint64_t kKilobyte = 1024;

using Text = std::array<char, 4096>;

// The begin of a file of the kernel; empty if it cannot be read. It allocates nothing.
std::string_view Read(const char* path, Text& text) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t bytes = ::read(file, text.data(), text.size());
  ::close(file);
  return {text.data(), bytes > 0 ? static_cast<size_t>(bytes) : 0};
}

// Nothing where there is another word, such as "max".
std::optional<uint64_t> NumberIn(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> OfMachine() {
  constexpr std::string_view kName = "MemAvailable:";
  Text text;
  const std::string_view lines = Read("/proc/meminfo", text);
  const size_t at = lines.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const auto kilobytes = NumberIn(lines.substr(at + kName.size()));
  return kilobytes ? std::optional(*kilobytes * kKilobyte) : std::nullopt;
}

// Control groups of version 2.
std::optional<uint64_t> OfGroup() {
  Text text;
  const std::string_view lines = Read("/proc/self/cgroup", text);
  const size_t at = lines.find("0::");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view group = lines.substr(at + 3, lines.find('\n', at) - at - 3);
  std::string folder = "/sys/fs/cgroup";
  folder += group;
  Text number;
  const auto most = NumberIn(Read((folder + "/memory.max").c_str(), number));
  const auto used = NumberIn(Read((folder + "/memory.current").c_str(), number));
  if (!most || !used) return std::nullopt;
  return *most - std::min(*most, *used);
}

}  // namespace

std::optional<uint64_t> AvailableMemory() {
  const auto machine = OfMachine();
  const auto group = OfGroup();
  if (machine && group) return std::min(*machine, *group);
  return machine ? machine : group;
}

bool HasMemory(uint64_t bytes, std::optional<uint64_t> available) {
  return !available || (bytes <= *available && *available - bytes >= kReserve);
}

void CheckMemory(uint64_t bytes, std::optional<uint64_t> available, std::string_view what) {
  if (HasMemory(bytes, available)) return;
  throw Error(Code::kResourceExhausted,
              Cat(what, " needs ", bytes, " bytes of memory, and of the ", *available,
                  " that are free ", kReserve, " have to stay so; ask for fewer flows"));
}

}  // namespace tester
