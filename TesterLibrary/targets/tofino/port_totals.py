# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of ports since a session began; what streams had that were unloaded stays in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...measurement.snapshot import PortCounters, PortVersionCounters, StreamCounters
from .end_readings import port_asked, port_counters
from .run import Run
from .session import Session

_FIELDS = tuple(PortVersionCounters.__dataclass_fields__)
_Key = tuple[str, int | str, str]  # port, version or what else, counter


class PortTotals:
    """Of the ports of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._past: Counter[_Key] = Counter()
        self._begin = {own.name: own for own in self._read()}

    def retire(self, run: Run, counted: Iterable[StreamCounters]) -> None:
        """Streams of a job whose counters become 0."""
        self._past.update(_shares(run, {own.id: own for own in counted}))

    def counters(
        self, runs: Sequence[Run], counted: Mapping[int, StreamCounters]
    ) -> tuple[PortCounters, ...]:
        """Now. What arrived and is of no stream is foreign."""
        shares = Counter(self._past)
        for run in runs:
            shares.update(_shares(run, counted))
        return tuple(self._port(own, shares) for own in self._read())

    def _port(self, own: PortCounters, shares: Counter[_Key]) -> PortCounters:
        name, begin = own.name, self._begin[own.name]
        received = own.rx_packets - begin.rx_packets
        return replace(
            own,
            tx_packets=own.tx_packets - begin.tx_packets,
            tx_bytes=own.tx_bytes - begin.tx_bytes,
            rx_packets=received,
            rx_bytes=own.rx_bytes - begin.rx_bytes,
            rx_foreign=max(0, received - shares[name, "measured", "rx_packets"]),
            versions=tuple(
                PortVersionCounters(**{field: shares[name, version, field] for field in _FIELDS})
                for version in (0, 1)
            ),
        )

    def _read(self) -> list[PortCounters]:
        numbers = self._session.numbers
        wanted = {name: port_asked(number) for name, number in numbers.items()}
        rest = iter(self._session.read([one for own in wanted.values() for one in own]))
        return [port_counters(name, [next(rest) for _ in own]) for name, own in wanted.items()]


def _shares(run: Run, counted: Mapping[int, StreamCounters]) -> Counter[_Key]:
    found: Counter[_Key] = Counter()
    for number, own in run.job.streams.items():
        read = counted.get(number)
        if read is None:
            continue
        tx, rx = own.planned.tx_port, own.planned.rx_port
        found[rx, "measured", "rx_packets"] += read.rx_packets
        for version, passed in enumerate(read.versions):
            found[tx, version, "tx_packets"] += passed.tx_packets
            found[tx, version, "tx_bytes"] += passed.tx_bytes
            found[rx, version, "rx_packets"] += passed.rx_packets
            found[rx, version, "rx_bytes"] += passed.rx_bytes
    return found
