# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The directory of an engine or a service for its sockets and log, named after the process that owns it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from ...testbeds.processes import ProcessId

_LONGEST_SOCKET_PATH = 100  # the kernel takes 107
_SHORT = Path("/tmp")
_NAME = re.compile(r"testerd-(?P<world>\d+)-(?P<pid>\d+)-(?P<start>\d+)-\w+")


def new_runtime_directory() -> Path:
    """A new directory that only we can enter, with a path short enough for a socket."""
    owner = ProcessId.own()
    prefix = f"testerd-{_world()}-{owner.pid}-{owner.start}-"
    made = Path(tempfile.mkdtemp(prefix=prefix))
    if len(str(made)) <= _LONGEST_SOCKET_PATH - len("/testerd.sock"):
        return made
    made.rmdir()
    return Path(tempfile.mkdtemp(prefix=prefix, dir=_SHORT))


def clean_runtime_directories() -> tuple[Path, ...]:
    """Removes directories of ours whose owner is gone; returns them. An engine ends with its owner."""
    stale = [
        path
        for folder in sorted({Path(tempfile.gettempdir()), _SHORT})
        for path in sorted(folder.glob("testerd-*"))
        if _is_stale(path)
    ]
    for path in stale:
        shutil.rmtree(path, ignore_errors=True)
    return tuple(path for path in stale if not path.exists())


def _is_stale(path: Path) -> bool:
    named = _NAME.fullmatch(path.name)
    # Another container may share the folder; its process numbers mean nothing here.
    if not named or int(named["world"]) != _world():
        return False
    owner = ProcessId(int(named["pid"]), int(named["start"]))
    try:
        return path.stat().st_uid == os.geteuid() and not owner.is_alive()
    except OSError:
        return False


def _world() -> int:
    """The inode of our PID namespace."""
    return Path("/proc/self/ns/pid").stat().st_ino
