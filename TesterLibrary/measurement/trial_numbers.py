# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of one trial: a load, for a time, and what came of it. Integers first, ratios derived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..model.units.units import Duration
from .attempt import Attempt
from .counter import total
from .delays.correction import Correction, DelayKind
from .delays.histogram import bounds_of
from .delays.latency import Latency
from .delays.latency_error import PercentileError
from .delays.variation import Variation
from .departure import GapError
from .evidence import Evidence, EvidenceLimits
from .foreign import NOTHING_FOREIGN, Foreign, ForeignAt
from .order import Order
from .snapshot import LatencyCounters
from .stream_result import StreamResult
from .validated import Validated

_NAMED = 6  # streams that a title names one by one


@dataclass(frozen=True)
class TrialNumbers(Validated):
    """Counts of one trial, and the rates and ratios that follow from them."""

    load: Fraction  # part of line rate, 0 to 1, on the busiest port
    duration_ns: int  # the time for which it was to send
    streams: tuple[StreamResult, ...]  # the result of each stream
    evidence: Evidence  # proof that the tester did its part
    objections: tuple[str, ...] = ()  # reasons why it says nothing about the device; empty if it is valid
    findings: tuple[str, ...] = ()  # actions of the device that leave its counts open: it repeats for ever
    delay_objections: tuple[str, ...] = ()  # reasons not to trust its delays, though its counts are right
    order_objections: tuple[str, ...] = ()  # reasons not to trust the order of its frames
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only
    number: int = 0  # its number in the run, from 1
    attempt: int = 1  # more than 1 if it repeats an invalid trial
    earlier: tuple[Attempt, ...] = ()  # the attempts before it
    foreign: Foreign = NOTHING_FOREIGN  # other frames that arrived on its ports
    elsewhere: tuple[ForeignAt, ...] = ()  # the same at each other port of the tester where there were some
    waits: Waits | None = None  # before and after it; None: not known, or part of no test
    max_rate_error: Fraction = EvidenceLimits.max_rate_error  # its tester's limit; that of a burst is wider

    @property
    def left_load(self) -> Fraction:
        """The load that left: below the one that was asked for, where the tester fell behind."""
        intended = sum(s.intended_rate for s in self.streams)
        return self.load * sum(s.left_rate for s in self.streams) / intended if intended else self.load

    @property
    def sent(self) -> int:
        """Frames that left the tester."""
        return sum(s.counters.tx_packets for s in self.streams)

    @property
    def received(self) -> int:
        """Frames that arrived where they were expected."""
        return sum(s.counters.rx_packets for s in self.streams)

    @property
    def lost(self) -> int | None:
        """Frames sent and not received on the expected port; what is received twice does not hide them.

        None where nobody knows: the arrivals of a stream are not measured, or the tester cannot tell
        duplicates from frames that were overtaken.
        """
        return total(s.order.lost for s in self.streams)

    @property
    def lost_crowded(self) -> int:
        """Lost frames that left after pauses of the tester, as far as they are counted."""
        return sum(s.lost_crowded or 0 for s in self.streams)

    @property
    def loss(self) -> Fraction | None:
        """Frame loss rate (RFC 1242 §3.6), exact: lost / sent; 0 if nothing was sent."""
        return None if self.lost is None else self._part(self.lost)

    @property
    def loss_bounds(self) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest frame loss rate that the counts allow; None if they tell nothing."""
        bounds = [pair for stream in self.streams if (pair := stream.order.loss_bounds)]
        if len(bounds) < len(self.streams):
            return None
        return self._part(sum(least for least, _ in bounds)), self._part(sum(most for _, most in bounds))

    def late_bounds(self, timeout: Duration) -> tuple[int, int] | None:
        """How many frames arrived later than a time, at least and at most; None where nobody knows.

        Arrivals are timed, copies among them: those may be what was late.
        """
        least = most = 0
        for stream in self.streams:
            counted, order = stream.counters.latency, stream.order
            if not stream.measured or (counted.count < order.first_arrivals):
                return None
            surely, maybe = late_bounds(counted, timeout.ns, stream.correction, stream.percentile_error)
            least += max(0, surely - order.copies[1])
            most += min(maybe, order.most_first_arrivals)
        return least, most

    def loss_bounds_within(self, timeout: Duration) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest frame loss rate if frames that arrived later than a time are lost."""
        late = self.late_bounds(timeout)
        if self.loss_bounds is None or late is None:
            return None
        least, most = self.loss_bounds
        return min(Fraction(1), least + self._part(late[0])), min(Fraction(1), most + self._part(late[1]))

    @property
    def loss_ratio(self) -> float | None:
        """Frame loss rate as a number from 0 to 1; None where it is not known."""
        return None if self.loss is None else float(self.loss)

    def loses_at_most(self, bound: Fraction, timeout: Duration | None = None) -> bool | None:
        """Whether no greater part of the frames was lost than the bound; None where counts leave it open.

        With a timeout, frames that arrived later are lost, too. Lost frames that left after pauses of the
        tester do not show that the device loses more.
        """
        bounds = self.loss_bounds if timeout is None else self.loss_bounds_within(timeout)
        if bounds is None:
            return None
        least, most = self.unpaused_loss(bounds[0]), bounds[1]
        return True if most <= bound else None if least <= bound else False

    def unpaused_loss(self, least: Fraction) -> Fraction:
        """A least loss without the lost frames that left after pauses of the tester."""
        return max(Fraction(0), least - self._part(self.lost_crowded))

    def _part(self, lost: int) -> Fraction:
        return Fraction(lost, self.sent) if self.sent else Fraction(0)

    @property
    def sending_ns(self) -> int:
        """How long it sent: as long as intended, or longer where the last frames left after that.

        Few frames take longer, too, as each has a gap behind it: 7 frames at 3 pps 2.33 s in a trial of 2 s.
        """
        spans = [
            s.counters.last_tx_ns - s.counters.first_tx_ns for s in self.streams if s.counters.first_tx_ns
        ]
        return max(self.duration_ns, *spans, *(s.sending_ns for s in self.streams))

    @property
    def has_rate(self) -> bool:
        """Whether its frames have a rate. A gap is between two frames of one stream."""
        return not self.sent or any(s.counters.tx_packets > 1 for s in self.streams)

    @property
    def offered_rate(self) -> float | None:
        """Frames sent each second of sending; None where there are too few."""
        return self._each_second(self.sent)

    @property
    def achieved_rate(self) -> float:
        """Frames each second that left, each stream from its first departure to its last."""
        return sum(s.achieved_rate for s in self.streams)

    @property
    def rate_error(self) -> float:
        """(achieved - intended) / intended rate of the stream in which it is the greatest."""
        return float(self.evidence.rate_error)

    @property
    def gap_error(self) -> GapError:
        """How exactly the frames of all streams left."""
        return GapError.merged(s.counters.departures for s in self.streams)

    @property
    def received_rate(self) -> float | None:
        """Frames received each second of sending, those that arrive twice once.

        None where too few left, where arrivals are not measured, or where they may be copies.
        """
        arrivals = [(s.order.first_arrivals, s.order.most_first_arrivals) for s in self.streams]
        if not self.measured or any(least != most for least, most in arrivals):
            return None
        return self._each_second(sum(least for least, _ in arrivals))

    @property
    def most_received_rate(self) -> float | None:
        """The greatest rate of arrival that copies leave open; None where too few frames left."""
        return self._each_second(sum(s.order.most_first_arrivals for s in self.streams))

    @property
    def measured(self) -> bool:
        """Whether the arrivals of all its streams are counted."""
        return all(s.measured for s in self.streams)

    @property
    def throughput_bps(self) -> float | None:
        """Received bits of frames each second of sending (L2, FCS included); None as `received_rate`."""
        if self.received_rate is None:
            return None
        return self._each_second(8 * sum(s.first_octets for s in self.streams))

    def _each_second(self, count: float) -> float | None:
        return None if not self.has_rate else count * 1e9 / self.sending_ns

    @property
    def latency(self) -> Latency:
        """Latency over all frames of all streams, less the calibrated delay of the tester."""
        return self.latency_as(DelayKind.AS_SEEN)

    def latency_as(self, kind: DelayKind) -> Latency:
        """Latency between other instants (RFC 1242 §3.8)."""
        return Latency.merged(s.latency_as(kind) for s in self.streams)

    @property
    def variation(self) -> Variation:
        """How latency varied from frame to frame."""
        return Variation.merged(s.counters.variation for s in self.streams)

    @cached_property
    def order(self) -> Order:
        """The order in which frames arrived, over all streams."""
        return Order.merged(s.order for s in self.streams)

    @property
    def sustained(self) -> bool:
        """Whether no delay grew all along; otherwise frames only filled a queue."""
        return all(s.growth is None or s.growth.sustained for s in self.streams)

    def lossy_attempt(self, loss: Fraction) -> Attempt | None:
        """An attempt before it that may have lost a greater part of its frames; None if none may.

        A pause of the tester has an attempt repeated only if that lost frames. So where trials are counted by
        their loss, those that were repeated for it would make it look rarer.
        """
        lossy = (a for a in self.earlier if a.is_unexplained and (a.lost or 0) > loss * self.sent)
        return next(lossy, None)

    @property
    def title(self) -> str:
        """Streams and frame size: `north, 64 bytes`; of many streams the first and the last one."""
        sizes = {s.size_text: None for s in sorted(self.streams, key=lambda s: s.mean_size)}
        return f"{named([s.name for s in self.streams])}, {'/'.join(sizes)} bytes"

    def stream(self, name: str) -> StreamResult:
        """The part of one stream. KeyError names those there are."""
        for stream in self.streams:
            if stream.name == name:
                return stream
        raise KeyError(f"the trial has no stream {name!r}; it has {', '.join(s.name for s in self.streams)}")


def named(streams: Sequence[str]) -> str:
    """Names of streams in a title; of many streams the first and the last one."""
    if len(streams) > _NAMED:
        return f"{streams[0]} … {streams[-1]} ({len(streams)} streams)"
    return " + ".join(streams)


def late_bounds(
    counted: LatencyCounters, timeout_ns: int, correction: Correction, error: PercentileError
) -> tuple[int, int]:
    """How many arrivals were later than a time, at least and at most.

    The tester's own delay is taken off, and its spread left open. A time is known as well as its bucket; only
    the greatest is known exactly.
    """
    spread = correction.spread_ns
    limit = timeout_ns + correction.offset_ns
    surely = maybe = 0
    for index, count in counted.buckets.items():
        low, high = bounds_of(index)
        middle = Fraction(low + high - 1, 2)
        off = middle * error.of(middle)
        surely += count if middle - off - spread > limit else 0
        maybe += count if middle + off + spread > limit else 0
    if counted.count and counted.max_ns + spread <= limit:
        return 0, 0
    if counted.count and counted.max_ns - spread > limit:
        return max(1, surely), max(1, maybe)
    return surely, maybe


@dataclass(frozen=True)
class Waits:
    """The waits of one trial, in nanoseconds."""

    learning_ns: int | None  # after the learning frames (b); None: none were sent
    residual_ns: int  # from the last departure, for frames that are on their way (d)
    rest_ns: int  # then, in which the device restabilizes (e)
