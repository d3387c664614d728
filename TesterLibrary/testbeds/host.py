# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The process that an embedded testbed lives in.

`running.py` starts it as `unshare … python -m TesterLibrary.testbeds.host NAME --owner PID:START`, in a
network namespace of its own, which becomes the tester's; it makes a second one for the device. The
namespaces have no name in the file system and exist through this process alone. So however it ends,
nothing of them can stay behind, and no two testbeds can be in each other's way. It ends when its owner
closes the pipe, when its owner dies in whatever way, or when it is asked to; before that it ends every
process that is still in its namespaces.

Standard input: one line of JSON, what to make; then `counters` or `restart MILLISECONDS`, a line each.
Standard output: one line of JSON for each, `{"error": …}` if it failed, `{"not_installed": …}` if packages
are missing, `{"broken": …}` if a program of the device did not come up.
"""

from __future__ import annotations

import argparse
import ipaddress
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import NotInstalled, TestbedBroken, TestbedError
from .embedded import DutPort, devices, restarts
from .embedded.cable import CABLE
from .namespace import ETHERNET_HEADER, Namespace
from .processes import ProcessId, deferred_signals, end_all, in_namespaces
from .sandbox import Sandbox

_GRACE = 2.0  # seconds for a process inside to end by itself
_QUIET = 0.1  # seconds without a frame of the device's own
_LONGEST_SETTLING = 5.0  # seconds


class Host:
    """Namespaces of the tester and of the device, the interfaces between them, and the device."""

    def __init__(self, wanted: Mapping[str, Any]) -> None:
        self._device = wanted["device"]
        self.sandbox = Sandbox(Path(wanted["shared"]) if wanted["shared"] else None)
        self.tester = Namespace()
        self.dut = Namespace.create()
        self._cables: dict[str, str] = {}  # the device's interface: the tester's
        self.hosts: Mapping[str, Namespace] = {}  # of a device that is several hosts, by name
        self._sides: dict[str, Namespace] = {}  # by interface, where it is not the device's
        # The tester's side is not steered: frames of the device arrive on the device's CPU. Nor is the input
        # queue made longer (net.core.netdev_max_backlog, 1000 frames, for the whole machine): softirqs run
        # before programs, and on a fully busy machine a bridge at 300,000 frames/s dropped none.
        if wanted["dut_cpu"] is not None:
            self.dut.receive_on(wanted["dut_cpu"])
        self.dut.sandbox = self.sandbox
        for namespace in (self.tester, self.dut):
            namespace.silence()
        self.tester.without_ipv6()
        if wanted["device"] == CABLE:
            self._cross(wanted["ports"])
            return
        ports = [self._connect(number, port) for number, port in enumerate(wanted["ports"], start=1)]
        hosts = devices()[wanted["device"]](self.dut, ports, **wanted["options"])
        if hosts:
            self.hosts = hosts
            self._sides = {name: host for name in self._cables for host in hosts.values() if host.has(name)}
        self._settle()

    def _cross(self, ports: Sequence[Mapping[str, Any]]) -> None:
        """Cables between ports of the tester, and no device: the first half of them to the second half."""
        if len(ports) % 2:
            raise TestbedError(f"a cable connects two ports of the tester; the testbed has {len(ports)}")
        half = len(ports) // 2
        macs = [bytes.fromhex(port["mac"]) for port in ports]
        mtu = min((port["mtu"] for port in ports if port["mtu"]), default=None)
        for number in range(half):
            ends = (f"eth{number + 1}", f"eth{number + half + 1}")
            self.tester.veth(*ends, self.tester, mac=macs[number], peer_mac=macs[number + half], mtu=mtu)

    def _connect(self, number: int, port: Mapping[str, Any]) -> DutPort:
        """The cable between a port of the tester and the device, whose interface has the port's name."""
        name = port["name"]
        self._cables[name] = f"eth{number}"
        self.tester.veth(
            self._cables[name],
            name,
            self.dut,
            mac=bytes.fromhex(port["mac"]),
            peer_mac=bytes((2, 0, 0, 0, 1, number)),
            mtu=port["mtu"],
        )
        address = port["gateway_address"]
        return DutPort(name, ipaddress.ip_interface(address) if address else None)

    def _settle(self) -> None:
        """Waits until the device has nothing more to say of itself, such as IPv6 group reports."""
        deadline, before = time.monotonic() + _LONGEST_SETTLING, None
        while (now := self.counters()) != before and time.monotonic() < deadline:
            before = now
            time.sleep(_QUIET)

    def describe(self) -> dict[str, Any]:
        """Facts about the running device that the owner of the testbed needs."""
        return {
            "dut_handle": self.dut.handle,
            "sandbox": self.sandbox.init,
            "unsteered": self.dut.unsteered,
            "hosts": {name: namespace.handle for name, namespace in self.hosts.items()},
            "shells": {name: namespace.shell for name, namespace in self.hosts.items()},
            "system": next((namespace.system for namespace in self.hosts.values()), ""),
        }

    def counters(self) -> dict[str, Any]:
        """The device's interfaces."""
        counters: dict[str, dict[str, int]] = {}
        for name in self._cables:
            counters |= self._sides.get(name, self.dut).counters([name])
        for name, interface in self._cables.items():
            # The kernel counts a frame that the tester's end takes by XDP without its Ethernet header
            # (veth_xdp_rcv: skb->len after eth_type_trans); another counter has the number of those frames.
            counters[name]["tx_bytes"] += ETHERNET_HEADER * self.tester.received_by_xdp(interface)
        return counters

    def restart(self, milliseconds: int) -> None:
        """Takes the device down for a time."""
        switch = restarts()[self._device]
        switch(self.dut, False)
        try:
            time.sleep(milliseconds / 1000)
        finally:
            switch(self.dut, True)

    def close(self) -> None:
        """Ends what runs inside. The namespaces go with this process."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is ending already
        inside = {self.tester.handle, self.dut.handle, *(host.handle for host in self.hosts.values())}
        end_all([process for process in in_namespaces(inside) if process.pid != self.sandbox.init], _GRACE)
        self.sandbox.close()


def _answer(value: Mapping[str, Any]) -> None:
    with suppress(BrokenPipeError):  # the owner is gone: the next poll says so
        print(json.dumps(value), flush=True)


def _lines(owner: int) -> Iterator[bytes]:
    """Lines of standard input, until its end or until the owner is gone, which a pipe that was passed on
    to a grandchild would hide."""
    wait = select.poll()
    wait.register(0, select.POLLIN)
    try:
        gone = os.pidfd_open(owner)
        wait.register(gone, select.POLLIN)
    except OSError:
        gone = -1  # then the end of the pipe tells that the owner is gone
    pending = b""
    while True:
        ready = {handle for handle, _ in wait.poll()}
        read = os.read(0, 65536) if 0 in ready else b""
        if gone in ready or not read:
            return
        *lines, pending = (pending + read).split(b"\n")
        yield from lines


def _serve(owner: ProcessId) -> None:
    lines = _lines(owner.pid)
    wanted = next(lines, None)
    if wanted is None:
        return
    host: Host | None = None
    try:
        with deferred_signals():
            host = Host(json.loads(wanted))
            _answer(host.describe())
        for line in lines:  # a signal ends the process while it waits for one
            with deferred_signals():
                word, *values = line.split()
                if word == b"restart":
                    host.restart(int(values[0]))
                _answer(host.counters())
    finally:
        if host is not None:
            host.close()


def main() -> None:
    """Serves one testbed to its end."""
    parser = argparse.ArgumentParser(description="hosts an embedded testbed; started by the library")
    parser.add_argument("name")
    parser.add_argument("--owner", type=ProcessId.parse, required=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("SIGTERM ended it"))
    try:
        _serve(parser.parse_args().owner)
    except NotInstalled as problem:
        _answer({"not_installed": problem.reason})
        sys.exit(1)
    except TestbedBroken as problem:
        _answer({"broken": problem.reason})
        sys.exit(1)
    except Exception as problem:
        what = "" if isinstance(problem, (OSError, TestbedError)) else f"{type(problem).__name__}: "
        _answer({"error": f"{what}{problem}"})
        sys.exit(1)


if __name__ == "__main__":
    main()
