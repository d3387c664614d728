# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The ports of a switch: the testbed's ports, the loopback ports, and the port of its CPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from ....errors import PlanError, TargetError
from ....model.ports import Port
from ....model.units.units import Duration
from ....planning.switch.chip import INTERNAL_PIPES, TOFINO, Chip, pipe_of
from ....planning.switch.meter import TofinoMeter
from ..entries.entry import TableEntry
from .switch import PortSetup, PortState, Switch

CPU = 1  # role of the CPU port (p4/include/types.p4); the front panel's ports have 0
MOST_FRAME = 9216  # bytes, FCS included
_LANES = 4  # of a connector, each of which may be a port
_CPU_SPEED_BPS = 10 * 10**9  # speed of the Ethernet port that boards wire to their CPU
_MODEL_HZ, _MODEL_DAEMON_HZ = 1_250_000_000, 1_271_000_000  # the model's clock, and its daemon's idea of it
_ROLES = "external.ExternalIngressParser.$PORT_METADATA"
_POLL_S = 0.1
_INTERFACES = Path("/sys/class/net")
LONGEST_COPY = 1557  # bytes of IPv4, UDP and the head of a copy, and of a frame without FCS


@dataclass(frozen=True)
class FrontPort:
    """A port of the testbed with its connector, `1/0`, or its device port, `dev:132`."""

    port: Port
    front: str
    fec: str = "none"

    def at(self, front: str) -> FrontPort:
        """The same port at another connector."""
        return replace(self, front=front)


@dataclass(frozen=True)
class CopyPort:
    """A port that leads to an interface of this machine, to which the switch sends copies of packets."""

    front: str
    speed_bps: int
    host: IPv4Interface  # address of that interface
    mac: bytes  # and its MAC address
    fec: str = "none"

    @classmethod
    def of(
        cls, front: str, interface: str, host: IPv4Interface, *, speed_bps: int, fec: str = "none"
    ) -> CopyPort:
        """The port that leads to an interface of this machine.

        Raises:
            TargetError: there is no such interface, or it does not take the longest copies.
        """
        facts = _INTERFACES / interface
        try:
            mac = bytes.fromhex((facts / "address").read_text().strip().replace(":", ""))
            mtu = int((facts / "mtu").read_text())
        except (OSError, ValueError) as problem:
            raise TargetError(
                f"copies.interface {interface}: {problem}; give the interface of this machine to which the "
                f"switch's port {front} leads"
            ) from None
        if mtu < LONGEST_COPY:
            raise TargetError(
                f"copies.interface {interface} takes packets of {mtu:,} bytes, and a copy of a frame of "
                f"1,518 bytes has {LONGEST_COPY:,}: ip link set {interface} mtu 9000"
            )
        return cls(front, speed_bps, host, mac, fec)

    @property
    def source(self) -> IPv4Address:
        """The address that copies come from: a neighbour, or this machine would not take them."""
        behind, before = self.host.ip + 1, self.host.ip - 1
        network = self.host.network
        return behind if behind in network and behind != network.broadcast_address else before


@dataclass(frozen=True)
class Cabling:
    """The cabling of a tester in a switch.

    Args:
        front: The ports with cables.
        cpu_port: Device port of the CPU.
        loopbacks: Device ports that loop, in the order in which plans number them; empty: one for each
            connector of the internal pipelines.
        has_transceivers: Whether ports without a transceiver are refused; a model has no transceivers.
        internal_pipes: The pipes whose ports loop.
        has_cpu: Whether the program speaks with the driver through a port of the switch's CPU.
        copies: The port that leads copies of packets away.
        meter: The chip's meter, which depends on its clock.
        chip: The chip, which numbers the ports and sets their speed.
    """

    front: tuple[FrontPort, ...]
    cpu_port: int = TOFINO.cpu_port
    loopbacks: tuple[int, ...] = ()
    has_transceivers: bool = True
    internal_pipes: tuple[int, ...] = INTERNAL_PIPES
    meter: TofinoMeter = field(default_factory=TofinoMeter)
    chip: Chip = TOFINO
    has_cpu: bool = True
    copies: CopyPort | None = None

    @property
    def looping(self) -> tuple[int, ...]:
        """Device ports that loop."""
        return self.loopbacks or self.chip.connectors_of(self.internal_pipes)


def meter_of(chip: Chip, clock_mhz: int | None, *, model: bool) -> TofinoMeter:
    """The meter of a chip with this clock, by default the usual one, or of the vendor's model.

    Raises:
        PlanError: the model of a chip whose clock was never measured, and none is given.
    """
    if clock_mhz is not None:
        return TofinoMeter(Fraction(clock_mhz) * 10**6)
    if model and chip != TOFINO:
        raise PlanError(
            f"the clock of the model of a {chip.family} is not known: give clock_mhz, with which the rates "
            "of its meters are right"
        )
    return TofinoMeter(Fraction(_MODEL_HZ), Fraction(_MODEL_DAEMON_HZ)) if model else TofinoMeter(chip.clock)


def device_port(switch: Switch, front: str) -> int:
    """The device port of a connector, `1/0`, or `dev:132`. PlanError for a connector that is not there."""
    kind, _, number = front.rpartition(":")
    return int(number) if kind == "dev" else switch.device_port(number)


def device_ports(switch: Switch, ports: Cabling) -> dict[str, int]:
    """The device port of each port of the testbed. PlanError for a connector that is not there."""
    return {port.port.name: device_port(switch, port.front) for port in ports.front}


def copy_port(switch: Switch, cabling: Cabling, numbers: Mapping[str, int]) -> int | None:
    """The device port that leads copies away; None: there is none. PlanError if it is another one's."""
    if cabling.copies is None:
        return None
    number = device_port(switch, cabling.copies.front)
    named = {f"port {name!r}": other for name, other in numbers.items()}
    if cabling.has_cpu:
        named["cpu_port"] = cabling.cpu_port
    for name, other in named.items():
        if other == number:
            raise PlanError(f"copy port {cabling.copies.front} is {name}; give copies a port of their own")
    return number


def check_pipelines(cabling: Cabling, numbers: dict[str, int], copies: int | None) -> None:
    """PlanError for a port of the testbed, of the CPU or of copies, in a pipeline whose ports loop."""
    looping = {pipe_of(number) for number in cabling.looping}
    named = {f"port {name!r}": number for name, number in numbers.items()}
    if cabling.has_cpu:
        named["cpu_port"] = cabling.cpu_port
    if copies is not None:
        named["copy port"] = copies
    for name, number in named.items():
        if pipe_of(number) in looping:
            raise PlanError(
                f"{name}: device port {number} is of pipeline {pipe_of(number)}, whose ports loop; "
                "take one of an external pipeline"
            )


def roles(ports: Cabling, numbers: dict[str, int], *, cleared: bool = False) -> Iterator[TableEntry]:
    """The entries that tell the external pipelines the roles of their ports; `cleared`: all roles are 0."""
    if not ports.has_cpu:  # its ports have no roles
        return
    found = dict.fromkeys(numbers.values(), 0) | {ports.cpu_port: CPU}
    for number, role in sorted(found.items()):
        yield TableEntry(_ROLES, {"ig.ingress_port": number}, data={"role": 0 if cleared else role})


def bring_up(
    switch: Switch,
    ports: Cabling,
    numbers: dict[str, int],
    copies: int | None = None,
    *,
    patience: Duration,
    sleep: Callable[[float], object] = time.sleep,
) -> tuple[PortState, ...]:
    """Adds all ports, tells the program their roles, and waits for links.

    Returns:
        The states of the testbed's ports, in their order. A link that is down is no error here.

    Raises:
        TargetError: a port has no transceiver.
    """
    least_bps = 0 if ports.has_transceivers else ports.chip.port_bps  # a model's ports keep no speed
    front = [
        PortSetup(numbers[port.port.name], max(int(port.port.speed.bps), least_bps), port.fec)
        for port in ports.front
    ]
    has_mac = ports.has_cpu and ports.cpu_port not in ports.chip.pcie_ports
    cpu = [PortSetup(ports.cpu_port, _CPU_SPEED_BPS)] if has_mac else []
    looping = [PortSetup(number, ports.chip.port_bps, loopback=True) for number in ports.looping]
    setups = [*front, *cpu, *looping]
    if ports.copies is not None and copies is not None:
        setups.append(PortSetup(copies, ports.copies.speed_bps, ports.copies.fec))
    if ports.has_transceivers:
        switch.set_ports(setups)
    else:
        set_ports_of_model(switch, setups)
    switch.write(list(roles(ports, numbers)))
    waited_s = 0.0
    states = switch.port_states([port.device_port for port in front])
    while not all(state.up for state in states) and waited_s < patience.seconds:
        sleep(_POLL_S)
        waited_s += _POLL_S
        states = switch.port_states([port.device_port for port in front])
    if ports.has_transceivers:
        _check(ports.front, states)
    return states


def set_ports_of_model(switch: Switch, setups: Sequence[PortSetup]) -> None:
    """The same as `Switch.set_ports` on a model, whose daemon has added every lane as a port of its own."""
    switch.remove_ports([setup.device_port + lane for setup in setups for lane in range(_LANES)])
    switch.set_ports(setups)


def _check(ports: Sequence[FrontPort], states: Sequence[PortState]) -> None:
    empty = [
        f"{port.port.name!r} ({port.front}, device port {state.device_port})"
        for port, state in zip(ports, states, strict=True)
        if not state.up and state.medium == "none"
    ]
    if empty:
        raise TargetError(
            f"no transceiver in port {', '.join(empty)} of the switch; plug one in, or name another port"
        )
