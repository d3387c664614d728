# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One stream of the fake tester: formulas for the frames that have left and arrived at any instant.

Nothing is simulated frame by frame, so an hour at 100 Gbps costs as much as a millisecond at 1 kbps. Time is
nanoseconds of the fake's clock.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import merge
from math import ceil, floor
from typing import Any

from ...measurement.capture import CapturedFrame
from ...measurement.delays.histogram import index_of
from ...measurement.snapshot import (
    DepartureCounters,
    FlowCounters,
    LatencyCounters,
    OrderCounters,
    StreamCounters,
)
from ...model.plan.plan import PlannedStream
from .changes import FakeChange, compared
from .content import FakeContent
from .damage import NO_DAMAGE, FakeDamage, damaged
from .versions import Passage, VersionFrames, erased, versions


@dataclass(frozen=True)
class Pace:
    """The pace of a stream for a while, as parts from 0 to 1."""

    reached: Fraction  # part of the frames due that the tester sends
    dropped: Fraction  # part of the offered frames that the device drops or damages
    forwarded: Fraction  # part of the offered frames that the device forwards, damaged ones included


@dataclass(frozen=True)
class _Law:
    """A stream as it is from an instant on, and its counts at that instant."""

    planned: PlannedStream
    began_ns: int
    intended: int = 0
    sent: int = 0
    sent_bytes: int = 0

    def intended_until(self, now_ns: int) -> int:
        return self.intended + self.planned.frames_due(now_ns - self.began_ns)

    def bytes_of(self, sent: int) -> int:
        return self.sent_bytes + self.planned.octets(sent - self.sent)

    def due_ns(self, intended: int) -> int:
        """When the frame with this number, from 0, is due."""
        return self.began_ns + ceil(self.planned.departures.due(intended - self.intended))

    @property
    def last(self) -> int | None:
        """The number of frames after which it is over; None if it does not end."""
        total = self.planned.departures.total
        return None if total is None else self.intended + total


@dataclass(frozen=True)
class _Leg:
    """A section of a stream's run: the counts at its start, and the law and the pace from there."""

    at_ns: int
    law: _Law
    pace: Pace
    intended: int = 0
    offered: Fraction = Fraction(0)  # exact and not yet rounded
    lost: Fraction = Fraction(0)  # lost frames among the first `sent` ones
    forwarded: Fraction = Fraction(0)  # forwarded frames among them, intact or not

    @property
    def sent(self) -> int:
        return ceil(self.offered)

    def offered_until(self, now_ns: int) -> Fraction:
        return self.offered + (self.law.intended_until(now_ns) - self.intended) * self.pace.reached

    def lost_of(self, sent: int) -> Fraction:
        """Lost frames among the first `sent`. Frames are lost when they leave, so time does not matter."""
        return self.lost + (sent - self.sent) * self.pace.dropped

    def forwarded_of(self, sent: int) -> Fraction:
        return self.forwarded + (sent - self.sent) * self.pace.forwarded

    def left_at(self, number: int) -> int:
        """When the frame of that number, from 1, left."""
        due = self.intended + floor((number - 1 - self.offered) / self.pace.reached)
        return self.law.due_ns(due)

    def followed_by(self, now_ns: int, pace: Pace, planned: PlannedStream) -> _Leg:
        offered, intended, law = self.offered_until(now_ns), self.law.intended_until(now_ns), self.law
        sent = ceil(offered)
        if planned is not law.planned:
            law = _Law(planned, now_ns, intended, sent, law.bytes_of(sent))
        return _Leg(now_ns, law, pace, intended, offered, self.lost_of(sent), self.forwarded_of(sent))


class FakeStream:
    """A stream since its last start. Its frames leave when they are due, as an engine's do."""

    def __init__(
        self,
        planned: PlannedStream,
        *,
        delay_ns: int,
        phase: Fraction,
        erases_version: bool = False,
        damage: FakeDamage = NO_DAMAGE,
        changes: Sequence[FakeChange] = (),
        out: str = "",
    ) -> None:
        """`phase`, from 0 to below 1, decides which frames of an evenly spread loss are lost."""
        self.planned = planned
        self.out = out or planned.rx_port  # where its frames arrive
        self._astray = self.out != planned.rx_port
        self.sending = False
        self.ends_ns: int | None = None
        self._packets: int | None = None
        self._delay_ns = delay_ns
        self._phase = phase
        self._erases_version = erases_version
        self._damage = damage
        self._changes = changes
        self._flips: list[int] = []
        self._legs: list[_Leg] = []
        self._content: FakeContent | None = None

    def start(self, now_ns: int, *, duration_ns: int | None, packets: int | None) -> None:
        """Starts from now on with counters of 0; `follow` gives the pace."""
        self.sending = True
        self._packets = packets
        self._legs = []
        self._flips = []
        self.ends_ns = None if duration_ns is None else now_ns + duration_ns

    def stop(self, now_ns: int) -> None:
        """Lets no frame leave from this instant on."""
        self.sending = False
        self.ends_ns = now_ns

    @property
    def version(self) -> int:
        """The version in which frames leave; 0 at the start."""
        return len(self._flips) % 2

    def flip(self, now_ns: int) -> None:
        """Lets frames leave with the other version from this instant on."""
        self._flips.append(now_ns)

    def follow(self, now_ns: int, pace: Pace) -> None:
        """Takes a new pace or law, because this stream has changed or others on its path have."""
        if not self._legs:
            self._legs.append(_Leg(now_ns, _Law(self.planned, now_ns), pace))
            return
        leg = self._legs[-1]
        if leg.pace != pace or leg.law.planned is not self.planned:
            self._legs.append(leg.followed_by(now_ns, pace, self.planned))

    def due_end_ns(self) -> int | None:
        """When it ends by itself, with its present law; None if it does not."""
        law = self._legs[-1].law
        last = min((most for most in (self._packets, law.last) if most is not None), default=None)
        if last is None:
            return self.ends_ns
        over = max(self._legs[-1].at_ns, law.due_ns(last - 1) + 1)
        return over if self.ends_ns is None else min(over, self.ends_ns)

    def everything(self) -> StreamCounters:
        """The counters after the last frame has arrived."""
        return self.arrived((self.ends_ns or 0) + self._delay_ns)

    def received(self, now_ns: int) -> int:
        """Frames that have arrived intact, each once."""
        _, sent, lost = self._counts(now_ns - self._delay_ns)
        return sent - lost

    def counters(self, now_ns: int) -> StreamCounters:
        """The counters of a tester at an instant."""
        return self.counted(self.arrived(now_ns))

    def counted(self, arrived: StreamCounters) -> StreamCounters:
        """The counters of a tester, from those of `arrived`."""
        return misrouted(arrived, self.out) if self._astray else arrived

    def arrived(self, now_ns: int) -> StreamCounters:
        """The counters if frames are expected at the port where they arrive."""
        intended, sent, _ = self._counts(now_ns)
        _, arrived, lost = self._counts(now_ns - self._delay_ns)
        received, delay = arrived - lost, self._delay_ns
        counted = StreamCounters(
            id=self.planned.id,
            intended_packets=intended,
            tx_packets=sent,
            tx_bytes=self._bytes(sent),
            first_tx_ns=self._left_at(1) if sent else 0,
            last_tx_ns=self._left_at(sent) if sent else 0,
            worst_lateness_ns=floor((intended - sent) / self.planned.rate),
            rx_packets=received,
            rx_bytes=self._bytes(arrived) * received // arrived if arrived else 0,
            first_rx_ns=self._left_at(1) + delay if received else 0,
            last_rx_ns=self._left_at(arrived) + delay if received else 0,
            latency=LatencyCounters(received, received * delay, delay, delay, {index_of(delay): received})
            if received and self.planned.signature
            else LatencyCounters(),
            sending=self.sending,
            departures=DepartureCounters(sent - 1, buckets={0: sent - 1})
            if sent > 1
            else DepartureCounters(),
            rx_misrouted=0,
            rx_misrouted_by_port=(),
            rx_misrouted_behind=(),
            rx_out_of_order=0,
            rx_corrupted=0,
            order=self._order(arrived),
            **{"rx_version_rewritten": 0, **self._versions(now_ns)},
        )
        counted = damaged(counted, self._damage, self._forwarded_of(arrived), self._phase, now_ns)
        whole = counted.rx_packets + (counted.rx_wrong_headers or 0)
        return replace(counted, fields=compared(self.planned, self._changes, whole, self._phase))

    def _forwarded_of(self, sent: int) -> Fraction:
        return self._leg_of(sent).forwarded_of(sent) if sent else Fraction(0)

    def _order(self, arrived: int) -> OrderCounters:
        """The order of so many frames, some of them lost; the device does not reorder or double frames."""
        received = arrived - self._lost_of(arrived)
        highest = arrived
        if received < arrived:
            highest = bisect_left(range(arrived), received, key=lambda sent: sent - self._lost_of(sent))
        return OrderCounters(
            next_sequence=highest if self.planned.signature else 0,
            duplicated=0,
            late=0,
            extent_sum=0,
            extent_max=0,
            behind=0,
        )

    def _versions(self, now_ns: int) -> dict[str, Any]:
        if self.planned.version is None:
            return {}
        passage = Passage(self._passed, self._left_at, self._bytes, self._delay_ns)
        counters = versions(passage, self._flips, now_ns)
        found: dict[str, Any] = {"versions": counters, "open_version": self.version}
        if self._erases_version:
            found["versions"] = erased(counters)
            found["rx_version_rewritten"] = counters[1].rx_packets * self.planned.signature
        return found

    def flows(self, now_ns: int) -> FlowCounters:
        """The counters of its flows. The losses of any two flows differ by at most one frame."""
        number, delay = self.planned.flows, self._delay_ns
        received = _dealt(0 if self._astray else self.received(now_ns), number)
        octets = self.planned.octets(number)
        return FlowCounters(
            first=0,
            tx_packets=_dealt(self._counts(now_ns)[1], number),
            rx_packets=received,
            rx_bytes=tuple(count * octets // number for count in received),
            latency_sum_ns=tuple(count * delay for count in received),
            latency_min_ns=tuple(delay if count else 0 for count in received),
            latency_max_ns=tuple(delay if count else 0 for count in received),
        )

    def sightings(self, since_ns: int, until_ns: int) -> Iterator[CapturedFrame]:
        """Its frames that leave or arrive from one instant on and before another, by time."""
        return merge(
            self._departures(since_ns, until_ns),
            self._arrivals(since_ns, until_ns),
            key=lambda frame: frame.time_ns,
        )

    def _departures(self, since_ns: int, until_ns: int) -> Iterator[CapturedFrame]:
        for number in range(self._counts(since_ns)[1], self._counts(until_ns)[1]):
            octets = self._octets(number, self._version_of(number))
            left_ns = self._left_at(number + 1)
            yield CapturedFrame(
                left_ns, self.planned.tx_port, True, self.planned.id, number, len(octets), octets
            )

    def _arrivals(self, since_ns: int, until_ns: int) -> Iterator[CapturedFrame]:
        delay, planned = self._delay_ns, self.planned
        for number in range(self._counts(since_ns - delay)[1], self._counts(until_ns - delay)[1]):
            if self._lost_of(number + 1) > self._lost_of(number):
                continue
            octets = self._octets(number, 0 if self._erases_version else self._version_of(number))
            yield CapturedFrame(
                self._left_at(number + 1) + delay,
                self.out,
                False,
                planned.id if planned.measured else 0,
                number if planned.signature else None,
                len(octets),
                octets,
            )

    def _version_of(self, number: int) -> int:
        return bisect_right(self._flips, self._left_at(number + 1)) % 2

    def _octets(self, number: int, version: int) -> bytes:
        if self._content is None or self._content.planned is not self.planned:
            self._content = FakeContent(self.planned)
        return self._content.frame(number, left_ns=self._left_at(number + 1), version=version)

    def _lost_of(self, sent: int) -> int:
        return floor(self._leg_of(sent).lost_of(sent) + self._phase) if sent else 0

    def _passed(self, now_ns: int) -> VersionFrames:
        _, sent, lost = self._counts(now_ns)
        return VersionFrames(sent, lost)

    def _counts(self, now_ns: int) -> tuple[int, int, int]:
        """Intended, sent and lost frames at an instant."""
        now_ns = now_ns if self.ends_ns is None else min(now_ns, self.ends_ns)
        leg = next((leg for leg in reversed(self._legs) if leg.at_ns <= now_ns), None)
        if leg is None:
            return 0, 0, 0
        intended, sent = leg.law.intended_until(now_ns), ceil(leg.offered_until(now_ns))
        if self._packets is not None:
            intended, sent = min(intended, self._packets), min(sent, self._packets)
        return intended, sent, floor(leg.lost_of(sent) + self._phase)

    def _left_at(self, number: int) -> int:
        return self._leg_of(number).left_at(number)

    def _bytes(self, sent: int) -> int:
        return self._leg_of(sent).law.bytes_of(sent) if sent else 0

    def _leg_of(self, number: int) -> _Leg:
        """The leg in which the frame of that number, from 1, left."""
        return next(leg for leg in reversed(self._legs) if leg.offered <= number - 1)


def _dealt(frames: int, flows: int) -> tuple[int, ...]:
    """Frames of each flow: frame k belongs to flow k modulo the number of flows."""
    return tuple(frames // flows + (index < frames % flows) for index in range(flows))


def misrouted(arrived: StreamCounters, port: str) -> StreamCounters:
    """The counters of a stream, from those that it would have if its frames were expected at `port`."""
    behind = (arrived.order.duplicated or 0) + (arrived.rx_out_of_order or 0) + (arrived.order.late or 0)
    return replace(
        arrived,
        rx_packets=0,
        rx_corrupted=0,
        rx_wrong_length=0,
        rx_fragments=0,
        rx_wrong_headers=0,
        rx_wrong_header_parts=(),
        rx_bytes=0,
        first_rx_ns=0,
        last_rx_ns=0,
        rx_misrouted=arrived.rx_packets,
        rx_misrouted_ports=(port,) if arrived.rx_packets else (),
        rx_misrouted_by_port=(arrived.rx_packets,) if arrived.rx_packets else (),
        rx_misrouted_behind=(behind,) if arrived.rx_packets else (),
        rx_version_rewritten=0,
        latency=LatencyCounters(),
        order=replace(arrived.order, next_sequence=0),
        versions=tuple(
            replace(version, rx_packets=0, rx_bytes=0, rx_time_ns=0) for version in arrived.versions
        ),
    )
