# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The ports of a switch: those of the testbed, the ones that loop, and that of its CPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ...errors import PlanError, TargetError
from ...model.ports import Port
from ...model.units import Duration
from ...planning.meter import TofinoMeter
from .device_port import CONNECTORS, INTERNAL_PIPES, device_port, pipe_of
from .entry import Entry
from .switch import PortSetup, PortState, Switch

CPU = 1  # role (p4/include/types.p4); 0 is the front panel's
MOST_FRAME = 9216  # bytes, FCS included
LOOPBACK_SPEED_BPS = 100 * 10**9
PCIE_PORT = 192  # device port of the CPU by PCIe: it is no port with a MAC, and is always up
_CPU_SPEED_BPS = 10 * 10**9  # at which boards wire an Ethernet port of the chip to their CPU
_MODEL_HZ, _MODEL_DAEMON_HZ = 1_250_000_000, 1_271_000_000  # its clock, and what its daemon takes that for
_ROLES = "external.ExternalIngressParser.$PORT_METADATA"
_POLL_S = 0.1


@dataclass(frozen=True)
class FrontPort:
    """A port of the testbed, and the connector it is: `1/0`, or a device port: `dev:132`."""

    port: Port
    front: str
    fec: str = "none"

    def at(self, front: str) -> FrontPort:
        """The same port at another connector."""
        return replace(self, front=front)


@dataclass(frozen=True)
class Cabling:
    """Of a tester in a switch.

    Args:
        front: Those with cables.
        cpu_port: Device port of the CPU.
        loopbacks: Device ports that loop, in the order in which plans number them; empty: one of each
            connector of the internal pipelines.
        has_transceivers: Whether ports without one are refused; a model has none.
        internal_pipes: Whose ports loop.
        meter: The chip's, by its clock.
    """

    front: tuple[FrontPort, ...]
    cpu_port: int = 64  # Ethernet's; that of PCIe is one of pipeline 1
    loopbacks: tuple[int, ...] = ()
    has_transceivers: bool = True
    internal_pipes: tuple[int, ...] = INTERNAL_PIPES
    meter: TofinoMeter = field(default_factory=TofinoMeter)

    @property
    def looping(self) -> tuple[int, ...]:
        """Device ports that loop."""
        return self.loopbacks or tuple(
            device_port(pipe, connector) for pipe in self.internal_pipes for connector in range(CONNECTORS)
        )


def meter_of(clock_mhz: int | None, *, model: bool) -> TofinoMeter:
    """The meter of a chip with a clock, left out with the usual one, or of the vendor's model."""
    if clock_mhz is not None:
        return TofinoMeter(Fraction(clock_mhz) * 10**6)
    return TofinoMeter(Fraction(_MODEL_HZ), Fraction(_MODEL_DAEMON_HZ)) if model else TofinoMeter()


def device_ports(switch: Switch, ports: Cabling) -> dict[str, int]:
    """The device port of each port of the testbed. PlanError for a connector that is not there."""
    return {own.port.name: _device_port(switch, own.front) for own in ports.front}


def check_pipelines(cabling: Cabling, numbers: dict[str, int]) -> None:
    """PlanError for a port of the testbed, or of the CPU, in a pipeline whose ports loop."""
    looping = {pipe_of(number) for number in cabling.looping}
    named = {f"port {name!r}": number for name, number in numbers.items()} | {"cpu_port": cabling.cpu_port}
    for name, number in named.items():
        if pipe_of(number) in looping:
            raise PlanError(
                f"{name}: device port {number} is of pipeline {pipe_of(number)}, whose ports loop; "
                "take one of an external pipeline"
            )


def roles(ports: Cabling, numbers: dict[str, int], *, cleared: bool = False) -> Iterator[Entry]:
    """What the external pipelines are told of their ports; `cleared`: nothing, as at the begin."""
    found = dict.fromkeys(numbers.values(), 0) | {ports.cpu_port: CPU}
    for number, role in sorted(found.items()):
        yield Entry(_ROLES, {"ig.ingress_port": number}, data={"role": 0 if cleared else role})


def bring_up(
    switch: Switch,
    ports: Cabling,
    numbers: dict[str, int],
    *,
    patience: Duration,
    sleep: Callable[[float], object] = time.sleep,
) -> tuple[PortState, ...]:
    """Adds all ports, tells the program what is behind them, and waits for links.

    Returns:
        How the ports of the testbed are, in their order. A link that is down is no error here.

    Raises:
        TargetError: a port has no transceiver.
    """
    front = [PortSetup(numbers[own.port.name], int(own.port.speed.bps), own.fec) for own in ports.front]
    cpu = [PortSetup(ports.cpu_port, _CPU_SPEED_BPS)] if ports.cpu_port != PCIE_PORT else []
    looping = [PortSetup(number, LOOPBACK_SPEED_BPS, loopback=True) for number in ports.looping]
    switch.set_ports([*front, *cpu, *looping])
    switch.write(list(roles(ports, numbers)))
    waited_s = 0.0
    states = switch.port_states([own.device_port for own in front])
    while not all(state.up for state in states) and waited_s < patience.seconds:
        sleep(_POLL_S)
        waited_s += _POLL_S
        states = switch.port_states([own.device_port for own in front])
    if ports.has_transceivers:
        _check(ports.front, states)
    return states


def _device_port(switch: Switch, front: str) -> int:
    kind, _, number = front.rpartition(":")
    return int(number) if kind == "dev" else switch.device_port(number)


def _check(ports: Sequence[FrontPort], states: Sequence[PortState]) -> None:
    empty = [
        f"{own.port.name!r} ({own.front}, device port {state.device_port})"
        for own, state in zip(ports, states, strict=True)
        if not state.up and state.medium == "none"
    ]
    if empty:
        raise TargetError(
            f"no transceiver in port {', '.join(empty)} of the switch; plug one in, or name another port"
        )
