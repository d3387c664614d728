# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One stream of the fake tester: what has left and what has arrived at any instant, in closed form.

Nothing is simulated frame by frame, so an hour at 100 Gbps costs as much as a millisecond at 1 kbps. Time is
nanoseconds of the fake's clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from ...measurement.histogram import index_of
from ...measurement.snapshot import LatencyCounters, StreamCounters
from ...model.plan import PlannedStream


@dataclass(frozen=True)
class Pace:
    """How a stream runs for a while. Rates are frames each nanosecond."""

    intended: Fraction
    offered: Fraction  # what the tester reaches of it
    dropped: Fraction  # the part of the offered frames that the device drops, 0 to 1


@dataclass(frozen=True)
class _Leg:
    """From an instant on: the counts so far, exact and not yet rounded, and the pace from there."""

    at_ns: int
    intended: Fraction
    offered: Fraction
    lost: Fraction  # of the first `sent` frames
    pace: Pace

    @property
    def sent(self) -> int:
        return ceil(self.offered)

    def intended_until(self, now_ns: int) -> Fraction:
        return self.intended + (now_ns - self.at_ns) * self.pace.intended

    def offered_until(self, now_ns: int) -> Fraction:
        return self.offered + (now_ns - self.at_ns) * self.pace.offered

    def lost_of(self, sent: int) -> Fraction:
        """A frame is lost or not when it leaves, so this grows with frames, not with time."""
        return self.lost + (sent - self.sent) * self.pace.dropped

    def followed_by(self, now_ns: int, pace: Pace) -> _Leg:
        offered = self.offered_until(now_ns)
        return _Leg(now_ns, self.intended_until(now_ns), offered, self.lost_of(ceil(offered)), pace)


class FakeStream:
    """A stream since its last start. The k-th frame leaves at start + k / rate, as an engine's does."""

    def __init__(self, planned: PlannedStream, *, delay_ns: int, phase: Fraction) -> None:
        """`phase`, 0 to below 1, decides which frames of an evenly spread loss are lost."""
        self.planned = planned
        self.rate = planned.rate
        self.sending = False
        self.ends_ns: int | None = None
        self._packets: int | None = None
        self._delay_ns = delay_ns
        self._phase = phase
        self._legs: list[_Leg] = []

    def start(self, now_ns: int, *, duration_ns: int | None, packets: int | None) -> None:
        """Counts from 0, from now on, once `follow` has given the pace."""
        self.sending = True
        self._packets = packets
        self._legs = []
        self.ends_ns = None if duration_ns is None else now_ns + duration_ns

    def stop(self, now_ns: int) -> None:
        """Nothing leaves from this instant on."""
        self.sending = False
        self.ends_ns = now_ns

    def follow(self, now_ns: int, pace: Pace) -> None:
        """A new pace, because rates or neighbours on the path have changed."""
        if not self._legs:
            self._legs.append(_Leg(now_ns, Fraction(0), Fraction(0), Fraction(0), pace))
        elif self._legs[-1].pace != pace:
            self._legs.append(self._legs[-1].followed_by(now_ns, pace))

    def due_end_ns(self) -> int | None:
        """When it ends by itself, at its present pace; None if it does not."""
        if self._packets is None:
            return self.ends_ns
        leg = self._legs[-1]
        last = leg.at_ns + max(0, ceil((self._packets - 1 - leg.intended) / leg.pace.intended)) + 1
        return last if self.ends_ns is None else min(last, self.ends_ns)

    def everything(self) -> StreamCounters:
        """What will have been counted when the last frame has arrived."""
        return self.counters((self.ends_ns or 0) + self._delay_ns)

    def received(self, now_ns: int) -> int:
        """Frames that have arrived."""
        _, sent, lost = self._counts(now_ns - self._delay_ns)
        return sent - lost

    def counters(self, now_ns: int) -> StreamCounters:
        """What a tester counts of it at an instant."""
        intended, sent, _ = self._counts(now_ns)
        received, octets, delay = self.received(now_ns), self.planned.octets, self._delay_ns
        start_ns = self._legs[0].at_ns if self._legs else 0
        return StreamCounters(
            id=self.planned.id,
            intended_packets=intended,
            tx_packets=sent,
            tx_bytes=octets(sent),
            first_tx_ns=start_ns if sent else 0,
            last_tx_ns=self._left_at(sent) if sent else 0,
            worst_lateness_ns=floor((intended - sent) / self.rate),
            rx_packets=received,
            rx_bytes=octets(received),  # what is lost has the average size
            first_rx_ns=start_ns + delay if received else 0,
            last_rx_ns=self._left_at(self._counts(now_ns - delay)[1]) + delay if received else 0,
            latency=LatencyCounters(received, received * delay, delay, delay, {index_of(delay): received})
            if received
            else LatencyCounters(),
            sending=self.sending,
        )

    def _counts(self, now_ns: int) -> tuple[int, int, int]:
        """Intended, sent and lost frames at an instant."""
        now_ns = now_ns if self.ends_ns is None else min(now_ns, self.ends_ns)
        leg = next((leg for leg in reversed(self._legs) if leg.at_ns <= now_ns), None)
        if leg is None:
            return 0, 0, 0
        intended, sent = ceil(leg.intended_until(now_ns)), ceil(leg.offered_until(now_ns))
        if self._packets is not None:
            intended, sent = min(intended, self._packets), min(sent, self._packets)
        return intended, sent, floor(leg.lost_of(sent) + self._phase)

    def _left_at(self, number: int) -> int:
        """When the frame of that number, from 1, left."""
        leg = next(leg for leg in reversed(self._legs) if leg.offered <= number - 1)
        return leg.at_ns + ceil((number - 1 - leg.offered) / leg.pace.offered)
