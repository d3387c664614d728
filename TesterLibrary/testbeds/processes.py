# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes as `/proc` shows them: who still lives, who is in a network namespace."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class ProcessId:
    """A process for good: its number can be given anew, its number and start time together cannot."""

    pid: int
    start: int  # clock ticks since boot

    @classmethod
    def of(cls, pid: int) -> ProcessId | None:
        """The living process of that number, if there is one. One that waits to be reaped lives no more."""
        try:
            stat = (_PROC / str(pid) / "stat").read_text()
        except OSError:
            return None
        state, *fields = stat.rpartition(")")[2].split()  # the name before may hold anything
        return None if state in "ZX" else cls(pid, int(fields[18]))

    @classmethod
    def parse(cls, text: str) -> ProcessId:
        """The reverse of `str`. ValueError for anything else."""
        pid, _, start = text.partition(":")
        return cls(int(pid), int(start))

    def __str__(self) -> str:
        return f"{self.pid}:{self.start}"

    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return ProcessId.of(self.pid) == self

    def end(self, grace: float) -> None:
        """Asks it to end, and after `grace` seconds makes it."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.is_alive():
                os.kill(self.pid, number)
            deadline = time.monotonic() + grace
            while self.is_alive() and time.monotonic() < deadline:
                time.sleep(0.01)


def all_pids() -> Iterator[int]:
    """The numbers of all processes."""
    return (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())


def command_line(pid: int) -> list[str]:
    """The arguments of a process; empty if it is gone or not to be seen."""
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def in_namespaces(inodes: Collection[int]) -> list[ProcessId]:
    """Processes, this one excepted, whose network namespace is one of these."""
    found = []
    for pid in all_pids():
        try:
            inside = pid != os.getpid() and (_PROC / str(pid) / "ns" / "net").stat().st_ino in inodes
        except OSError:
            continue  # gone meanwhile, or another user's
        process = ProcessId.of(pid) if inside else None
        if process:
            found.append(process)
    return found
