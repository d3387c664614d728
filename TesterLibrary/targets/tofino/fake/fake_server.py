# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A fake switch in a separate process, behind the same pipe as a real one."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any, TypeVar

from ....errors import TesterLibraryError
from ....model.units.quantity import Frequency
from ....model.units.units import Bandwidth, Duration
from ....testbeds.fake_devices import RouterTable, Shaper
from ..session.cabling import device_port
from ..session.pipe_messages import entry_of, error_words, key_of
from ..session.switch import Asked, PortSetup, Switch
from ..vendor.serving import Refusal, serve
from .cables import Cables, Turn
from .cpu_pauses import CpuPauses
from .daemon import FakeDaemon, FakeSwitch
from .packet_budget import Haste
from .router import Router
from .wire import Bridge, ShapingBridge

_T = TypeVar("_T")
_TURN = Turn()
_Words = list[dict[str, Any]]


class ServedSwitch:
    """A switch that takes requests from the pipe and returns the answers."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    def bind(self) -> None:
        """See `Switch`."""
        _told(self._switch.bind)

    def device_port(self, front: str) -> int:
        """See `Switch`."""
        return _told(lambda: self._switch.device_port(front))

    def set_ports(self, ports: _Words) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.set_ports([PortSetup(**port) for port in ports]))

    def remove_ports(self, device_ports: list[int]) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.remove_ports(device_ports))

    def port_states(self, device_ports: list[int]) -> _Words:
        """See `Switch`."""
        return [asdict(state) for state in _told(lambda: self._switch.port_states(device_ports))]

    def changed_ports(self) -> _Words:
        """See `Switch`."""
        return [asdict(state) for state in _told(self._switch.changed_ports)]

    def digests(self) -> _Words:
        """See `Switch`."""
        return [asdict(digest) for digest in _told(self._switch.digests)]

    def take_worst_pause_ns(self) -> int | None:
        """See `Switch`."""
        return _told(self._switch.take_worst_pause_ns)

    def write(self, batch: _Words) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.write(list(map(entry_of, batch))))

    def delete(self, batch: _Words) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.delete(list(map(entry_of, batch))))

    def clear(self, tables: list[str]) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.clear(tables))

    def sync(self, tables: list[str]) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.sync(tables))

    def read(self, asked: _Words, from_chip: bool) -> list[Any]:
        """See `Switch`."""
        entries = [Asked(one["table"], key_of(one["key"])) for one in asked]
        return list(_told(lambda: self._switch.read(entries, from_chip=from_chip)))

    def mac_counters(self, device_ports: list[int]) -> list[Any]:
        """See `Switch`."""
        return list(_told(lambda: self._switch.mac_counters(device_ports)))

    def set_groups(self, groups: list[tuple[int, list[int]]]) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.set_groups(dict(groups)))

    def remove_groups(self, numbers: list[int]) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.remove_groups(numbers))

    def set_mirror(self, session: int, device_port: int | None) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.set_mirror(session, device_port))

    def send(self, frames: list[str]) -> None:
        """See `Switch`."""
        _told(lambda: self._switch.send([bytes.fromhex(frame) for frame in frames]))

    def received(self) -> list[str]:
        """See `Switch`."""
        return [frame.hex() for frame in _told(self._switch.received)]


def _told(call: Callable[[], _T]) -> _T:
    """The result of a call; its error becomes an answer."""
    try:
        with _TURN.of_a_request():
            return call()
    except TesterLibraryError as problem:
        words = error_words(problem)
        raise Refusal(words["error"], words["message"]) from problem


def main() -> None:
    """`python -m TesterLibrary.targets.tofino.fake.fake_server FOLDER PROGRAM DEVICE`: on our clock.

    DEVICE is JSON, as `fake_switch` writes it.
    """
    folder, program, device = sys.argv[1:]
    words = json.loads(device)
    gateways = words.get("gateways")
    wire = Cables() if "cables" in words else Router(_table(words)) if gateways else _bridge(words)
    cabled = isinstance(wire, Cables)
    daemon = FakeDaemon(
        Path(folder),
        time.monotonic_ns,
        wire,
        program=program,
        in_time=cabled,
        haste=Haste(),
        pauses=CpuPauses() if cabled else None,
    )
    switch = FakeSwitch(daemon, program=program)
    if "copies" in words:
        sender = socket.socket(fileno=words["copies"]["socket"])
        daemon.copy_to(device_port(switch, words["copies"]["front"]), sender)
    if isinstance(wire, Router):
        for front, interface in gateways.items():
            wire.attach(device_port(switch, front), IPv4Interface(interface))
    if isinstance(wire, Cables):
        for front, interface in words["cables"].items():
            wire.plug_in(device_port(switch, front), interface)
        wire.bring(daemon, _TURN)
    serve(ServedSwitch(switch))


def _bridge(words: Mapping[str, Any]) -> Bridge:
    if "shaper" not in words:
        return Bridge()
    bps, burst, queue = words["shaper"]
    return ShapingBridge(Shaper(Bandwidth(bps), burst, queue))


def _table(words: Mapping[str, Any]) -> RouterTable:
    rate, ageing_ns = words["learning_rate"], words["ageing_ns"]
    return RouterTable(
        words["most_neighbours"],
        Frequency(Fraction(rate)) if rate else None,
        Duration(ageing_ns) if ageing_ns else None,
    )


if __name__ == "__main__":
    main()
