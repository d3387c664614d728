// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "tester/usage.h"

#include <dirent.h>
#include <rte_mempool.h>

#include <fstream>
#include <limits>
#include <memory>
#include <string>

namespace tester {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::optional<uint64_t> ResidentBytes() {
  constexpr uint64_t kKib = 1024;
  std::ifstream file("/proc/self/status");
  uint64_t kibibytes = 0;
  int lines = 0;
  for (std::string name; file >> name;) {
    if (name == "RssAnon:" || name == "RssShmem:") {
      uint64_t part = 0;
      if (file >> part) ++lines;
      kibibytes += part;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  if (lines != 2) return std::nullopt;
  return kibibytes * kKib;
}

std::optional<uint32_t> Descriptors() {
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir("/proc/self/fd"));
  if (!directory) return std::nullopt;
  uint32_t descriptors = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (entry->d_name[0] != '.') ++descriptors;
  }
  return descriptors - 1;  // without that of the directory
}

void AddUsed(rte_mempool* pool, void* sum) {
  *static_cast<uint64_t*>(sum) += rte_mempool_in_use_count(pool);
}

}  // namespace

Usage Usage::Read() {
  Usage usage{.resident_bytes = ResidentBytes(), .descriptors = Descriptors()};
  rte_mempool_walk(AddUsed, &usage.mbufs);
  return usage;
}

}  // namespace tester
