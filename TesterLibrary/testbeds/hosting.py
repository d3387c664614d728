# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Starts, finds and ends the host processes of embedded testbeds, as root or as anybody."""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import NotInstalled, TestbedBroken, TestbedError
from ..model.units.units import Duration
from . import confinement
from .privilege import is_privileged, missing_for_user_namespace
from .processes import (
    ProcessId,
    all_pids,
    begins_namespace,
    command_line,
    end_all,
    in_namespaces,
    open_namespaces,
    piped,
)
from .python_process import python_command
from .testbed import Testbed, TestbedPort

_MODULE = "TesterLibrary.testbeds.host"
_GRACE = 5.0  # seconds for a host to take its testbed down


class HostProcess:
    """One embedded testbed, held by a process (see `host.py`) that ends with its owner."""

    def __init__(self, testbed: Testbed, dut_cpu: int | None, shared: Path | None = None) -> None:
        """Starts it. `shared`: a folder that programs in its hosts and its device may read."""
        self._name = testbed.name
        self._ports = testbed.ports
        self._privileged = is_privileged()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._owner = os.getpid()
        self._namespaces: list[int] = []
        self._process = self._start()
        try:
            wanted = {
                "device": testbed.dut.device,
                "options": dict(testbed.dut.options),
                "dut_cpu": dut_cpu,
                "shared": str(shared) if shared else "",
                "ports": [_wanted(port, self.mac(number)) for number, port in enumerate(testbed.ports)],
            }
            self._description = self._ask(json.dumps(wanted))
            self._namespaces = open_namespaces(self._process.pid)
        except BaseException:
            self.close()
            raise

    def _start(self) -> subprocess.Popen[bytes]:
        for tool in ("unshare", "nsenter"):
            if shutil.which(tool) is None:
                raise TestbedError(f"embedded testbeds need {tool!r}; install the package util-linux")
        owner = ProcessId.of(os.getpid())
        namespaces = ["--net", "--mount"] + ([] if self._privileged else ["--user", "--map-root-user"])
        return subprocess.Popen(
            ["unshare", *namespaces, *python_command(_MODULE, self._name, "--owner", str(owner))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,  # Ctrl-C is for the owner
        )

    def _ask(self, line: str) -> Mapping[str, Any]:
        """One line to the host, its answer back."""
        requests, answers = piped(self._process.stdin), piped(self._process.stdout)
        try:
            requests.write(line.encode() + b"\n")
            requests.flush()
            answer = answers.readline()
        except OSError:
            answer = b""
        if not answer:
            raise TestbedError(f"embedded testbed {self._name!r}: {self._why_it_ended()}")
        found: Mapping[str, Any] = json.loads(answer)
        if "not_installed" in found:
            raise NotInstalled(f"embedded testbed {self._name!r} cannot be set up: {found['not_installed']}")
        if "broken" in found:
            raise TestbedBroken(f"embedded testbed {self._name!r} did not come up: {found['broken']}")
        if "error" in found:
            raise TestbedError(f"embedded testbed {self._name!r} cannot be set up: {found['error']}")
        return found

    def _why_it_ended(self) -> str:
        status = self._process.wait(_GRACE)
        self._stderr.seek(0)
        said = self._stderr.read().decode(errors="replace").strip()
        how = f"its host process ended with status {status}: {said or 'it said nothing'}"
        if self._privileged:
            return how
        return f"it needs root, or user namespaces; {missing_for_user_namespace() or how}"

    @property
    def unsteered(self) -> str:
        """Why the device could not be put on its CPU; empty if it was."""
        return str(self._description["unsteered"])

    @property
    def tester_prefix(self) -> tuple[str, ...]:
        """Runs a command where the tester's interfaces are."""
        return (*self._enter, "--net")

    @property
    def dut_prefix(self) -> tuple[str, ...]:
        """Runs a command in the network of the device, with the files of this machine."""
        return self._inside(self._description["dut_handle"])

    @property
    def device_prefix(self) -> tuple[str, ...]:
        """Runs a command inside the device, whose programs see few files of this machine (`sandbox.py`)."""
        return (*self.dut_prefix, *self._confined)

    @property
    def _confined(self) -> tuple[str, ...]:
        return sys.executable, "-I", "-S", confinement.__file__, str(self._description["sandbox"])

    @property
    def system(self) -> str:
        """The operating system of hosts that are guests; empty where they run on this machine's kernel."""
        return str(self._description["system"])

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of the hosts that the device consists of; none of a device that is no hosts."""
        return tuple(self._description["hosts"])

    def host_prefix(self, name: str) -> tuple[str, ...]:
        """Runs a command on a host of that name, in its guest or with few files of this machine."""
        shell = self._description["shells"][name] or self._confined
        return (*self._inside(self._description["hosts"][name]), *shell)

    def _inside(self, handle: int) -> tuple[str, ...]:
        return (*self._enter, f"--net=/proc/{self._process.pid}/fd/{handle}")

    @property
    def _enter(self) -> tuple[str, ...]:
        user = () if self._privileged else ("--user", "--preserve-credentials")
        return ("nsenter", "--target", str(self._process.pid), *user)

    def interface(self, number: int) -> str:
        """The tester's interface for the port of that number, as the engine takes it."""
        # AF_XDP needs root of the machine; other users get what works without it.
        return f"{'iface' if self._privileged else 'af_packet'}:eth{number + 1}"

    def mac(self, number: int) -> bytes:
        """The MAC address of that interface: the file's, or a locally administered one."""
        return self._ports[number].mac or bytes((2, 0, 0, 0, 0, number + 1))

    def counters(self) -> Mapping[str, Mapping[str, int]]:
        """The kernel's counters of the device's interfaces, by the name of the tester's port."""
        return self._ask("counters")

    def restart(self, duration: Duration) -> None:
        """Takes the device down for a time, and up again."""
        self._ask(f"restart {max(1, duration.ns // 10**6)}")

    def close(self) -> None:
        """Ends the host and whatever still runs in its namespaces, which go with them.

        Does nothing in a process that was forked off: the testbed is its parent's.
        """
        if os.getpid() != self._owner:
            return
        with suppress(OSError):  # it is gone already
            piped(self._process.stdin).close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _end_inside(self._namespaces)
        self._namespaces = []
        piped(self._process.stdout).close()
        self._stderr.close()


@dataclass(frozen=True)
class HostedTestbed:
    """An embedded testbed that some process of this machine has open."""

    name: str
    host: ProcessId
    owner: ProcessId

    @property
    def is_stale(self) -> bool:
        """Whether its owner is gone."""
        return not self.owner.is_alive()

    def __str__(self) -> str:
        state = "stale: its owner is gone" if self.is_stale else f"opened by process {self.owner.pid}"
        look = f"nsenter --target {self.host.pid} --net"
        return f"{self.name}  host process {self.host.pid}, {state}; look inside: {look}"


def list_testbeds() -> tuple[HostedTestbed, ...]:
    """The embedded testbeds that are open on this machine, by whichever process."""
    found = []
    for pid in all_pids():
        arguments = command_line(pid)
        host = ProcessId.of(pid)
        # python FILE MODULE NAME --owner PID:START; preceded by unshare's words for a moment. The first
        # process of its sandbox is forked from it.
        is_host = len(arguments) == 6 and arguments[2] == _MODULE
        if host and is_host and not begins_namespace(pid):
            with suppress(ValueError):  # a process of somebody else may have such arguments
                found.append(HostedTestbed(arguments[3], host, ProcessId.parse(arguments[5])))
    return tuple(found)


def clean_stale() -> tuple[HostedTestbed, ...]:
    """Ends embedded testbeds whose owner is gone; returns them.

    A host notices by itself that its owner is gone. This is for one that could not: stopped, or hung.
    Another user's are left alone.
    """
    ended = []
    for testbed in list_testbeds():
        if testbed.is_stale:
            with suppress(PermissionError):
                namespaces = open_namespaces(testbed.host.pid)
                testbed.host.end(_GRACE)
                _end_inside(namespaces)
                ended.append(testbed)
    return tuple(ended)


def _end_inside(namespaces: Sequence[int]) -> None:
    """Ends what still runs there, which a host does itself unless it was killed; then lets go of them."""
    end_all(in_namespaces(namespaces), _GRACE)
    for handle in namespaces:
        os.close(handle)


def _wanted(port: TestbedPort, mac: bytes) -> dict[str, str | int | None]:
    gateway = None
    if port.gateway and port.address:
        gateway = str(ipaddress.ip_interface(f"{port.gateway}/{port.address.network.prefixlen}"))
    return {"name": port.name, "mac": mac.hex(), "gateway_address": gateway, "mtu": port.mtu}
