# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hosts at the ends of an embedded testbed: programs that run there, and what their kernels count."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import TestbedError, TesterLibraryError
from ..model.units import Duration
from ..testbeds import RunningTestbed

_MOST_WORDS = 300  # of what a program that failed has said
_TABLES = ("/proc/net/snmp", "/proc/net/netstat")  # as nstat reads them


@dataclass(frozen=True)
class ProgramResult:
    """A program that has ended on a host."""

    status: int  # its exit status
    stdout: str
    stderr: str

    def __str__(self) -> str:
        return f"ended with status {self.status}"


class Hosts:
    """The hosts of one testbed, by name."""

    def __init__(self, testbed: RunningTestbed | None) -> None:
        self._testbed = testbed
        self._marked: dict[str, Mapping[str, int]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hosts; none, where the testbed has no hosts of its own."""
        return self._testbed.hosts if self._testbed else ()

    def run(self, host: str, command: str, *, status: int, timeout: Duration) -> ProgramResult:
        """Runs a program on a host and waits for its end.

        Raises:
            TesterLibraryError: there is no such host or program; it did not end in time, or as it was to.
        """
        words = shlex.split(command)
        if not words:
            raise TesterLibraryError("no command; give a program with its arguments")
        try:
            done = self._run(host, words, timeout)
        except subprocess.TimeoutExpired:
            raise TesterLibraryError(f"{command!r} on host {host} has not ended within {timeout}") from None
        if done.status != status:
            said = " ".join((done.stderr or done.stdout).split())[-_MOST_WORDS:]
            raise TesterLibraryError(
                f"{command!r} on host {host} ended with status {done.status}, not {status}: "
                f"{said or 'it said nothing'}"
            )
        return done

    def counters(self, host: str) -> Mapping[str, int]:
        """The counters of a host's kernel (SNMP and Linux's own) since `mark`, by nstat's names."""
        since = self._marked.get(host, {})
        return {name: value - since.get(name, 0) for name, value in self._absolute(host).items()}

    def mark(self) -> None:
        """Counts from here on."""
        self._marked = {host: self._absolute(host) for host in self.names}

    def _absolute(self, host: str) -> dict[str, int]:
        done = self._run(host, ["cat", *_TABLES], Duration(10**10))
        lines = done.stdout.splitlines()
        found: dict[str, int] = {}
        for names, values in zip(lines[::2], lines[1::2], strict=True):
            group, *keys = names.split()
            found |= {
                group.rstrip(":") + key: int(value)
                for key, value in zip(keys, values.split()[1:], strict=True)
            }
        return found

    def _run(self, host: str, words: list[str], timeout: Duration) -> ProgramResult:
        if self._testbed is None:
            raise TestbedError("the testbed has no hosts")
        cpu = self._testbed.dut_cpu
        done = subprocess.run(
            [*self._testbed.host_prefix(host), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout.seconds,
            check=False,
            # The tester's CPU is busy with forwarding.
            preexec_fn=None if cpu is None else lambda: os.sched_setaffinity(0, {cpu}),
        )
        return ProgramResult(done.returncode, done.stdout, done.stderr)
