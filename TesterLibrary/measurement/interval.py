# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss and delay of the frames that left within an interval, whenever they arrived (norma §6.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..model.units.number import percent
from ..model.units.units import Duration
from .delays.blind_delay import BlindDelay, Passages, bounded_text
from .delays.correction import NOT_CORRECTED, Correction
from .snapshot import OrderCounters, PortVersionCounters, StreamCounters, VersionCounters

ON_THE_WAY = "missing frames may still be on their way"
BY_VERSION = "the device may write over the versions of frames without a signature"


@dataclass(frozen=True)
class StreamInterval:
    """The frames that one stream sent in an interval."""

    name: str
    sent: int
    received: int
    received_bytes: int
    delay: BlindDelay
    again: int | None = 0  # arrivals in the interval that may be copies; None: not counted
    open: str = ""  # why missing frames may not be lost; empty: they are

    @classmethod
    def between(
        cls,
        name: str,
        before: VersionCounters,
        after: VersionCounters,
        span_ns: int,
        correction: Correction = NOT_CORRECTED,
        *,
        again: int | None = 0,
        open: str = "",  # noqa: A002 - as in the class
    ) -> StreamInterval:
        """The counts between two readings of a version: before it was opened, and after it settled.

        The tester's own delay is taken off; `again` and `open` as in the class, between the two.
        """
        departures = Passages(after.tx_packets, after.tx_time_ns) - Passages(
            before.tx_packets, before.tx_time_ns
        )
        arrivals = Passages(after.rx_packets, after.rx_time_ns) - Passages(
            before.rx_packets, before.rx_time_ns
        )
        return cls(
            name=name,
            sent=departures.packets,
            received=arrivals.packets,
            received_bytes=after.rx_bytes - before.rx_bytes,
            delay=BlindDelay(
                departures,
                arrivals,
                span_ns,
                offset_ns=correction.offset_ns,
                again=again,
                error_ns=correction.sums_error_ns,
            ),
            again=again,
            open=open,
        )

    @classmethod
    def whole(
        cls, name: str, counted: StreamCounters, span_ns: int, correction: Correction = NOT_CORRECTED
    ) -> StreamInterval:
        """Everything since the stream's start, once nothing is on its way any more."""
        copies = may_be_copies(counted.order)
        again = None if copies is None else copies - (counted.order.duplicated or 0)
        return cls(
            name=name,
            sent=counted.tx_packets,
            received=counted.rx_packets - (counted.order.duplicated or 0),
            received_bytes=counted.rx_bytes,
            delay=BlindDelay(
                sum((Passages(v.tx_packets, v.tx_time_ns) for v in counted.versions), Passages()),
                sum((Passages(v.rx_packets, v.rx_time_ns) for v in counted.versions), Passages()),
                span_ns,
                counted.order.duplicated or 0,
                correction.offset_ns,
                again,
                correction.sums_error_ns,
            ),
            again=again,
        )

    @property
    def lost(self) -> int:
        """Frames sent in the interval that are missing; the fewest, where copies may hide some."""
        return max(0, self.sent - self.received)

    @property
    def least_lost(self) -> int:
        """Missing frames that are lost for sure."""
        return 0 if self.open else self.lost

    @property
    def most_lost(self) -> int:
        """Lost frames if all arrivals that may be copies were copies of frames of the interval."""
        again = self.received if self.again is None else min(self.again, self.received)
        return max(0, self.sent - (self.received - again))

    @property
    def known_lost(self) -> int | None:
        """Lost frames; None where arrivals that may be copies leave that open."""
        return self.lost if self.least_lost == self.most_lost else None


def misattributed(name: str, intervals: Iterable[Interval], counted: StreamCounters) -> str:
    """Why the losses of intervals are not known to be losses; empty if they may be.

    Without a signature the version bit alone says in which interval a frame left. A device that writes over
    it both ways keeps the sums of both versions, but no more frames can be lost in intervals than in all.
    """
    lost = sum(stream.lost for interval in intervals for stream in interval.streams if stream.name == name)
    missing = max(0, counted.tx_packets - counted.rx_packets)
    if lost <= missing:
        return ""
    return (
        f"{lost:,} frames of {name!r} are missing in intervals, and {missing:,} in all: the device writes "
        "over their version, or sends copies"
    )


def bounds_text(least: int, most: int) -> str:
    """A count of frames as people read it; both bounds where it is not known."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def may_be_copies(order: OrderCounters) -> int | None:
    """The most arrivals that may be copies of frames that had arrived; None where nobody counts them."""
    if order.duplicated is None or order.late is None:
        return order.behind
    return order.duplicated + order.late


@dataclass(frozen=True)
class PortInterval:
    """The frames of an interval on one port, wherever they were expected; bytes on the wire, with FCS."""

    name: str
    sent: int
    sent_bytes: int
    received: int
    received_bytes: int

    @classmethod
    def between(cls, name: str, before: PortVersionCounters, after: PortVersionCounters) -> PortInterval:
        """The counts between two readings of a version: before it was opened, and after it settled."""
        return cls(
            name=name,
            sent=after.tx_packets - before.tx_packets,
            sent_bytes=after.tx_bytes - before.tx_bytes,
            received=after.rx_packets - before.rx_packets,
            received_bytes=after.rx_bytes - before.rx_bytes,
        )


@dataclass(frozen=True)
class Interval:
    """All streams between two flips of the version. Times are nanoseconds of the tester's clock."""

    number: int  # from 1
    start_ns: int
    end_ns: int
    guard_ns: int  # time after its end in which its last frames could still arrive
    streams: tuple[StreamInterval, ...]
    ports: tuple[PortInterval, ...] = ()  # of these streams; none where versions cannot be told apart

    @property
    def sent(self) -> int:
        """Frames that left in it."""
        return sum(s.sent for s in self.streams)

    @property
    def received(self) -> int:
        """Frames of the interval that arrived."""
        return sum(s.received for s in self.streams)

    @property
    def received_bytes(self) -> int:
        """Bytes of the frames of the interval that arrived, with FCS."""
        return sum(s.received_bytes for s in self.streams)

    @property
    def lost(self) -> int:
        """Frames of the interval that did not arrive, each stream for itself."""
        return sum(s.lost for s in self.streams)

    @property
    def settled(self) -> bool:
        """Whether no frame of it is counted any more that arrives."""
        return all(s.open != ON_THE_WAY for s in self.streams)

    @property
    def least_lost(self) -> int:
        """Frames of the interval that are lost for sure."""
        return sum(s.least_lost for s in self.streams)

    @property
    def most_lost(self) -> int:
        """Lost frames if all arrivals that may be copies were copies."""
        return sum(s.most_lost for s in self.streams)

    @property
    def known_lost(self) -> int | None:
        """Lost frames; None where arrivals that may be copies leave that open."""
        return self.lost if self.least_lost == self.most_lost else None

    @property
    def known_loss(self) -> Fraction | None:
        """Frame loss rate; None where arrivals that may be copies leave that open."""
        return self.loss if self.known_lost is not None else None

    @property
    def loss(self) -> Fraction:
        """Frame loss rate, exact; 0 if nothing was sent."""
        return Fraction(self.lost, self.sent) if self.sent else Fraction(0)

    @property
    def least_loss(self) -> Fraction:
        """Frame loss rate of the frames that are lost for sure."""
        return Fraction(self.least_lost, self.sent) if self.sent else Fraction(0)

    @property
    def most_loss(self) -> Fraction:
        """Frame loss rate if all arrivals that may be copies were copies."""
        return Fraction(self.most_lost, self.sent) if self.sent else Fraction(0)

    @property
    def duration_ns(self) -> int:
        """The length of the interval."""
        return self.end_ns - self.start_ns

    @property
    def received_rate(self) -> float:
        """Frames received for each second of sending."""
        return self.received * 1e9 / self.duration_ns

    @property
    def throughput_bps(self) -> float:
        """Received bits of frames for each second of sending (L2, FCS included)."""
        return self.received_bytes * 8e9 / self.duration_ns

    @property
    def delay_ns(self) -> float | None:
        """Mean delay of the frames that arrived, measured blind; None if none did."""
        return self._weighted([s.delay.mean_ns for s in self.streams])

    @property
    def delay_bound_ns(self) -> float | None:
        """The most by which the delay can be wrong because of lost frames."""
        return self._weighted([s.delay.bound_ns for s in self.streams])

    @property
    def _rate_text(self) -> str:
        """Frames received for each second; both bounds where lost frames leave it open."""
        if self.known_lost is not None:
            return f"{self.received_rate:,.0f}"
        received = (self.sent - lost for lost in (self.most_lost, self.least_lost))
        return bounds_text(*(round(frames * 1e9 / self.duration_ns) for frames in received))

    def _weighted(self, values: list[Fraction | None]) -> float | None:
        known = [(v, s.received) for v, s in zip(values, self.streams, strict=True) if v is not None]
        total = sum(received for _, received in known)
        return float(sum(value * received for value, received in known) / total) if total else None

    def __str__(self) -> str:
        part = percent(self.least_loss, 4)
        if self.most_lost > self.least_lost:
            why = next((s.open for s in self.streams if s.open), "frames may have arrived twice")
            part += f" to {percent(self.most_loss, 4)}, as {why}"
        text = (
            f"interval {self.number}, {Duration(self.duration_ns)}: sent {self.sent:,}, "
            f"lost {bounds_text(self.least_lost, self.most_lost)} ({part}), {self._rate_text} pps"
        )
        if self.delay_ns is None or self.delay_bound_ns is None:
            return text
        return f"{text}, delay {bounded_text(self.delay_ns, self.delay_bound_ns)}"
