# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the outages of a stream were, as far as its counters tell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, inf

from ..model.units.units import Duration, duration_text
from .order import Order
from .snapshot import OutageCounters, StreamCounters


def outages_of(counted: StreamCounters, order: Order, rate: Fraction) -> tuple[Outage, ...] | None:
    """The outage before the first arrival, the longest between two, and the one after the last, if any.

    Of a broadcast they are those of its first port. None if nobody counted, which of a broadcast is so where
    frames are missing, or may be, at other ports only. `rate`: frames sent each nanosecond.
    """
    if order.loss_bounds == (0, 0):
        return ()
    if counted.outages is None or not _numbered(counted):
        return None
    here, found = _at_its_port(order), counted.outages
    if here.loss_bounds == (0, 0):
        return None
    each = [Outage(found.longest_start_ns, found.longest_ns, found.longest_lost, rate)]
    least, _ = _missing_first(counted, here, rate)
    if least:
        each.append(Outage(counted.first_tx_ns, ceil(least / rate), least, rate))
    missing = _missing_last(counted)
    if missing:
        silent_since = counted.last_rx_ns or counted.first_tx_ns
        each.append(Outage(silent_since, ceil(missing / rate), missing, rate, ended=False))
    return tuple(outage for outage in each if outage.lost)


def outage_bounds(counted: StreamCounters, order: Order, rate: Fraction) -> tuple[float, float] | None:
    """The least and the greatest length of the longest outage, in nanoseconds; None if nobody counted.

    It is known by time where every frame arrived once and in its place. A frame that arrives again, or late,
    ends no outage, but the tester's time of silence; and frames that were only overtaken are not lost. There
    the frames that are missing are the bounds. One that is not over when the traffic ends is at least as long
    as until then; a stream without any arrival is dark without end. Frames of a broadcast that are missing at
    other ports may have been missing there in a row. Where no frame is missing, an outage may lie between two
    frames.
    """
    if order.loss_bounds == (0, 0):
        return 0, float(1 / rate)
    here = _at_its_port(order)
    if here != order:
        known = outage_bounds(counted, here, rate)
        if known is None or order.loss_bounds is None:
            return None
        fewest, most = order.loss_bounds
        return max(known[0], float(min(1, fewest) / rate)), max(known[1], float((most + 1) / rate))
    if counted.outages is None or order.loss_bounds is None or not _numbered(counted):
        return None
    if not counted.rx_packets:
        return inf, inf
    least_ns, most_ns = _ended_bounds(counted, counted.outages, order, order.loss_bounds, rate)
    last = _missing_last(counted)
    return float(max(least_ns, last / rate)), inf if last else float(most_ns)


def _ended_bounds(
    counted: StreamCounters, outages: OutageCounters, order: Order, lost: tuple[int, int], rate: Fraction
) -> tuple[Fraction, Fraction]:
    """The bounds of the longest outage before the first arrival or between two."""
    first, first_most = _missing_first(counted, order, rate)
    fewest, most = lost
    if _undisturbed(order):
        least_ns = max(Fraction(outages.longest_ns - outages.within_ns), max(first, min(1, fewest)) / rate)
        by_time_ns = Fraction(outages.longest_ns + outages.within_ns if outages.longest_ns else 0)
        return least_ns, max(least_ns, by_time_ns, first_most / rate)
    overtaken = most if order.reordered is None else order.reordered
    between = ceil(Fraction(max(0, outages.longest_lost - overtaken), overtaken + 1))
    least_ns = max(min(1, fewest), between, first) / rate
    return least_ns, max(Fraction(outages.longest_ns + outages.within_ns), (most + 1) / rate)


def _at_its_port(order: Order) -> Order:
    """The order without what is missing at other ports of a broadcast."""
    return replace(order, incomplete=0, most_incomplete=0)


def _undisturbed(order: Order) -> bool:
    """Whether each arrival was above all before it."""
    if order.behind == 0:
        return True
    return order.copies == (0, 0) and order.reordered == 0


def _missing_first(counted: StreamCounters, order: Order, rate: Fraction) -> tuple[int, int]:
    """The fewest and the most frames missing before the first arrival.

    The first that arrived left so long after the first one of all as its arrival came, less its delay.
    """
    if not counted.rx_packets or counted.outages is None or order.loss_bounds is None:
        return 0, 0
    if not counted.outages.longest_ns and not _missing_last(counted) and _undisturbed(order):
        return order.loss_bounds  # there are no two arrivals with an outage between them
    silence_ns, delays = counted.first_rx_ns - counted.first_tx_ns, counted.latency
    longest, shortest = (delays.max_ns, delays.min_ns) if delays.count else (silence_ns, 0)
    room = max(0, order.loss_bounds[1] - (counted.outages.longest_lost if _undisturbed(order) else 0))
    least, most = ceil((silence_ns - longest) * rate), floor((silence_ns - shortest) * rate)
    return min(room, max(0, least)), min(room, max(0, most))


def _numbered(counted: StreamCounters) -> bool:
    """Whether sequence numbers were seen, as far as anything arrived."""
    return counted.order.next_sequence is not None and bool(
        counted.order.next_sequence or not counted.rx_packets
    )


def _missing_last(counted: StreamCounters) -> int:
    """Frames missing after the last arrival."""
    return max(0, counted.tx_packets - (counted.order.next_sequence or 0))


@dataclass(frozen=True)
class Outage:
    """The longest time in which a stream lost frames, between two that arrived one after the other."""

    start_ns: int  # arrival of the frame before it, on the tester's clock
    by_time_ns: int  # time until the frame after it (timestamp-based, RFC 6201 §4.2)
    lost: int  # frames missing between the two
    rate: Fraction  # rate at which they were sent, in frames each nanosecond
    ended: bool = True  # False: nothing more arrived until the traffic ended

    @property
    def by_loss_ns(self) -> Fraction:
        """Frame-loss-based (RFC 6201 §4.1): frames lost / rate of sending."""
        return self.lost / self.rate

    @property
    def interval_ns(self) -> Fraction:
        """Between two frames as they are sent: what neither of the two values can tell apart."""
        return 1 / self.rate

    def __str__(self) -> str:
        text = (
            f"{Duration(self.by_time_ns)} by time, {duration_text(self.by_loss_ns)} by "
            f"{self.lost:,} lost frames"
        )
        return text if self.ended else f"{text}, not over when the traffic ended"
