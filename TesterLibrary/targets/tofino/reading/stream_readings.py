# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the registers and counters of a stream into its figures: the inverse of p4/controls.

Registers have a value for each pipe. A stream leaves by one port and arrives by one, so the values of other
pipes are as they were at the begin, and the pipe that counts need not be known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from ....measurement.counter import Counter
from ....measurement.snapshot import LatencyCounters, OrderCounters, StreamCounters, VersionCounters
from ..driver.loaded import LoadedStream
from ..entries.latency import UNKNOWN_NS, between, by_index
from ..entries.outages import OutageRegisters
from ..session.switch import Asked, Reading, numbers_of
from .arrival import Arrival

_IN, _OUT = "ExternalIngress", "ExternalEgress"
_WORD = 1 << 32
TIME_STEP_NS = 1  # times that are summed up are made odd (p4/controls/blind_delay.p4)
_VERSIONS = (0, 1)
_PACKETS, _OCTETS = "$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES"
_REGISTERS = (
    "order.next",
    "latency.extremes",
    "latency.sum.total",
    "outages.arrivals",
    "outages.longest",
    "outages.most",
    "outages.before",
)
Direction = Literal["tx", "rx"]


# Counters that the program always has.
COUNTED = frozenset(
    {
        Counter.LATENCY,
        Counter.PERCENTILES,
        Counter.DUPLICATED,
        Counter.REORDERED,
        Counter.LATE,
        Counter.MISROUTED,
        Counter.OUTAGES,
        Counter.VERSIONS,
        Counter.FLOWS,
        Counter.LINKS,
        Counter.END_PACKETS,
    }
)


@dataclass(frozen=True)
class Times:
    """The times of one direction and version since its sums were 0 (norma §6.2, app. D)."""

    base: int = 0  # low 32 bits of the time of the first packet, in ns, odd; 0: no packet, or not read
    since: int = 0  # sum of times since then, in ns

    def sum_ns(self, packets: int, near_ns: int) -> int:
        """The sum of the times of so many packets.

        Args:
            packets: The packets of the interval.
            near_ns: A time of the same clock, less than 2.1 s from the first packet.
        """
        return packets * unwrapped(self.base, near_ns) + self.since if self.base else 0


@dataclass(frozen=True)
class PassedFrames:
    """Packets and bytes with FCS of a stream in one direction and version, since its start."""

    packets: int = 0
    octets: int = 0
    times: Times = Times()


@dataclass(frozen=True)
class StreamRegisters:
    """All registers and counters of a stream in the switch."""

    tx: tuple[PassedFrames, PassedFrames]  # by version
    rx: tuple[PassedFrames, PassedFrames]
    arrived: Mapping[Arrival, int]  # in both versions
    next_sequence: int
    least: int  # latency in ns; 2^32 - 1 before the first frame
    greatest: int
    latency_sum: int
    outages: OutageRegisters = field(default_factory=OutageRegisters)
    histogram: Mapping[int, int] = field(default_factory=dict)  # by number of the bucket
    misrouted: int = 0


@dataclass(frozen=True)
class Closed:
    """The frames and sums of times of a version's intervals that are over."""

    tx: PassedFrames = PassedFrames()
    rx: PassedFrames = PassedFrames()
    tx_ns: int | None = 0  # None: an interval was longer than its sums hold
    rx_ns: int | None = 0


def asked(stream: LoadedStream) -> list[Asked]:
    """The entries to read for a stream each time, in the order that `registers` expects."""
    found = departed_asked(stream)
    found += [_counter(_IN, stream.counter(version, arrival)) for version in _VERSIONS for arrival in Arrival]
    found += [
        _register(gress, "blind_delay.sum.total", stream.slot(version))
        for gress in (_OUT, _IN)
        for version in _VERSIONS
    ]
    return found + [_register(_IN, name, stream.template) for name in _REGISTERS]


def departed_asked(stream: LoadedStream) -> list[Asked]:
    """The entries to read for the frames that have left, one for each version."""
    return [_counter(_OUT, stream.counter(version)) for version in _VERSIONS]


def packets_of(readings: Sequence[Reading]) -> int:
    """The packets of these counters together."""
    return sum(_sum(reading, _PACKETS) for reading in readings)


def octets_of(readings: Sequence[Reading]) -> int:
    """The bytes of these counters together."""
    return sum(_sum(reading, _OCTETS) for reading in readings)


def base_asked(stream: LoadedStream, direction: Direction, version: int) -> Asked:
    """The entry to read for the time of a version's first packet."""
    return _register({"tx": _OUT, "rx": _IN}[direction], "blind_delay.base", stream.slot(version))


def number_of(reading: Reading) -> int:
    """The number of a register in the pipe that counts; others have 0."""
    return greatest_of(reading, "f1")


def reached(stream: LoadedStream, found: StreamRegisters) -> list[int]:
    """The buckets for latencies from the stream's least to its greatest, and the bucket of all others."""
    return between(found.least, found.greatest) if stream.planned.signature else []


def cells(stream: LoadedStream, numbers: Sequence[int]) -> list[Asked]:
    """The entries to read for these buckets of the histogram, in the order that `buckets` expects."""
    return [
        Asked(f"external.{_IN}.latency.histogram", {"$COUNTER_INDEX": stream.cell(number)})
        for number in numbers
    ]


def buckets(numbers: Sequence[int], readings: Sequence[Reading]) -> dict[int, int]:
    """The counts of the buckets that are not empty, from the readings of `cells`."""
    counts = [_sum(reading, _PACKETS) for reading in readings]
    return {number: count for number, count in zip(numbers, counts, strict=True) if count}


def registers(readings: Sequence[Reading]) -> StreamRegisters:
    """The registers of a stream, from the readings of `asked`."""
    rest = iter(readings)
    left = list(islice(rest, len(_VERSIONS)))
    arrived = [list(islice(rest, len(Arrival))) for _ in _VERSIONS]
    tx_since, rx_since = list(islice(rest, len(_VERSIONS))), list(islice(rest, len(_VERSIONS)))
    following, extremes, total, arrivals, longest, most, before = rest
    return StreamRegisters(
        tx=(_passed([left[0]], tx_since[0]), _passed([left[1]], tx_since[1])),
        rx=(_passed(arrived[0], rx_since[0]), _passed(arrived[1], rx_since[1])),
        arrived={arrival: packets_of(each) for arrival, *each in zip(Arrival, *arrived, strict=True)},
        next_sequence=number_of(following),
        least=least_of(extremes, "least"),
        greatest=greatest_of(extremes, "greatest"),
        latency_sum=_whole(total),
        outages=OutageRegisters(
            first=greatest_of(arrivals, "first"),
            last=greatest_of(arrivals, "last"),
            length=greatest_of(longest, "length"),
            since=greatest_of(longest, "since"),
            frames=greatest_of(most, "frames"),
            before=number_of(before),
        ),
    )


def _passed(counted: Sequence[Reading], since: Reading) -> PassedFrames:
    return PassedFrames(packets_of(counted), octets_of(counted), Times(since=_whole(since)))


def version_counters(
    tx: PassedFrames, rx: PassedFrames, before: Closed, near_ns: int, *, wrapped: bool = False
) -> VersionCounters:
    """The counters of a version since the start.

    Args:
        tx: The frames sent, as read.
        rx: The frames received, as read.
        before: The intervals that are over; `close` makes it when the sums become 0.
        near_ns: A time of the switch's clock near its first packet of the interval, within 2.1 s.
        wrapped: Whether the interval is longer than its sums hold, so that they are useless.
    """

    def summed(passed: PassedFrames, done: PassedFrames, done_ns: int | None) -> int | None:
        if done_ns is None or (wrapped and passed.packets > done.packets):
            return None
        return done_ns + passed.times.sum_ns(passed.packets - done.packets, near_ns)

    return VersionCounters(
        tx_packets=tx.packets,
        tx_bytes=tx.octets,
        tx_time_ns=summed(tx, before.tx, before.tx_ns),
        rx_packets=rx.packets,
        rx_bytes=rx.octets,
        rx_time_ns=summed(rx, before.rx, before.rx_ns),
    )


def close(
    tx: PassedFrames, rx: PassedFrames, before: Closed, near_ns: int, *, wrapped: bool = False
) -> Closed:
    """The totals of a version, just before its bases and sums become 0."""
    now = version_counters(tx, rx, before, near_ns, wrapped=wrapped)
    none = Times()
    return Closed(replace(tx, times=none), replace(rx, times=none), now.tx_time_ns, now.rx_time_ns)


def stream_counters(
    stream: LoadedStream,
    found: StreamRegisters,
    closed: Sequence[Closed],
    near_ns: Sequence[int],
    *,
    wrapped: Sequence[bool] = (False, False),
    open_version: int = 0,
    sending: bool = False,
) -> StreamCounters:
    """The counters of a stream since its start, as far as the switch has them.

    Args:
        stream: The stream.
        found: The registers that were read.
        closed: For each version, the intervals that are over.
        near_ns: For each version, as for `version_counters`.
        wrapped: For each version, as for `version_counters`.
        open_version: The version in which frames leave.
        sending: Whether frames leave.
    """
    versions = tuple(
        version_counters(tx, rx, before, near, wrapped=over)
        for tx, rx, before, near, over in zip(found.tx, found.rx, closed, near_ns, wrapped, strict=True)
    )
    exact = numbers_are_exact(stream, found)
    return StreamCounters(
        id=stream.planned.id,
        tx_packets=sum(one.packets for one in found.tx),
        tx_bytes=sum(one.octets for one in found.tx),
        rx_packets=sum(one.packets for one in found.rx),
        rx_bytes=sum(one.octets for one in found.rx),
        rx_misrouted=found.misrouted,
        rx_out_of_order=_arrived(found, Arrival.OVERTAKEN, Arrival.LATE) if exact else None,
        latency=latency_counters(
            found, sum(one.packets for one in found.rx) if stream.planned.signature else 0
        ),
        sending=sending,
        versions=versions if stream.planned.version else (),
        open_version=open_version,
        order=OrderCounters(
            next_sequence=found.next_sequence if exact or not stream.planned.signature else None,
            duplicated=_arrived(found, Arrival.AGAIN) if exact else None,
            late=_arrived(found, Arrival.LATE) if exact else None,
            behind=behind(found),
        ),
    )


def numbers_are_exact(stream: LoadedStream, found: StreamRegisters) -> bool:
    """Whether it is known of each frame how it came.

    Frames without a signature have no numbers. Numbers have 32 bits: a frame that skips 2^31 numbers or more
    looks as if it came below the highest number, and so do the frames after it.
    """
    return stream.planned.signature and (undelivered(found) < _WORD // 2 or not behind(found))


def undelivered(registers: StreamRegisters) -> int:
    """The most frames that have left and not arrived."""
    sent = sum(passed.packets for passed in registers.tx)
    return sent - _arrived(registers, Arrival.ABOVE, Arrival.OVERTAKEN)


def behind(found: StreamRegisters) -> int:
    """Frames that came below the highest number."""
    return _arrived(found, Arrival.OVERTAKEN, Arrival.AGAIN, Arrival.LATE)


def again(found: StreamRegisters) -> int:
    """Frames that came once more, as far as that is known."""
    return _arrived(found, Arrival.AGAIN)


def _arrived(found: StreamRegisters, *arrivals: Arrival) -> int:
    return sum(found.arrived.get(arrival, 0) for arrival in arrivals)


def latency_counters(found: StreamRegisters, packets: int) -> LatencyCounters:
    """The latencies of so many frames with a signature; of none if that of one of them is not known."""
    if not packets or found.greatest == UNKNOWN_NS:
        return LatencyCounters()
    return LatencyCounters(
        count=packets,
        sum_ns=found.latency_sum,
        min_ns=found.least,
        max_ns=found.greatest,
        buckets=by_index(found.histogram),
    )


def unwrapped(low: int, near: int) -> int:
    """The number with these low 32 bits that is closest to another one."""
    return near + (low - near + _WORD // 2) % _WORD - _WORD // 2


def below(low: int, most: int) -> int:
    """The greatest number with these low 32 bits that is not above another one."""
    return most - (most - low) % _WORD


def _counter(gress: str, index: int) -> Asked:
    return Asked(f"external.{gress}.stream_counters.totals", {"$COUNTER_INDEX": index})


def _register(gress: str, name: str, index: int) -> Asked:
    return Asked(f"external.{gress}.{name}", {"$REGISTER_INDEX": index})


def _whole(reading: Reading) -> int:
    """The whole of a sum that is kept in two halves."""
    return _sum(reading, "high") * _WORD + _sum(reading, "low")


def _sum(reading: Reading, name: str) -> int:
    return sum(_values(reading, name))


def greatest_of(reading: Reading, name: str) -> int:
    """The greatest value of a field in any pipe."""
    return max(_values(reading, name))


def least_of(reading: Reading, name: str) -> int:
    """The least value of a field in any pipe."""
    return min(_values(reading, name))


def _values(reading: Reading, name: str) -> list[int]:
    """The values of each pipe, by the last part of a field's name."""
    return numbers_of(reading, next(whole for whole in reading if whole.rpartition(".")[2] == name))
