// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Does not wait for the other end of a pipe.
constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

struct Limit {
  std::string name;  // of the folder, without / at the end; empty: no file at all
  Descriptor folder;

  Descriptor Open(std::string_view path) const {
    if (name.empty()) return Descriptor();
    if (path.starts_with(name) && path.substr(name.size()).starts_with('/')) {
      path.remove_prefix(name.size() + 1);
    }
    open_how how{};
    how.flags = kFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const std::string below(path);
    return Descriptor(
        static_cast<int>(::syscall(SYS_openat2, folder.get(), below.c_str(), &how, sizeof how)));
  }
};

std::optional<Limit>& TheLimit() {
  static std::optional<Limit> limit;
  return limit;
}

Descriptor Open(const std::string& path) {
  if (path.find('\0') != std::string::npos) return Descriptor();  // its begin may be a file
  return TheLimit() ? TheLimit()->Open(path) : Descriptor(::open(path.c_str(), kFlags));
}

std::optional<struct stat> StatusOf(const Descriptor& opened) {
  struct stat status {};
  if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return status;
}

}  // namespace

void LimitCaptureFiles(const std::string& folder) {
  Limit limit;
  limit.name = folder.substr(0, folder.find_last_not_of('/') + 1);
  if (!limit.name.empty()) {
    limit.folder = Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (limit.folder.get() < 0) {
      throw Error(Code::kInvalidArgument,
                  Cat("--captures ", Quote(folder), ": ", std::strerror(errno), "; give a folder"));
    }
  }
  TheLimit() = std::move(limit);
}

std::string CaptureFilesLimit() {
  if (!TheLimit()) return "";
  const std::string& name = TheLimit()->name;
  return name.empty() ? "it was started without --captures, so it opens none"
                      : Cat("it opens files below ", name, " only (--captures)");
}

std::ifstream OpenCapture(const std::string& path) {
  std::ifstream file;
  const Descriptor opened = Open(path);
  if (StatusOf(opened)) file.open(Cat("/proc/self/fd/", opened.get()), std::ios::binary);
  return file;
}

std::optional<struct stat> StatCapture(const std::string& path) { return StatusOf(Open(path)); }

}  // namespace tester
