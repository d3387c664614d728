# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of ports since a session began; what streams had that were unloaded stays in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...measurement.counter import Counter as Counted
from ...measurement.snapshot import PortCounters, PortVersionCounters, StreamCounters
from .end_readings import port_asked, port_counters
from .macs import MacCounters, mac_counters, with_macs
from .misrouted import port_asked as misrouted_asked
from .misrouted import port_versions as misrouted_versions
from .run import Run
from .session import Session

COUNTED_BY_MACS = frozenset({Counted.TESTER_DROPS})  # where the daemon says what they count
_FIELDS = tuple(PortVersionCounters.__dataclass_fields__)
_Key = tuple[str, int | str, str]  # port, version or what else, counter


@dataclass(frozen=True)
class PortSeen:
    """Of a port since the program runs."""

    counted: PortCounters
    misrouted: tuple[PortVersionCounters, ...]  # by version
    macs: MacCounters


class PortTotals:
    """Of the ports of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._past: Counter[_Key] = Counter()
        self._begin = self.seen()

    @property
    def counted(self) -> frozenset[Counted]:
        """What is counted beside that which the program counts."""
        has_missed = all(own.macs["rx_missed"] is not None for own in self._begin.values())
        return COUNTED_BY_MACS if has_missed else frozenset()

    def retire(self, run: Run, counted: Iterable[StreamCounters]) -> None:
        """Streams of a job whose counters become 0."""
        self._past.update(_shares(run, {own.id: own for own in counted}))

    def misrouted(self, seen: Mapping[str, PortSeen]) -> bool:
        """Whether frames have come to ports that were expected at others."""
        return any(own.misrouted != self._begin[name].misrouted for name, own in seen.items())

    def counters(
        self, seen: Mapping[str, PortSeen], runs: Sequence[Run], counted: Mapping[int, StreamCounters]
    ) -> tuple[PortCounters, ...]:
        """When ports were seen, by counters of streams that were read later.

        What arrived and is of no stream is foreign. Frames that came in between are none of the port's yet,
        so those of streams are not taken for foreign ones.
        """
        shares = Counter(self._past)
        for run in runs:
            shares.update(_shares(run, counted))
        for name, own in seen.items():
            shares.update(_misrouted(name, own.misrouted))
            shares.subtract(_misrouted(name, self._begin[name].misrouted))
        return tuple(
            with_macs(self._port(own.counted, shares), self._begin[name].macs, own.macs)
            for name, own in seen.items()
        )

    def _port(self, own: PortCounters, shares: Counter[_Key]) -> PortCounters:
        name, begin = own.name, self._begin[own.name].counted
        received, misrouted = own.rx_packets - begin.rx_packets, shares[name, "misrouted", "rx_packets"]
        return replace(
            own,
            tx_packets=own.tx_packets - begin.tx_packets,
            tx_bytes=own.tx_bytes - begin.tx_bytes,
            rx_packets=received,
            rx_bytes=own.rx_bytes - begin.rx_bytes,
            rx_foreign=max(0, received - shares[name, "measured", "rx_packets"] - misrouted),
            rx_misrouted=misrouted,
            versions=tuple(
                PortVersionCounters(**{field: shares[name, version, field] for field in _FIELDS})
                for version in (0, 1)
            ),
        )

    def seen(self) -> dict[str, PortSeen]:
        """Now, by the names of ports."""
        numbers = self._session.numbers
        read = iter(
            self._session.read_each(
                wanted for own in numbers.values() for wanted in (port_asked(own), misrouted_asked(own))
            )
        )
        macs = map(mac_counters, self._session.mac_counters())
        return {
            name: PortSeen(port_counters(name, next(read)), misrouted_versions(next(read)), next(macs))
            for name in numbers
        }


def _misrouted(name: str, versions: Sequence[PortVersionCounters]) -> Counter[_Key]:
    """Frames at a port that were expected at others, which belong to a version all the same."""
    found: Counter[_Key] = Counter()
    for version, passed in enumerate(versions):
        found[name, version, "rx_packets"] += passed.rx_packets
        found[name, version, "rx_bytes"] += passed.rx_bytes
        found[name, "misrouted", "rx_packets"] += passed.rx_packets
    return found


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
