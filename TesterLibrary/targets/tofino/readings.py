# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""From the registers and counters of a stream to its figures: the inverse of what p4/controls count.

Registers have a value for each pipe. A stream leaves by one port and arrives by one, so those of other pipes
are as they were at the begin, and the one that counts is found without knowing where it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from ...measurement.counter import Counter
from ...measurement.snapshot import LatencyCounters, OrderCounters, StreamCounters, VersionCounters
from .latency import OTHERS, scale
from .loaded import LoadedStream
from .switch import Asked, Reading

_IN, _OUT = "ExternalIngress", "ExternalEgress"
_WORD = 1 << 32
_VERSIONS = (0, 1)
_PACKETS, _OCTETS = "$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES"
Direction = Literal["tx", "rx"]


# What the program counts whatever happens; that nothing was doubled or overtaken it proves, if nothing was.
COUNTED = frozenset(
    {
        Counter.LATENCY,
        Counter.PERCENTILES,
        Counter.MISROUTED,
        Counter.VERSIONS,
        Counter.LINKS,
        Counter.END_PACKETS,
    }
)
PERCENTILE_ERROR = Fraction(33, 1000)  # half of the widest bucket of its histogram


@dataclass(frozen=True)
class Times:
    """Of one direction and version since its sums were 0 (norma §6.2, app. D)."""

    base: int = 0  # low 32 bits of the time of the first packet, in ns, odd; 0: none, or not asked for
    since: int = 0  # sum of times since then, in ns

    def sum_ns(self, packets: int, near_ns: int) -> int:
        """The sum of the times of so many packets.

        Args:
            packets: Those of the interval.
            near_ns: A time of the same clock, less than 2.1 s from the first packet.
        """
        return packets * unwrapped(self.base, near_ns) + self.since if self.base else 0


@dataclass(frozen=True)
class Passed:
    """Packets and bytes with FCS of a stream in one direction and version, since its start."""

    packets: int = 0
    octets: int = 0
    times: Times = Times()


@dataclass(frozen=True)
class StreamRegisters:
    """All that the switch has of a stream."""

    tx: tuple[Passed, Passed]  # by version
    rx: tuple[Passed, Passed]
    overtaken: int
    next_sequence: int
    least: int  # latency in ns; 2^32 - 1 before the first frame
    greatest: int
    latency_sum: int
    histogram: Mapping[int, int] = field(default_factory=dict)  # by number of the bucket
    misrouted: int = 0


@dataclass(frozen=True)
class Closed:
    """What intervals that are over have left of a version: times and packets that their sums were of."""

    tx: Passed = Passed()
    rx: Passed = Passed()
    tx_ns: int | None = 0  # None: of an interval that was longer than its sums hold
    rx_ns: int | None = 0


def asked(own: LoadedStream) -> list[Asked]:
    """What to read of a stream each time, in the order that `registers` wants."""
    found = departed_asked(own)
    found += [
        _counter(_IN, own.counter(version, overtaken=overtaken))
        for version in _VERSIONS
        for overtaken in (False, True)
    ]
    found += [
        _register(gress, "blind_delay.sum", own.slot(version))
        for gress in (_OUT, _IN)
        for version in _VERSIONS
    ]
    names = ("order.next", "latency.extremes", "latency.sum")
    return found + [_register(_IN, name, own.template) for name in names]


def departed_asked(own: LoadedStream) -> list[Asked]:
    """What to read of frames that have left, of each version."""
    return [_counter(_OUT, own.counter(version)) for version in _VERSIONS]


def packets_of(readings: Sequence[Reading]) -> int:
    """Of what was read of counters."""
    return sum(_sum(own, _PACKETS) for own in readings)


def base_asked(own: LoadedStream, direction: Direction, version: int) -> Asked:
    """What to read of the first packet of a version."""
    return _register({"tx": _OUT, "rx": _IN}[direction], "blind_delay.base", own.slot(version))


def number_of(reading: Reading) -> int:
    """Of what was read of a register with one number: that of the pipe that counts."""
    return _max(reading, "f1")


def reached(own: LoadedStream, found: StreamRegisters) -> list[int]:
    """Buckets that latencies from its least to its greatest can be in, and the one of all others."""
    if not own.planned.signature or found.least > found.greatest:
        return []
    between = [one for one in scale() if one.first <= found.greatest and found.least < one.first + one.size]
    return [*(one.number for one in between), OTHERS]


def cells(own: LoadedStream, numbers: Sequence[int]) -> list[Asked]:
    """What to read of some buckets of the histogram, in the order that `buckets` wants."""
    return [
        Asked(f"external.{_IN}.latency.histogram", {"$COUNTER_INDEX": own.cell(number)}) for number in numbers
    ]


def buckets(numbers: Sequence[int], readings: Sequence[Reading]) -> dict[int, int]:
    """Of what was read of some buckets: those that are not empty."""
    counts = [_sum(own, _PACKETS) for own in readings]
    return {number: count for number, count in zip(numbers, counts, strict=True) if count}


def registers(readings: Sequence[Reading]) -> StreamRegisters:
    """Of what was read each time."""
    tx_0, tx_1, rx_0, late_0, rx_1, late_1, *rest = readings
    tx_since_0, tx_since_1, rx_since_0, rx_since_1, following, extremes, total = rest
    return StreamRegisters(
        tx=(_passed([tx_0], tx_since_0), _passed([tx_1], tx_since_1)),
        rx=(_passed([rx_0, late_0], rx_since_0), _passed([rx_1, late_1], rx_since_1)),
        overtaken=packets_of([late_0, late_1]),
        next_sequence=number_of(following),
        least=_min(extremes, "least"),
        greatest=_max(extremes, "greatest"),
        latency_sum=_whole(total),
    )


def _passed(counted: Sequence[Reading], since: Reading) -> Passed:
    octets = sum(_sum(own, _OCTETS) for own in counted)
    return Passed(packets_of(counted), octets, Times(since=_whole(since)))


def version_counters(
    tx: Passed, rx: Passed, before: Closed, near_ns: int, *, wrapped: bool = False
) -> VersionCounters:
    """Of a version since the start.

    Args:
        tx: As read.
        rx: As read.
        before: Of intervals that are over: `close` makes it when the sums become 0.
        near_ns: A time of the switch's clock near its first packet of the interval, within 2.1 s.
        wrapped: Whether the interval is longer than its sums hold: then they tell nothing.
    """

    def summed(own: Passed, done: Passed, done_ns: int | None) -> int | None:
        if done_ns is None or (wrapped and own.packets > done.packets):
            return None
        return done_ns + own.times.sum_ns(own.packets - done.packets, near_ns)

    return VersionCounters(
        tx_packets=tx.packets,
        tx_bytes=tx.octets,
        tx_time_ns=summed(tx, before.tx, before.tx_ns),
        rx_packets=rx.packets,
        rx_bytes=rx.octets,
        rx_time_ns=summed(rx, before.rx, before.rx_ns),
    )


def close(tx: Passed, rx: Passed, before: Closed, near_ns: int, *, wrapped: bool = False) -> Closed:
    """What a version has come to, just before its bases and sums become 0."""
    now = version_counters(tx, rx, before, near_ns, wrapped=wrapped)
    none = Times()
    return Closed(replace(tx, times=none), replace(rx, times=none), now.tx_time_ns, now.rx_time_ns)


def stream_counters(
    own: LoadedStream,
    found: StreamRegisters,
    closed: Sequence[Closed],
    near_ns: Sequence[int],
    *,
    wrapped: Sequence[bool] = (False, False),
    open_version: int = 0,
    sending: bool = False,
) -> StreamCounters:
    """Of a stream since its start, as far as the switch knows.

    Args:
        own: The stream.
        found: What was read.
        closed: Of each version, what intervals have left that are over.
        near_ns: Of each version, as for `version_counters`.
        wrapped: The same.
        open_version: In which frames leave.
        sending: Whether they do.
    """
    versions = tuple(
        version_counters(tx, rx, before, near, wrapped=over)
        for tx, rx, before, near, over in zip(found.tx, found.rx, closed, near_ns, wrapped, strict=True)
    )
    return StreamCounters(
        id=own.planned.id,
        tx_packets=sum(one.packets for one in found.tx),
        tx_bytes=sum(one.octets for one in found.tx),
        rx_packets=sum(one.packets for one in found.rx),
        rx_bytes=sum(one.octets for one in found.rx),
        rx_misrouted=found.misrouted,
        rx_out_of_order=None if found.overtaken else 0,
        latency=latency_counters(found, sum(one.packets for one in found.rx) if own.planned.signature else 0),
        sending=sending,
        versions=versions if own.planned.version else (),
        open_version=open_version,
        order=OrderCounters(
            next_sequence=found.next_sequence,
            # Frames that came in ascending order, each above the one before, are no duplicates.
            duplicated=None if found.overtaken else 0,
            behind=found.overtaken,
        ),
    )


def latency_counters(found: StreamRegisters, packets: int) -> LatencyCounters:
    """Of so many frames with a signature."""
    if not packets:
        return LatencyCounters()
    indexes = {bucket.number: bucket.index for bucket in scale()}
    buckets: dict[int, int] = {}
    for number, count in found.histogram.items():
        index = indexes.get(number, indexes[max(indexes)])
        buckets[index] = buckets.get(index, 0) + count
    return LatencyCounters(
        count=packets,
        sum_ns=found.latency_sum,
        min_ns=found.least,
        max_ns=found.greatest,
        buckets=buckets,
    )


def unwrapped(low: int, near: int) -> int:
    """The number with these low 32 bits that is closest to another one."""
    return near + (low - near + _WORD // 2) % _WORD - _WORD // 2


def _counter(gress: str, index: int) -> Asked:
    return Asked(f"external.{gress}.counters.streams", {"$COUNTER_INDEX": index})


def _register(gress: str, name: str, index: int) -> Asked:
    return Asked(f"external.{gress}.{name}", {"$REGISTER_INDEX": index})


def _whole(reading: Reading) -> int:
    """Of a sum in two halves."""
    return _sum(reading, "high") * _WORD + _sum(reading, "low")


def _sum(reading: Reading, name: str) -> int:
    return sum(_values(reading, name))


def _max(reading: Reading, name: str) -> int:
    return max(_values(reading, name))


def _min(reading: Reading, name: str) -> int:
    return min(_values(reading, name))


def _values(reading: Reading, name: str) -> list[int]:
    """Of each pipe, by the last part of a field's name."""
    found = next(value for whole, value in reading.items() if whole.rpartition(".")[2] == name)
    if isinstance(found, int):
        return [found]
    assert not isinstance(found, str)
    return list(found)
