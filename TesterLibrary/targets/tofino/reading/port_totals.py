# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of ports since a session began; they include the frames of unloaded streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ....measurement.counter import Counter as Counted
from ....measurement.snapshot import PortCounters, PortVersionCounters, StreamCounters
from ..driver.run import SwitchRun
from ..entries.misrouted import port_asked as misrouted_asked
from ..entries.misrouted import port_versions as misrouted_versions
from ..session.ports import MacCounters, mac_counters, with_macs
from ..session.session import SwitchSession
from .end_readings import port_asked, port_counters

COUNTED_BY_MACS = frozenset({Counted.TESTER_DROPS})  # only if the daemon has counters of the MACs
_FIELDS = tuple(PortVersionCounters.__dataclass_fields__)
_Key = tuple[str, int | str, str]  # port, version or another category, counter


@dataclass(frozen=True)
class PortSeen:
    """The counters of a port since the program runs."""

    counted: PortCounters
    misrouted: tuple[PortVersionCounters, ...]  # by version
    macs: MacCounters


class PortTotals:
    """The counters of the ports of a session."""

    def __init__(self, session: SwitchSession) -> None:
        self._session = session
        self._past: Counter[_Key] = Counter()
        self._begin = self.seen()

    @property
    def counted(self) -> frozenset[Counted]:
        """The counters in addition to those of the program."""
        has_missed = all(port.macs["rx_missed"] is not None for port in self._begin.values())
        return COUNTED_BY_MACS if has_missed else frozenset()

    def retire(self, run: SwitchRun, counted: Iterable[StreamCounters]) -> None:
        """Keeps the counters of a job's streams, which are about to become 0."""
        self._past.update(_shares(run, {stream.id: stream for stream in counted}))

    def misrouted(self, seen: Mapping[str, PortSeen]) -> bool:
        """Whether frames have come to other ports than expected."""
        return any(port.misrouted != self._begin[name].misrouted for name, port in seen.items())

    def counters(
        self, seen: Mapping[str, PortSeen], runs: Sequence[SwitchRun], counted: Mapping[int, StreamCounters]
    ) -> tuple[PortCounters, ...]:
        """The counters of ports at the time of `seen`, with counters of streams that were read later.

        Frames of no stream are foreign. Frames that arrive between the two readings are in the streams'
        counters only, so frames of streams are not taken for foreign ones.
        """
        shares = Counter(self._past)
        for run in runs:
            shares.update(_shares(run, counted))
        for name, port in seen.items():
            shares.update(_misrouted(name, port.misrouted))
            shares.subtract(_misrouted(name, self._begin[name].misrouted))
        return tuple(
            with_macs(self._port(port.counted, shares), self._begin[name].macs, port.macs)
            for name, port in seen.items()
        )

    def _port(self, port: PortCounters, shares: Counter[_Key]) -> PortCounters:
        name, begin = port.name, self._begin[port.name].counted
        received, misrouted = port.rx_packets - begin.rx_packets, shares[name, "misrouted", "rx_packets"]
        return replace(
            port,
            tx_packets=port.tx_packets - begin.tx_packets,
            tx_bytes=port.tx_bytes - begin.tx_bytes,
            rx_packets=received,
            rx_bytes=port.rx_bytes - begin.rx_bytes,
            rx_foreign=max(0, received - shares[name, "measured", "rx_packets"] - misrouted),
            rx_misrouted=misrouted,
            versions=tuple(
                PortVersionCounters(**{field: shares[name, version, field] for field in _FIELDS})
                for version in (0, 1)
            ),
        )

    def seen(self) -> dict[str, PortSeen]:
        """The counters of ports now, by name."""
        numbers = self._session.numbers
        read = iter(
            self._session.read_each(
                wanted
                for number in numbers.values()
                for wanted in (port_asked(number), misrouted_asked(number))
            )
        )
        macs = map(mac_counters, self._session.mac_counters())
        return {
            name: PortSeen(port_counters(name, next(read)), misrouted_versions(next(read)), next(macs))
            for name in numbers
        }


def _misrouted(name: str, versions: Sequence[PortVersionCounters]) -> Counter[_Key]:
    """Frames at a port that were expected at others; they belong to a version too."""
    found: Counter[_Key] = Counter()
    for version, passed in enumerate(versions):
        found[name, version, "rx_packets"] += passed.rx_packets
        found[name, version, "rx_bytes"] += passed.rx_bytes
        found[name, "misrouted", "rx_packets"] += passed.rx_packets
    return found


def _shares(run: SwitchRun, counted: Mapping[int, StreamCounters]) -> Counter[_Key]:
    found: Counter[_Key] = Counter()
    for number, stream in run.job.streams.items():
        read = counted.get(number)
        if read is None:
            continue
        tx, rx = stream.planned.tx_port, stream.planned.rx_port
        found[rx, "measured", "rx_packets"] += read.rx_packets
        for version, passed in enumerate(read.versions):
            found[tx, version, "tx_packets"] += passed.tx_packets
            found[tx, version, "tx_bytes"] += passed.tx_bytes
            found[rx, version, "rx_packets"] += passed.rx_packets
            found[rx, version, "rx_bytes"] += passed.rx_bytes
    return found
