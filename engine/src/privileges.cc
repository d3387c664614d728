// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "privileges.h"

#include <dirent.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

constexpr auto kLongest = std::chrono::seconds(2);
constexpr auto kPoll = std::chrono::milliseconds(1);

constexpr uint32_t kKept = 1U << CAP_NET_ADMIN | 1U << CAP_SYS_NICE;
constexpr uint32_t kKeptAbove = 1U << (CAP_BPF - 32);

const User* wanted = nullptr;
std::atomic<int> answered{0};
std::atomic<int> failed{0};  // an errno

// The calling thread alone: the system calls of the kernel change one thread, those of the C
// library all, and the latter take the capabilities of all but one.
int BecomeUserHere(const User& user) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> kept{
      {{.effective = kKept, .permitted = kKept, .inheritable = 0},
       {.effective = kKeptAbove, .permitted = kKeptAbove, .inheritable = 0}}};
  const bool done = ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 &&
                    ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) == 0 &&
                    ::syscall(SYS_setresgid, user.group, user.group, user.group) == 0 &&
                    ::syscall(SYS_setresuid, user.id, user.id, user.id) == 0 &&
                    ::syscall(SYS_capset, &header, kept.data()) == 0;
  return done ? 0 : errno;
}

void OnSignal(int /*number*/) {
  const int before = errno;
  if (const int error = BecomeUserHere(*wanted); error != 0) failed.store(error);
  answered.fetch_add(1);
  errno = before;
}

std::set<pid_t> Threads() {
  std::set<pid_t> threads;
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return threads;
  while (const dirent* entry = ::readdir(folder)) {
    if (const int thread = std::atoi(entry->d_name); thread > 0) threads.insert(thread);
  }
  ::closedir(folder);
  return threads;
}

void ThrowIfFailed() {
  if (failed.load() == 0) return;
  throw Error(Code::kInternal, Cat("--user: ", std::strerror(failed.load())));
}

// Asks a thread and waits for its answer. A thread that ended meanwhile does not answer.
void Ask(pid_t thread, int number) {
  const int before = answered.load();
  if (::syscall(SYS_tgkill, ::getpid(), thread, number) != 0) return;
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (answered.load() == before) {
    std::this_thread::sleep_for(kPoll);
    if (!Threads().contains(thread)) return;
    if (std::chrono::steady_clock::now() < end) continue;
    throw Error(Code::kInternal, "--user: a thread does not give up its rights");
  }
  ThrowIfFailed();
}

}  // namespace

User FindUser(const std::string& name) {
  if (::geteuid() != 0) {
    throw Error(Code::kInvalidArgument, "--user is for root; this process is another user already");
  }
  const passwd* found = ::getpwnam(name.c_str());
  if (found == nullptr || found->pw_uid == 0) {
    throw Error(
        Code::kInvalidArgument,
        Cat("--user ", Quote(name), found == nullptr ? ": there is no such user" : " is root",
            "; give one without rights, such as nobody"));
  }
  User user{.id = found->pw_uid, .group = found->pw_gid, .groups = {}};
  int count = 0;
  ::getgrouplist(name.c_str(), user.group, nullptr, &count);
  user.groups.resize(static_cast<size_t>(count));
  ::getgrouplist(name.c_str(), user.group, user.groups.data(), &count);
  return user;
}

void BecomeUser(const User& user) {
  wanted = &user;
  const int number = SIGRTMAX;
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  struct sigaction before {};
  ::sigaction(number, &action, &before);
  std::set<pid_t> done{static_cast<pid_t>(::syscall(SYS_gettid))};
  // A thread that has not followed yet may begin others; those of one that has are as it is.
  for (bool any = true; any;) {
    any = false;
    for (const pid_t thread : Threads()) {
      if (!done.insert(thread).second) continue;
      Ask(thread, number);
      any = true;
    }
  }
  // The last one: while it is root, it sees all.
  failed.store(BecomeUserHere(user));
  ThrowIfFailed();
  ::sigaction(number, &before, nullptr);
}

}  // namespace tester
