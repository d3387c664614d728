# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Prepares a machine as a tester, and takes back what it has changed: `tester setup`."""

from __future__ import annotations

import grp
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..errors import TesterLibraryError
from . import system_packages

CAPABILITIES = "cap_net_admin,cap_net_raw,cap_bpf,cap_sys_nice,cap_ipc_lock"
"""What testerd needs to open ports without root: interfaces, raw frames, XDP, priority, locked memory."""


@dataclass
class Changes:
    """Changes of a set-up: the file that `undo` reads."""

    packages: list[str] = field(default_factory=list)
    made_group: str = ""
    engine: str = ""
    engine_mode: int = 0
    engine_group: int = 0
    huge_pages: int | None = None
    """Huge pages that the machine had before."""


class MachineSetup:
    """One machine.

    Args:
        root: The root of its file system.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._state = root / "var/lib/testerlibrary/setup.json"
        self._settings = root / "etc/sysctl.d/60-testerlibrary.conf"
        self._huge_pages = root / "proc/sys/vm/nr_hugepages"

    def apply(self, engine: Path | None, group: str = "", huge_pages: int = 0) -> Iterator[str]:
        """Makes what is missing, a line for each change. A second call changes nothing.

        Raises:
            TesterLibraryError: a change failed; those before it are recorded.
        """
        changes = self._changes()
        yield self._add_packages(changes)
        if group:
            yield self._allow(changes, engine, group)
        if huge_pages:
            yield self._reserve(changes, huge_pages)

    def undo(self) -> Iterator[str]:
        """Takes back all changes, the last one first, a line for each."""
        changes = self._changes()
        if changes.huge_pages is not None:
            self._settings.unlink(missing_ok=True)
            self._huge_pages.write_text(str(changes.huge_pages))
            yield f"huge pages: {changes.huge_pages}, as before"
        if changes.engine:
            yield self._disallow(changes)
        if changes.packages:
            _run([*system_packages.UNASKED, "apt-get", "remove", "--yes", *changes.packages])
            yield f"packages removed: {' '.join(changes.packages)}"
        if changes == Changes():
            yield "nothing to undo: 'tester setup' has changed nothing on this machine"
        self._state.unlink(missing_ok=True)

    def _add_packages(self, changes: Changes) -> str:
        wanted = system_packages.read(["devices"])
        missing = system_packages.missing(wanted)
        if not missing:
            return f"packages: {' '.join(wanted)} are installed"
        try:
            system_packages.install(missing)
        except SystemExit as problem:
            raise TesterLibraryError(str(problem)) from None
        changes.packages += missing
        self._record(changes)
        return f"packages installed: {' '.join(missing)}"

    def _allow(self, changes: Changes, engine: Path | None, group: str) -> str:
        if engine is None:
            raise TesterLibraryError(
                "there is no testerd to give capabilities to; "
                "install it with pip install 'robotframework-testerlibrary[engine]'"
            )
        if not changes.engine:
            facts = engine.stat()
            changes.engine, changes.engine_mode, changes.engine_group = (
                str(engine),
                facts.st_mode & 0o7777,
                facts.st_gid,
            )
        try:
            number = grp.getgrnam(group).gr_gid
        except KeyError:
            _run(["groupadd", "--system", group])
            changes.made_group = group
            number = grp.getgrnam(group).gr_gid
        self._record(changes)
        os.chown(engine, -1, number)
        engine.chmod(0o750)
        _run(["setcap", f"{CAPABILITIES}=ep", str(engine)])
        return f"{engine}: members of the group {group} may run it, without root ({CAPABILITIES})"

    def _disallow(self, changes: Changes) -> str:
        engine = Path(changes.engine)
        if engine.exists():
            os.chown(engine, -1, changes.engine_group)  # takes its capabilities, too
            engine.chmod(changes.engine_mode)
        if changes.made_group:
            _run(["groupdel", changes.made_group])
        return f"{engine}: no capabilities, as before"

    def _reserve(self, changes: Changes, pages: int) -> str:
        if changes.huge_pages is None:
            changes.huge_pages = int(self._huge_pages.read_text())
        self._record(changes)
        self._settings.parent.mkdir(parents=True, exist_ok=True)
        self._settings.write_text(f"# by 'tester setup'\nvm.nr_hugepages = {pages}\n")
        self._huge_pages.write_text(str(pages))
        reserved = int(self._huge_pages.read_text())
        if reserved < pages:
            raise TesterLibraryError(
                f"huge pages: {reserved} of {pages} could be reserved; memory is too full or in pieces. "
                f"{self._settings} asks for them at the next boot"
            )
        return f"huge pages: {pages}, at each boot ({self._settings})"

    def _changes(self) -> Changes:
        if not self._state.is_file():
            return Changes()
        return Changes(**json.loads(self._state.read_text()))

    def _record(self, changes: Changes) -> None:
        self._state.parent.mkdir(parents=True, exist_ok=True)
        self._state.write_text(json.dumps(asdict(changes), indent=2) + "\n")


def check_machine() -> None:
    """Refuses a machine or a user that `tester setup` cannot work with, before anything is changed."""
    if shutil.which("apt-get") is None:
        packages = " ".join(system_packages.read(["devices"]))
        raise TesterLibraryError(
            f"'tester setup' knows Debian and Ubuntu; elsewhere install what these packages have: {packages}"
        )
    if os.geteuid():
        raise TesterLibraryError("'tester setup' changes the machine: run it as root, or with sudo")


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise TesterLibraryError(f"{command[0]} is not installed") from None
    if done.returncode:
        raise TesterLibraryError(
            f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()[-500:]}"
        )
