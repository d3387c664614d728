# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An open testbed: what stands between a testbed file and a tester that can be started on it."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from ..errors import TestbedError
from ..model.units.units import Duration
from .hosting import HostProcess, clean_stale
from .load import load_testbed
from .neighbour_table import NeighbourTable, fills_neighbour_table
from .testbed import JoinedTester, Testbed


@dataclass(frozen=True)
class InterfaceCounters:
    """The kernel's counters of one interface; bytes without FCS."""

    rx_packets: int
    tx_packets: int
    rx_bytes: int
    tx_bytes: int
    rx_dropped: int  # arrived, and lost in the device's input queue
    tx_dropped: int


class RunningTestbed:
    """A testbed that is set up. Close it, or use it in a `with`.

    `testbed` is the file's content completed with what only the running one knows: interfaces, MAC
    addresses, the version of an embedded device. `engine_cpus` are the tester's, `dut_cpu` is an embedded
    device's, None if it has none of its own. `notes` is what the reader of a report should know of it all.
    """

    def __init__(self, testbed: Testbed, shared: Path | None = None) -> None:
        """Sets it up. `shared`: a folder that programs in an embedded device and its hosts may read."""
        self.testbed = testbed
        self.engine_cpus, self.dut_cpu = _share_cpus(testbed)
        self._cpus = _cpus_of_testers(testbed)
        self._alone_on: tuple[str, ...] = ()  # words that leave a tester no other CPU
        self._host: HostProcess | None = None
        self._neighbours: NeighbourTable | None = None
        self.notes: tuple[str, ...] = ()
        if testbed.dut.is_embedded:
            if fills_neighbour_table(testbed.dut.options):
                self._neighbours = NeighbourTable()
            try:
                self._host = HostProcess(testbed, self.dut_cpu, shared)
            except BaseException:
                self.close()
                raise
            atexit.register(self.close)
            self.testbed = _completed(testbed, self._host)
            why = "this process may use no other" if self.dut_cpu is None else self._host.unsteered
            if why:
                self.dut_cpu = None
                self.notes = (f"the device shares a CPU with the tester: {why}",)

    def of_tester(self, tester: JoinedTester) -> RunningTestbed:
        """This testbed as one of several testers knows it. It ends with this one."""
        view = copy(self)
        view.testbed = self.testbed.of_tester(tester)
        view.engine_cpus = self._cpus.get(tester.name, ())
        view._alone_on = _shared_cpu(view.engine_cpus, self._cpus)
        return view

    @property
    def command_prefix(self) -> tuple[str, ...]:
        """Words before the command of the engine, so that it runs where its interfaces are."""
        return (*(self._host.tester_prefix if self._host else ()), *self._alone_on)

    @property
    def dut_prefix(self) -> tuple[str, ...]:
        """Words before a command that is to run in the embedded device's network; empty for a physical one.

        It has the files and rights of this process: `device_command` is for commands of suites.
        """
        return self._host.dut_prefix if self._host else ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of the hosts at the ends of the testbed; none where it has no hosts."""
        return self._host.hosts if self._host else tuple(self.testbed.hosts)

    def host_command(self, name: str, words: Sequence[str], *, terminal: bool = False) -> list[str]:
        """The command that runs a program on a host. TestbedError if there is none of that name.

        `terminal`: a program over SSH ends when the command does.
        """
        if self._host is not None and name in self._host.hosts:
            return [*self._host.host_prefix(name), *words]
        if name in self.testbed.hosts:
            return self.testbed.hosts[name].runs(words, terminal=terminal)
        known = ", ".join(self.hosts)
        raise TestbedError(
            f"testbed {self.testbed.name!r} has no host {name!r}; "
            f"{f'it has {known}' if known else 'give it some under hosts, or take embedded/path-hosts'}"
        )

    def device_command(self, words: Sequence[str]) -> list[str]:
        """The command that runs a program in the device. TestbedError if nobody has said how."""
        if self._host is not None:
            return [*self._host.device_prefix, *words]
        if self.testbed.dut.shell is not None:
            return self.testbed.dut.shell.runs(words)
        why = (
            "a simulated device has no system to run programs in"
            if self.testbed.dut.is_simulated
            else "give dut.shell in its file: {ssh: user@host}, or {command: words before the program's}"
        )
        raise TestbedError(f"testbed {self.testbed.name!r}: no program can be run in its device; {why}")

    @property
    def port_specs(self) -> Mapping[str, str]:
        """The interface of each port, as the engine takes it, by name."""
        return {port.name: port.interface for port in self.testbed.ports}

    def kernel_counters(self) -> Mapping[str, InterfaceCounters]:
        """The embedded device's own interface counters, by the name of the tester's port that each faces.

        Empty for a physical device. TestbedError if the testbed is gone.
        """
        if self._host is None:
            return {}
        fields = InterfaceCounters.__dataclass_fields__
        return {
            port: InterfaceCounters(**{name: counters[name] for name in fields})
            for port, counters in self._host.counters().items()
        }

    def restart(self, duration: Duration) -> None:
        """Takes an embedded device down for a time, and up again. TestbedError if the testbed is gone."""
        if self._host is None:
            raise TestbedError(
                f"testbed {self.testbed.name!r} has no embedded device; give it a hook that restarts its own"
            )
        self._host.restart(duration)

    def backlog_drops(self) -> int:
        """Frames that the kernel has dropped since boot because the input queue of the device's CPU was full.

        The kernel counts them for the CPU, not for the device: other traffic of this machine is in it.
        0 where the device has no CPU of its own.
        """
        return _softnet_drops(self.dut_cpu) if self.dut_cpu is not None else 0

    def close(self) -> None:
        """Takes down what was set up. Closing twice is no error."""
        if self._host:
            self._host.close()
            atexit.unregister(self.close)
        if self._neighbours:
            self._neighbours.release()

    def __enter__(self) -> RunningTestbed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_testbed(name_or_path: str, shared: Path | None = None) -> RunningTestbed:
    """Reads a testbed file and sets up what it asks for.

    `name_or_path` is a shipped name (`embedded/l2-bridge`, `l2-bridge`, `two-nics`) or a path. What an
    earlier, killed run may have left is removed first. `shared` is a folder that programs in an embedded
    device and its hosts may read. TestbedError if the file is wrong or this machine
    cannot do it; nothing is left behind then.
    """
    testbed = load_testbed(name_or_path)
    if testbed.dut.is_embedded:
        clean_stale()
    return RunningTestbed(testbed, shared)


def _share_cpus(testbed: Testbed) -> tuple[tuple[int, ...], int | None]:
    """CPUs of the tester, and the one of an embedded device: the last and the first this process may use."""
    usable = sorted(os.sched_getaffinity(0))
    for spec in testbed.specs:
        unusable = [cpu for cpu in spec.cpus if cpu not in usable]
        if spec.is_local and unusable:
            raise TestbedError(
                f"{testbed.source}: tester.cpus: CPU {unusable[0]} is not for this process to use; "
                f"it may use {', '.join(map(str, usable))}"
            )
    cpus = {cpu for own in _cpus_of_testers(testbed).values() for cpu in own}
    engine = tuple(sorted(cpus)) or testbed.tester.cpus or (usable[-1],)
    others = [cpu for cpu in usable if cpu not in engine]
    return engine, others[0] if testbed.dut.is_embedded and others else None


def _cpus_of_testers(testbed: Testbed) -> dict[str, tuple[int, ...]]:
    """The CPUs of each of several testers: the last ones, one each while there are enough.

    A worker needs its CPU more than an embedded device needs one of its own: two workers on one CPU pause.
    """
    usable = sorted(os.sched_getaffinity(0))
    local = [tester for tester in testbed.testers if tester.spec.is_local]
    return {
        tester.name: tester.spec.cpus or (usable[-1 - number % len(usable)],)
        for number, tester in enumerate(local)
    }


def _shared_cpu(own: tuple[int, ...], cpus: Mapping[str, tuple[int, ...]]) -> tuple[str, ...]:
    """Words before the command of a tester on the first CPU, if the testers take all CPUs.

    A worker that has the only CPU of its process gives way to others there: to this process, to control
    threads of all testers, and to an embedded device.
    """
    usable = sorted(os.sched_getaffinity(0))
    taken = {cpu for others in cpus.values() for cpu in others}
    if own == (usable[0],) and taken.issuperset(usable):
        return ("taskset", "--cpu-list", str(usable[0]))
    return ()


def _completed(testbed: Testbed, host: HostProcess) -> Testbed:
    """The testbed of the file, with what is known now that the device runs."""
    ports = tuple(
        replace(port, interface=host.interface(number), mac=host.mac(number))
        for number, port in enumerate(testbed.ports)
    )
    release = os.uname()
    version = host.system or f"{release.sysname} {release.release}"
    return replace(testbed, ports=ports, dut=replace(testbed.dut, version=version))


def _softnet_drops(cpu: int) -> int:
    """Column 2 of the CPU's line in softnet_stat; its column 13 is the CPU, where the kernel writes it."""
    with Path("/proc/net/softnet_stat").open() as lines:
        for number, line in enumerate(lines):
            values = [int(value, 16) for value in line.split()]
            if (values[12] if len(values) > 12 else number) == cpu:
                return values[1]
    return 0
