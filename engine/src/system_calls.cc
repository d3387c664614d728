// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "system_calls.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace tester {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "system calls of this architecture are not known"
#endif
// The x32 system call numbers on x86-64.
constexpr uint32_t kOtherNumbers = 0x40000000;

// System calls of the hot loop come first. The kernel remembers the others as well.
constexpr long kAllowed[] = {
    SYS_sendto,
    SYS_recvfrom,
    SYS_ppoll,
    SYS_futex,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_sched_yield,
    SYS_read,
    SYS_write,
    SYS_epoll_pwait,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_recvmmsg,
    SYS_sendmmsg,
    SYS_nanosleep,
    SYS_gettimeofday,
    // Files: captures, and what the kernel tells of threads.
    SYS_openat,
    SYS_openat2,
    SYS_close,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstatfs,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_getdents64,
    SYS_fcntl,
    SYS_ioctl,
    SYS_memfd_create,
    SYS_ftruncate,
    SYS_statfs,
    SYS_mkdirat,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_unlinkat,
    SYS_umask,
    SYS_getcwd,
    // Memory.
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_mlock,
    SYS_munlock,
    SYS_mincore,
    SYS_mbind,
    SYS_get_mempolicy,
    SYS_set_mempolicy,
    SYS_membarrier,
    // Threads and signals.
    SYS_set_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_exit,
    SYS_exit_group,
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_getscheduler,
    SYS_sched_setscheduler,
    SYS_sched_getparam,
    SYS_sched_setparam,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_sched_getattr,
    SYS_sched_setattr,
    SYS_getpriority,
    SYS_setpriority,
    SYS_getcpu,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_prctl,
    // Sockets of clients, and of the kernel.
    SYS_accept,
    SYS_accept4,
    SYS_connect,  // to itself
    SYS_bind,
    SYS_listen,
    SYS_shutdown,
    SYS_getsockname,
    SYS_getpeername,
    SYS_getsockopt,
    SYS_setsockopt,
    SYS_socketpair,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_eventfd2,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_pselect6,
    // Identity of the process, and removal of XDP programs.
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_times,
    SYS_prlimit64,
    SYS_getrandom,
    SYS_capget,
    SYS_bpf,
#if defined(__x86_64__)
    // The older names of some of them.
    SYS_poll,
    SYS_epoll_wait,
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_unlink,
    SYS_rmdir,
    SYS_mkdir,
    SYS_dup2,
    SYS_pipe,
    SYS_select,
    SYS_arch_prctl,
    SYS_time,
    SYS_getrlimit,
#endif
};

constexpr long kKilled[] = {
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_reboot,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
#endif
};

constexpr int kFamilies[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

class CallFilter {
 public:
  void Load(size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  }
  void Return(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  // Skips the next `skipped` instructions unless the loaded number is `value`.
  void Unless(long value, uint8_t skipped = 1) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(value), 0, skipped));
  }
  // Kills unless it is `value`.
  void Require(uint32_t value) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    Return(SECCOMP_RET_KILL_PROCESS);
  }
  void UnlessAny(uint32_t bits, uint8_t skipped = 1) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skipped));
  }
  void UnlessAtLeast(uint32_t value, uint8_t skipped = 1) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, skipped));
  }
  sock_fprog Program() {
    return {.len = static_cast<uint16_t>(code_.size()), .filter = code_.data()};
  }

 private:
  std::vector<sock_filter> code_;
};

constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
// The low half of the first argument, on little-endian machines.
constexpr size_t kFirstArgument = offsetof(seccomp_data, args);

// The C library falls back to clone, whose flags can be looked at. By itself, as it is nothing to
// be logged.
CallFilter NoClone3() {
  CallFilter filter;
  filter.Load(offsetof(seccomp_data, nr));
  filter.Unless(SYS_clone3);
  filter.Return(SECCOMP_RET_ERRNO | ENOSYS);
  filter.Return(SECCOMP_RET_ALLOW);
  return filter;
}

CallFilter OnlyNeeded() {
  CallFilter filter;
  filter.Load(offsetof(seccomp_data, arch));
  filter.Require(kArchitecture);
  filter.Load(offsetof(seccomp_data, nr));
  filter.UnlessAtLeast(kOtherNumbers);
  filter.Return(SECCOMP_RET_KILL_PROCESS);
  for (const long number : kAllowed) {
    filter.Unless(number);
    filter.Return(SECCOMP_RET_ALLOW);
  }
  for (const long number : kKilled) {
    filter.Unless(number);
    filter.Return(SECCOMP_RET_KILL_PROCESS);
  }
  filter.Unless(SYS_clone3);  // the other filter's
  filter.Return(SECCOMP_RET_ALLOW);
  filter.Unless(SYS_clone, 4);
  filter.Load(kFirstArgument);
  filter.UnlessAny(CLONE_THREAD);
  filter.Return(SECCOMP_RET_ALLOW);
  filter.Return(SECCOMP_RET_KILL_PROCESS);
  constexpr uint8_t kFamilyCode = 2 * std::size(kFamilies) + 2;
  filter.Unless(SYS_socket, kFamilyCode);
  filter.Load(kFirstArgument);
  for (const int family : kFamilies) {
    filter.Unless(family);
    filter.Return(SECCOMP_RET_ALLOW);
  }
  filter.Return(kRefused);
  // Signals are for itself.
  for (const long number : {SYS_kill, SYS_tgkill}) {
    filter.Unless(number, 4);
    filter.Load(kFirstArgument);
    filter.Unless(::getpid());
    filter.Return(SECCOMP_RET_ALLOW);
    filter.Return(kRefused);
  }
  filter.Return(kRefused);
  return filter;
}

// In front of those that are there.
void Install(CallFilter filter, unsigned more_flags) {
  const sock_fprog program = filter.Program();
  // Nothing is slowed down by it that the kernel would do for programs that do not trust each
  // other.
  const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW | more_flags;
  const long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (result == 0) return;
  throw Error(Code::kInternal, Cat("seccomp: ", result > 0 ? "a thread does not take the filter"
                                                           : std::strerror(errno)));
}

}  // namespace

void FilterSystemCalls() {
  Install(NoClone3(), 0);
  Install(OnlyNeeded(), SECCOMP_FILTER_FLAG_LOG);
}

}  // namespace tester
