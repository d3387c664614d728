# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The contents of a testbed file: a tester, its ports, and the device between them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any

from ..errors import TestbedError
from ..model.ports import Address, Forwarding, Interface, Port
from ..model.units.units import Bandwidth, Duration
from .fake_devices import RouterTable, Shaper

SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")  # no question that nobody answers


@dataclass(frozen=True)
class TestbedPort:
    """A port of the tester: how to reach it, and who it is on the network."""

    __test__ = False  # pytest would take the name for a test class

    name: str
    speed: Bandwidth
    interface: str = ""  # such as "iface:eth1"; empty where the testbed makes the interface itself
    mac: bytes | None = None  # 6 bytes; None: the interface's
    address: Interface | None = None
    gateway: Address | None = None
    fec: str = ""  # of a switch's port: none, fc or rs
    mtu: int | None = None  # bytes behind the Ethernet header, of an embedded port; None: the kernel's 1500

    def described_by(self, mac: bytes, max_frame_size: int) -> Port:
        """The planner's port, from what the tester says of the interface; the file's MAC address wins."""
        return Port(
            name=self.name,
            speed=self.speed,
            mac=self.mac or mac,
            max_frame_size=max_frame_size,
            address=self.address,
            gateway=self.gateway,
        )


@dataclass(frozen=True)
class CertificateFiles:
    """PEM files for a tester that is reached over TLS."""

    ca: Path
    certificate: Path
    key: Path


@dataclass(frozen=True)
class CopySpec:
    """A port of a switch that leads copies of packets to this machine."""

    port: str  # front:1/0 or dev:132
    interface: str  # of this machine, at its other end
    host: IPv4Interface  # the address of that
    speed: Bandwidth
    fec: str = "none"


@dataclass(frozen=True)
class SwitchSpec:
    """A switch that runs the program of `p4/`."""

    address: str  # HOST:PORT of its daemon; "fake": a switch that does not exist; "model": the vendor's model
    program: str = "tester"  # the name that the daemon knows it by
    build: Path | str = "tofino"  # the compiler's output folder, or a shipped profile
    cpu_interface: str = ""  # of this machine, to the CPU port
    cpu_port: int | None = None  # device port, of an external pipeline; None: the usual one of the chip
    loopback_ports: tuple[int, ...] = ()  # device ports; empty: all of the internal pipelines
    clock_mhz: int | None = None  # of the chip's pipelines
    model: bool = False  # without transceivers
    copies: CopySpec | None = None  # to where captures and traces are sent
    shaper: Shaper | None = None  # on the ports of the bridge behind a fake switch
    router: RouterTable | None = None  # of the router behind a fake switch, which ports with gateways have

    @property
    def is_fake(self) -> bool:
        """Whether the switch is a fake one."""
        return self.address == "fake"

    @property
    def is_started(self) -> bool:
        """Whether it is started with the testbed, cabled to its device: a fake one, or a model."""
        return self.address in ("fake", "model")


LEASE_TIMES = "1 s to 1 h, or 0 s for no lease"


def is_lease_time(lease: Duration) -> bool:
    """Whether a tester may be leased for that time; 0 is no lease."""
    return lease.ns == 0 or 10**9 <= lease.ns <= 3600 * 10**9


@dataclass(frozen=True)
class TesterSpec:
    """The place of the tester: at an address, in a switch, or else it is started here."""

    __test__ = False

    address: str | None = None  # "unix:PATH" or "grpc+tls:HOST:PORT"; None: start one on this machine
    certificates: CertificateFiles | None = None
    cpus: tuple[int, ...] = ()  # of its workers; empty: chosen
    queues: int = 1  # of each port; several workers can serve a port with several
    memory_mib: int | None = None  # None: enough for its ports
    huge_pages: bool = False
    switch: SwitchSpec | None = None
    lease: Duration | None = None  # for so long nobody else may use it; 0: no lease, None: the usual time

    @property
    def is_local(self) -> bool:
        """Whether the tester has to be started."""
        return self.address is None and self.switch is None


@dataclass(frozen=True)
class JoinedTester:
    """One of several testers of a testbed."""

    name: str
    ports: tuple[str, ...]
    spec: TesterSpec


_TRANSLATORS = ("balancer", "gateway", "nat", "nat64")  # embedded devices
_BY_LAYER = {2: Forwarding.BRIDGED, 3: Forwarding.ROUTED}


@dataclass(frozen=True)
class ResetHook:
    """How a device is reset: one of a command, a command over SSH, a keyword, or a restart of our own."""

    command: tuple[str, ...] = ()  # words; run here, or there over SSH
    ssh: str = ""  # user@host
    keyword: str = ""  # of Robot, which the suite has imported
    arguments: tuple[str, ...] = ()  # of the keyword
    restart: Duration | None = None  # for so long an embedded device is down
    timeout: Duration = Duration(60 * 10**9)  # for the command or the keyword

    def __str__(self) -> str:
        if self.restart:
            return f"a restart that takes {self.restart}"
        if self.keyword:
            return f"the keyword {self.keyword!r}"
        where = f" on {self.ssh}" if self.ssh else ""
        return f"the command {shlex.join(self.command)!r}{where}"


@dataclass(frozen=True)
class AskHook:
    """How a device is asked for what belongs into the certificate: a command, or one over SSH."""

    command: tuple[str, ...]  # words; run here, or there over SSH
    ssh: str = ""  # user@host
    timeout: Duration = Duration(10 * 10**9)

    def __str__(self) -> str:
        return f"{shlex.join(self.command)}{f' on {self.ssh}' if self.ssh else ''}"


@dataclass(frozen=True)
class HostSpec:
    """A host of the testbed's owner on which suites run programs: over SSH, or behind words of a command."""

    ssh: str = ""  # user@host
    command: tuple[str, ...] = ()  # words before the program's: ip netns exec load; none: this machine itself

    def runs(self, words: Sequence[str], *, terminal: bool = False) -> list[str]:
        """The whole command of a program. `terminal`: a program over SSH ends when its command does."""
        if self.ssh:
            return [*SSH, *(("-tt",) if terminal else ()), self.ssh, "--", shlex.join(words)]
        return [*self.command, *words]


@dataclass(frozen=True)
class DutSpec:
    """The device under test, as the report names it."""

    name: str
    kind: str = "physical"  # or "embedded": made in network namespaces of this machine; or "simulated"
    device: str = ""  # of an embedded one: a name that `testbeds.embedded` knows
    options: Mapping[str, Any] = field(default_factory=dict)  # of one that is not physical
    layer: int | None = None  # 2: it bridges, 3: it routes
    forwarding: Forwarding | None = None  # what it does to headers; None: as its layer says
    description: str = ""
    vendor: str = ""
    model: str = ""
    version: str = ""  # of its software; an embedded one fills it in
    reset: Mapping[str, ResetHook] = field(
        default_factory=dict
    )  # by what is reset: software, hardware, power; connections, groups: such a table of its; filters
    ask: Mapping[str, AskHook] = field(default_factory=dict)  # by names of the file
    shell: HostSpec | None = None  # how programs are run in a physical one

    @property
    def forwards(self) -> Forwarding:
        """The changes of headers that the device may make; all of them if its layer is not known."""
        if self.forwarding is not None:
            return self.forwarding
        if self.is_embedded and self.device in _TRANSLATORS:
            return Forwarding.TRANSLATED
        return Forwarding.TRANSLATED if self.layer is None else _BY_LAYER[self.layer]

    @property
    def is_embedded(self) -> bool:
        """Whether opening the testbed makes the device."""
        return self.kind == "embedded"

    @property
    def is_simulated(self) -> bool:
        """Whether neither the device nor its tester exist."""
        return self.kind == "simulated"

    @property
    def is_physical(self) -> bool:
        """Whether somebody has connected the device to the tester's interfaces."""
        return not self.is_embedded and not self.is_simulated


@dataclass(frozen=True)
class Testbed:
    """One testbed file, checked."""

    __test__ = False

    name: str
    ports: tuple[TestbedPort, ...]
    dut: DutSpec
    tester: TesterSpec = field(default_factory=TesterSpec)
    description: str = ""
    source: Path | None = None  # the file it was read from
    hosts: Mapping[str, HostSpec] = field(default_factory=dict)  # by name
    testers: tuple[JoinedTester, ...] = ()  # two or more; empty: `tester` is the only one

    @property
    def only_tester(self) -> TesterSpec:
        """The tester. TestbedError for a testbed with several."""
        if self.testers:
            names = ", ".join(tester.name for tester in self.testers)
            raise TestbedError(
                f"testbed {self.name!r} has several testers ({names}); this takes a testbed with one tester"
            )
        return self.tester

    @property
    def specs(self) -> tuple[TesterSpec, ...]:
        """All testers."""
        return tuple(tester.spec for tester in self.testers) or (self.tester,)

    def spec_of(self, port: str) -> TesterSpec:
        """The tester of a port."""
        return next((tester.spec for tester in self.testers if port in tester.ports), self.tester)

    def of_tester(self, tester: JoinedTester) -> Testbed:
        """The testbed as one of several testers knows it: with its own ports alone."""
        ports = tuple(port for port in self.ports if port.name in tester.ports)
        return replace(self, ports=ports, tester=tester.spec, testers=())

    def port(self, name: str) -> TestbedPort:
        """The port of that name. KeyError names those there are."""
        for port in self.ports:
            if port.name == name:
                return port
        raise KeyError(f"the testbed has no port {name!r}; it has {', '.join(p.name for p in self.ports)}")
