// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "capture/ring.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

[[noreturn]] void Refuse(size_t bytes) {
  throw Error(Code::kResourceExhausted,
              Cat("no memory for a capture's ring of ", bytes, " bytes: ", std::strerror(errno)));
}

bool Map(uint8_t* at, size_t bytes, int file) {
  // Populated, so that no worker ever waits for the kernel to find a page.
  return ::mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file,
                0) != MAP_FAILED;
}

}  // namespace

Ring::Ring(size_t bytes) : bytes_(bytes), memory_(nullptr) {
  void* place =
      ::mmap(nullptr, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) Refuse(bytes);
  memory_ = static_cast<uint8_t*>(place);
  const int file = ::memfd_create("capture", MFD_CLOEXEC);
  const bool mapped = file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
                      Map(memory_, bytes, file) && Map(memory_ + bytes, bytes, file);
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (mapped) return;
  ::munmap(memory_, 2 * bytes);
  errno = reason;
  Refuse(bytes);
}

Ring::~Ring() { ::munmap(memory_, 2 * bytes_); }

}  // namespace tester
