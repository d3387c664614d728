# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The files and processes that programs of an embedded testbed see: few of this machine, all read-only.

Programs of hosts and of devices run for suites, and some suites are given texts by strangers. So they have a
root of their own, in memory: the machine's `/usr` (with `/lib`, `/bin`, …) and some of `/etc`, read-only, an
empty `/tmp`, and nothing else. They see no process of the machine and cannot reach it by a capability.

Only the host process of a testbed (`host.py`) uses it. A first process holds the namespaces; when it ends,
the kernel ends all others in them.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from ..errors import TestbedError
from . import confinement
from .confinement import NAMESPACES, confine, enter

# An environment variable of a process of a job of `tester serve`, whose files hosts do not see.
JOB_VARIABLE = "TESTER_JOB"
_READABLE = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "sys/devices/system")
_OF_ETC = (
    *("alternatives", "ca-certificates.conf", "ethertypes", "gai.conf", "group", "host.conf", "iproute2"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "libibverbs.d", "localtime", "nsswitch.conf", "passwd"),
    *("protocols", "rpc", "services", "ssl/certs", "ssl/openssl.cnf", "xtables"),
)
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "net/tun")
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
_EMPTY = ("proc", "dev/shm", "home", "root", "run", "var/lib", "var/log", "var/tmp")
_NEW_MOUNTS, _NEW_UTS, _NEW_IPC, _NEW_PIDS = 0x20000, 0x4000000, 0x8000000, 0x20000000  # linux/sched.h
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS, _REMOUNT, _BIND = 1, 2, 4, 8, 32, 4096  # sys/mount.h
_RECURSIVE, _PRIVATE, _DETACH = 1 << 14, 1 << 18, 2
_MOUNT_SETATTR, _AT_RECURSIVE = 442, 0x8000
_PDEATHSIG = 1
_ALL_USERS = 0xFFFFFFFF  # in a map of users: that of the machine itself
_NOBODY = 65534
_libc = ctypes.CDLL(None, use_errno=True)


def python() -> str:
    """The Python of this machine, as it is in the sandbox: without a virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def _root(shared: Path | None) -> Path:
    """A folder below which this process needs nothing of the machine."""
    needed = [Path(name) for name in (*sys.path, sys.prefix, sys.base_prefix, shared or "")]
    for root in map(Path, ("/mnt", "/media", "/srv")):
        if root.is_dir() and not any(path.is_relative_to(root) for path in needed):
            return root
    raise TestbedError(
        "Python, this library and the suites fill /mnt, /media and /srv; leave one of them free"
    )


class Sandbox:
    """Namespaces of mounts, processes and IPC. They live until `close`, or the end of this process.

    All further children of this process are in that of processes: a user without privileges cannot go back.
    """

    def __init__(self, shared: Path | None = None) -> None:
        """Makes them. `shared`: a folder of the machine that is to be read in them.

        Raises:
            TestbedError: this machine does not allow it.
        """
        # In the sandbox it is a link to `/`: a path below it is the same in both.
        self._root = root = _root(shared)
        _mount("tmpfs", root, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=755")
        (root / "tmp").mkdir()
        (root / "tmp").chmod(0o1777)
        said, says = os.pipe()
        _checked(_libc.unshare(_NEW_PIDS), "a new namespace of processes")
        self.init = os.fork()
        if not self.init:
            _hold(says, root, shared)
        os.close(says)
        with os.fdopen(said) as answer:
            problem = answer.read()
        if problem != "ready":
            raise TestbedError(f"its programs cannot be kept from the files of this machine: {problem}")
        self._handles = [
            os.open(f"/proc/{self.init}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in NAMESPACES
        ]

    def scratch(self) -> Path:
        """A new folder in memory, which this process and those in the sandbox have by the same path."""
        folder = Path(tempfile.mkdtemp(dir=self._root / "tmp"))
        folder.chmod(0o755)
        return folder

    def prefix(self) -> tuple[str, ...]:
        """Runs a command in the sandbox, as `nobody` where this process is root of the machine."""
        user = f":{_NOBODY}" if _has_all_users() else ""
        return (sys.executable, "-I", "-S", confinement.__file__, f"{self.init}{user}")

    def enter(self) -> None:
        """Moves this process, which is to execute a program, into the sandbox."""
        enter(self._handles)
        confine()

    def close(self) -> None:
        """Ends all processes in it.

        The first one is gone only after all others are, and those are children of this process: it waits for
        all.
        """
        with suppress(ProcessLookupError):
            os.kill(self.init, signal.SIGKILL)
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


def _hold(says: int, root: Path, shared: Path | None) -> None:
    """The first process of the sandbox. Never returns."""
    try:
        _libc.prctl(_PDEATHSIG, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        _checked(_libc.unshare(_NEW_MOUNTS | _NEW_UTS | _NEW_IPC), "new namespaces")
        _build(root, shared)
        nothing = os.open("/dev/null", os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        os.write(says, b"ready")
    except BaseException as problem:
        os.write(says, (str(problem) or type(problem).__name__).encode())
        os._exit(1)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    while True:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        signal.sigwait({signal.SIGCHLD})


def _build(root: Path, shared: Path | None) -> None:
    _mount(None, Path("/"), None, _RECURSIVE | _PRIVATE)
    for name in _READABLE:
        _show(root, Path("/", name))
    for name in _OF_ETC:
        _show(root, Path("/etc", name))
    for folder in (Path(sys.base_prefix), shared):
        if folder is not None and _may_be_shown(folder):
            _show(root, folder)
    for name in _EMPTY:
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("dev/shm", "var/tmp"):
        (root / name).chmod(0o1777)
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n", encoding="ascii")
    for name in _DEVICES:
        _show(root, Path("/dev", name))
    for name, target in _LINKS.items():
        (root / "dev" / name).symlink_to(target)
    (root / root.name).symlink_to("/")
    _mount_proc(root / "proc")
    os.chdir(root)
    _checked(_libc.pivot_root(b".", b"."), "a root of its own")
    _checked(_libc.umount2(b".", _DETACH), "to leave the root of the machine")
    os.chdir("/")


def _may_be_shown(folder: Path) -> bool:
    """Whether a folder of this machine can be beside what the sandbox has of its own."""
    own = [Path("/", name) for name in (*_READABLE, *_EMPTY, "tmp", "dev", "etc")]
    shown = [Path("/", name) for name in (*_READABLE, "dev", "etc", "proc")]
    return (
        folder.is_dir()
        and not any(path.is_relative_to(folder) for path in own)
        and not any(folder.is_relative_to(path) for path in shown)
    )


def _show(root: Path, path: Path) -> None:
    """Shows a file or folder of the machine in the sandbox, by its own path."""
    here = root / path.relative_to("/")
    here.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() and path.parent == Path("/"):
        here.symlink_to(path.readlink())
    elif path.is_dir():
        here.mkdir(exist_ok=True)
        _mount(str(path), here, None, _BIND | _RECURSIVE)
        _make_read_only(here)
    elif path.is_file():
        shutil.copyfile(path, here)
    elif path.exists():
        here.touch()
        _mount(str(path), here, None, _BIND)


def _mount_proc(proc: Path) -> None:
    """Processes of the sandbox alone. What is written there must not reach beyond its networks."""
    try:
        _mount("proc", proc, "proc", _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)
        networks = proc / "sys/net"
        _mount(str(networks), networks, None, _BIND)
        _make_read_only(proc, recursive=False)
    except PermissionError:
        # In a container that hides parts of /proc nobody but its root makes another one. This shows processes
        # of the machine, whose files a user without privileges cannot open in it.
        if _has_all_users():
            raise
        _mount("/proc", proc, None, _BIND | _RECURSIVE)
        _make_read_only(proc)


def _has_all_users() -> bool:
    """Whether this process is in the user namespace of the machine."""
    return int(Path("/proc/self/uid_map").read_text(encoding="ascii").split()[2]) == _ALL_USERS


def _make_read_only(path: Path, *, recursive: bool = True) -> None:
    attributes = (ctypes.c_uint64 * 4)(_READ_ONLY | _NO_SUID, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    result = _libc.syscall(_MOUNT_SETATTR, -100, bytes(path), flags, attributes, ctypes.sizeof(attributes))
    _checked(result, f"{path} read-only (needs Linux 5.12)")


def _mount(
    source: str | None, target: Path, kind: str | None, flags: int, options: str | None = None
) -> None:
    words = (text.encode() if text is not None else None for text in (source, kind, options))
    what, name, data = words
    _checked(_libc.mount(what, bytes(target), name, flags, data), f"mount {source or ''} at {target}")


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
