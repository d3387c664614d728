# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Transfers over TCP with a given window, and handshakes beside them that show the round trip time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ...errors import PlanError
from ...measurement.session_trial import SessionTrial
from ...methodology.tcp_throughput import Segments
from ...model.endpoints import AddressRange, Endpoints, PortRange
from ...model.responder import Clients, Reopen
from ...model.units.quantity import Frequency
from ...model.units.units import Duration
from ..connections import Connections
from ..tester import Tester

_PROTOCOL = "tcp-client"
_HANDSHAKES = Frequency.parse("50/s")
_AT_ONCE = 1000  # handshakes that wait for an answer: more than come in the longest round trip
_NEVER = Duration(4_000_000_000)  # a handshake that is sent again tells no round trip time
_ETHERNET, _IPV4, _TCP, _FCS, _TAG = 14, 20, 20, 4, 4
_TIMESTAMP = 12  # bytes of the option in a segment
_HANDSHAKE = 12  # further bytes of options in a SYN: MSS, SACK permitted, window scale, each padded to four
_MSS = 1460
_FIRST_PORT, _LAST_PORT = 1024, 0xFFFF
_WIDEST = (1 << 23) - 1  # `flight` of the table tcp


@dataclass(frozen=True)
class _Transfer:
    """A transfer, and the handshakes beside it."""

    data: SessionTrial
    handshakes: SessionTrial

    @property
    def objections(self) -> tuple[str, ...]:
        """Why the transfer is to be measured again."""
        return self.data.objections


class TcpTransferMeasurer:
    """The `TransferMeasurer` of clients that have been started: they start anew for each transfer."""

    def __init__(self, tester: Tester, ends: Connections, name: str) -> None:
        """PlanError if they send no stream over TCP, or segments that do not tell their payload."""
        self._ends, self._clients, self.name = ends, ends.clients(name), name
        given = self._clients.parameters
        if self._clients.protocol != _PROTOCOL:
            raise self._clients.refused(f"{self._clients.protocol} sends no stream; use Start TCP Clients")
        if not int(given.get("timestamps", 1)):
            raise self._clients.refused(
                "payload is counted by the lengths of frames, which short frames without time stamps do not "
                "tell; leave out timestamps=0"
            )
        self._data, self._handshake = _halves(self._clients, tester)
        tag = _TAG if self._clients.vlan is not None else 0
        self.segments = Segments(
            payload=int(given.get("mss", _MSS)) - _TIMESTAMP,
            header=_ETHERNET + tag + _IPV4 + _TCP + _TIMESTAMP + _FCS,
            handshake=_HANDSHAKE,
        )

    def handshakes(self, duration: Duration) -> SessionTrial:
        """See TransferMeasurer."""

        def measure() -> SessionTrial:
            self._ends.clear(self._clients.name)
            return self._ends.repeated(self._clients.name, lambda: self._quiet(duration))

        asked = "handshakes", duration
        return self._ends.observed(SessionTrial, self._clients, measure, *asked, empties=False)

    def _quiet(self, duration: Duration) -> SessionTrial:
        with self._shaking_hands() as name:
            return self._ends.measure(name, duration, from_start=True)

    def transfer(
        self, connections: int, *, octets: int, window: int, timeout: Duration, longest: Duration
    ) -> tuple[SessionTrial, SessionTrial]:
        """See TransferMeasurer. PlanError for a window that the engine's TCP cannot have."""
        if window > _WIDEST:
            raise self._clients.refused(
                f"a window of {window:,} bytes is above the {_WIDEST:,} of one connection; give more of them"
            )
        parameters = {"hold": Duration(0), "size": octets, "flight": window, "rto": timeout}
        once = self._with(
            self._data, parameters, connections=connections, total=connections, reopen=Reopen.NEVER, rate=None
        )
        handshakes: list[SessionTrial] = []

        def measure() -> _Transfer:
            data = self._ends.repeated(once.name, attempt)
            return _Transfer(data, handshakes[-1])

        def attempt() -> SessionTrial:
            self._ends.clear(once.name)
            with self._shaking_hands() as name:
                self._ends.again(once)
                self._ends.wait(
                    once.name,
                    lambda s: (s.ended or 0) + (s.failed or 0) >= connections and not s.concurrent,
                    longest,
                )
                found = self._ends.so_far(once.name)
                handshakes.append(self._ends.so_far(name))
            self._ends.clear(once.name)
            return found

        found = self._ends.observed(_Transfer, self._clients, measure, once, longest, empties=False)
        return found.data, found.handshakes

    @contextmanager
    def _shaking_hands(self) -> Iterator[str]:
        """Connections that are opened and closed at a rate."""
        name = f"{self._clients.name} handshakes"
        parameters = {"hold": Duration(0), "size": 0, "rto": _NEVER}
        self._ends.again(
            self._with(
                replace(self._handshake, name=name),
                parameters,
                connections=_AT_ONCE,
                total=None,
                reopen=Reopen.ALWAYS,
                rate=_HANDSHAKES,
            )
        )
        try:
            yield name
        finally:
            self._ends.clear(name)

    @staticmethod
    def _with(clients: Clients, parameters: Mapping[str, Any], **changes: Any) -> Clients:
        return replace(clients, parameters={**clients.parameters, **parameters}, **changes)


def _halves(clients: Clients, tester: Tester) -> tuple[Clients, Clients]:
    """The clients with either half of their ports, so that no two of their connections are the same."""
    sources = clients.sources
    if sources is None:
        address = tester.ports[clients.port].address
        if address is None:
            raise clients.refused("its port has no address; give sources")
        sources = Endpoints(AddressRange(address.ip))
    ports = sources.ports or PortRange(_FIRST_PORT, _LAST_PORT - _FIRST_PORT + 1)
    if ports.count < 2:
        raise PlanError(f"clients {clients.name!r}: sources of one port each are too few; give a range")
    half = ports.count // 2
    lower, upper = PortRange(ports.first, half), PortRange(ports.first + half, ports.count - half)
    return (
        replace(clients, sources=Endpoints(sources.addresses, lower)),
        replace(clients, sources=Endpoints(sources.addresses, upper)),
    )
