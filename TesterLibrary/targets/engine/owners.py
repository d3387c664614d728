# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine that has an interface of this machine, and who started it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")
_CLAIM = "@testerd/"  # abstract Unix socket that an engine binds for each of its interfaces: claim.cc
_INODE = 6  # column of /proc/net/unix


def owners_text(interfaces: Iterable[str], proc: Path = PROC) -> str:
    """The processes that have these interfaces, and what to do; empty if none is found."""
    claims = {claim.removeprefix(_CLAIM): inode for claim, inode in _claims(proc)}
    found = [
        f"interface {name!r} is used by testerd, process {pid}{_parent_text(pid, proc)}"
        for name in interfaces
        if name in claims and (pid := _holder(claims[name], proc))
    ]
    if not found:
        return ""
    return f"{'; '.join(found)}: wait until that run is over, end it, or give the testbed other interfaces"


def _claims(proc: Path) -> Iterable[tuple[str, str]]:
    for line in (proc / "net" / "unix").read_text(errors="replace").splitlines():
        fields = line.split()
        if fields[-1].startswith(_CLAIM):
            yield fields[-1], fields[_INODE]


def _holder(inode: str, proc: Path) -> str:
    """The process that has a socket open; empty if none is found, as for who may not look."""
    for descriptor in proc.glob("[0-9]*/fd/*"):
        try:
            if str(descriptor.readlink()) == f"socket:[{inode}]":
                return descriptor.parent.parent.name
        except OSError:
            continue
    return ""


def _parent_text(pid: str, proc: Path) -> str:
    """Who started a process, as far as this can be read."""
    try:
        status = dict(
            line.split(":\t", 1) for line in (proc / pid / "status").read_text().splitlines() if ":\t" in line
        )
        parent = status["PPid"].strip()
        words = (proc / parent / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except (OSError, KeyError):
        return ""
    return f", which process {parent} ({' '.join(words).strip()[:80]}) has started"
