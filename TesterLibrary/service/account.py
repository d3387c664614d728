# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The system user as whom the jobs of a place are run, in place of that of the service.

Suites are programs. As a user of their own they read neither the database and keys of the service nor what
others have measured. One place at a time has the user: all its processes end with a job, and what a job has
left is closed to the next one.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..campaign import attached
from ..errors import TesterLibraryError
from ..testbeds.python_process import python_code

HOME = "home"  # of a job: its temporary files, too
_NEEDED = {"CHOWN": 0, "DAC_OVERRIDE": 1, "FOWNER": 3, "KILL": 5, "SETGID": 6, "SETUID": 7}  # of Linux
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "PYTHONPATH")  # of the environment of the service
_PATIENCE_S = 60.0
_END_S = 10.0
_ROUNDS = 5
# As that user, without CAP_KILL: kills all that it may signal but itself, until nothing is left that runs.
_END = """
import os, pathlib, time
status = pathlib.Path("/proc/self/status").read_text()
assert os.getuid() and not int(status.partition("CapEff:")[2].split()[0], 16)
def runs(process):
    try:
        state = process.joinpath("stat").read_text().rpartition(")")[2].split()[0]
        return process.stat().st_uid == os.getuid() and state != "Z" and process.name != str(os.getpid())
    except OSError:
        return False
for _ in range(200):
    try:
        os.kill(-1, 9)
    except ProcessLookupError:
        break
    if not any(map(runs, pathlib.Path("/proc").glob("[0-9]*"))):
        break
    time.sleep(0.02)
"""


@dataclass(frozen=True)
class Account:
    """A system user."""

    name: str
    uid: int
    gid: int

    @classmethod
    def of(cls, name: str) -> Account:
        """A user of this machine. ValueError if there is none, or jobs would be no safer as that user."""
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            raise ValueError(
                f"this machine has no user {name!r}; make one for it alone: useradd --system {name}"
            ) from None
        if found.pw_uid == 0:
            raise ValueError(f"{name} reads everything on this machine; give a user for jobs alone")
        if found.pw_uid == os.geteuid():
            raise ValueError(f"{name} is the user of the service itself; give a user for jobs alone")
        return cls(name, found.pw_uid, found.pw_gid)

    @property
    def attached(self) -> Sequence[str]:
        """Begins a command that runs as this user, without capabilities, and ends with this process.

        The user is changed in the new program. Were it changed before, as `subprocess` does, a process of
        that user could stop the new one there, and this one, which waits for the new program, with it.
        """
        groups = ",".join(map(str, os.getgrouplist(self.name, self.gid)))
        return attached.begin(attached.AS, f"{self.uid}:{self.gid}:{groups}")

    def environment(self, folder: Path, given: Mapping[str, str]) -> dict[str, str]:
        """The environment of a job: of that of the service what says where programs are."""
        home = str(folder / HOME)
        own = {"HOME": home, "TMPDIR": home, "USER": self.name, "LOGNAME": self.name, "PYTHONNOUSERSITE": "1"}
        return {**{name: given[name] for name in _KEPT if name in given}, **own}

    def open_folder(self, folder: Path, run: str, file: str) -> None:
        """Lets this user into the folder of a job, to read its file and to write its run."""
        for name in (run, HOME):
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        for name in (run, HOME, file):
            os.chown(folder / name, self.uid, self.gid, follow_symlinks=False)
        folder.chmod(0o711)

    def close_folder(self, folder: Path) -> None:
        """Ends all processes of this user; then nobody but the service gets into the folder any more."""
        self.end_all()
        close(folder)

    def end_all(self) -> None:
        """Ends all processes of this user, whatever they call themselves and whoever is their parent.

        A process of that user signals all others at once, so that none gets away by a fork. What stops or
        kills that process first is killed from here, one by one.
        """
        for _ in range(_ROUNDS):
            with suppress(subprocess.TimeoutExpired, OSError):  # there may be no room for it
                self._run(_END, _END_S)
            left = self._left()
            if not left:
                return
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        print(f"tester serve: {len(left)} processes of {self.name} may be left", flush=True)

    def _left(self) -> list[int]:
        """The processes of this user, but those that are over."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended
                state = (process / "stat").read_text().rpartition(")")[2].split()[0]
                if process.stat().st_uid == self.uid and state != "Z":
                    found.append(int(process.name))
        return found

    def try_out(self, folder: Path) -> None:
        """TesterLibraryError if jobs cannot be run as this user in folders inside of this one."""
        if missing := _missing():
            raise TesterLibraryError(
                f"runner: {self.name}: to run jobs as another user the service has to be root, or to have "
                f"{', '.join(f'CAP_{name}' for name in _NEEDED)}; it lacks {', '.join(missing)}"
            )
        library = str(Path(__file__).parents[2])
        code = f"import os, sys; os.stat({str(folder / '.')!r}); sys.path.append({library!r})"
        try:
            done = self._run(f"{code}; import TesterLibrary")
            said = "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["it was killed"])[-1]
        except OSError as problem:
            said = f"{problem.strerror}: {problem.filename}"
        if said:
            raise TesterLibraryError(
                f"runner: {self.name}: it has to reach Python, this library and what is inside of {folder}, "
                f"but not to read the folders above (chmod o+x): {said}"
            )
        self.end_all()

    def _run(self, code: str, patience_s: float = _PATIENCE_S) -> subprocess.CompletedProcess[str]:
        """Runs some Python as this user."""
        return subprocess.run(
            [*self.attached, *python_code(code)],
            capture_output=True,
            text=True,
            cwd="/",
            env=self.environment(Path("/nonexistent"), os.environ),
            timeout=patience_s,
            check=False,
        )


def close(folder: Path) -> None:
    """Lets nobody but the service into the folder of a job that is over."""
    with suppress(OSError):  # its disk is gone
        folder.chmod(0o700)
    shutil.rmtree(folder / HOME, ignore_errors=True)


def check_secrets(name: str, files: Sequence[Path]) -> None:
    """TesterLibraryError if others than the service can read one of its files."""
    for file in files:
        mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else 0
        if mode & 0o077:
            raise TesterLibraryError(
                f"runner: {name}: {file} has mode {mode:o}, so jobs could read it; chmod 600 it"
            )


def _missing() -> list[str]:
    """The capabilities that this process lacks."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("CapEff:"):
            has = int(line.split()[1], 16)
            return [f"CAP_{name}" for name, bit in _NEEDED.items() if not has >> bit & 1]
    return []
