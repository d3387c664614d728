# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames of bursts that a token bucket with a short queue drops (norma §8, the traffic manager)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from ..errors import PlanError, TesterLibraryError
from ..measurement.evidence import EvidenceLimits
from ..measurement.snapshot import StreamCounters
from ..measurement.stream_result import StreamResult
from ..measurement.trial import Trial
from ..model.plan.law import Replay
from ..model.plan.plan import PlannedStream
from ..model.plan.random_law import Random
from ..model.units.number import percent
from ..model.units.quantity import Octets
from ..model.units.units import MIN_FRAME_SIZE, Bandwidth, Duration, Ratio
from ..verdict import AT_MOST, Undecided, Verdict, assess
from .monitoring import MonitoringResult

_BIT_NS = 8 * 10**9  # bits each second times nanoseconds, in a byte


@dataclass(frozen=True)
class Arrival:
    """A frame that reaches the bucket."""

    at_ns: int
    octets: int  # as the bucket counts them


@dataclass(frozen=True)
class TokenBucket:
    """A bucket of `burst` filled at `rate`, and at most `queue` of frames that wait for it.

    A frame leaves when the bucket holds its bytes, and takes them; one that does not fit into the queue is
    dropped. Linux's tbf does so (tc-tbf(8)): its `limit` is the queue, and frames have no FCS there.
    """

    rate: Bandwidth
    burst: Octets
    queue: Octets

    def dropped(self, arrivals: Iterable[Arrival]) -> Iterator[bool]:
        """Whether each frame in turn is dropped. The bucket is full and the queue empty before the first.

        Raises:
            PlanError: a frame is longer than the bucket, so that it would never leave.
        """
        full = self.burst.count * _BIT_NS
        credit, counted_at, waiting, backlog = full, 0, deque[int](), 0
        for arrival in arrivals:
            if arrival.octets > self.burst.count:
                raise PlanError(f"a frame of {arrival.octets} bytes never leaves a bucket of {self.burst}")
            while waiting:
                missing = max(0, waiting[0] * _BIT_NS - credit)
                leaves_at = counted_at - -missing // self.rate.bps
                if leaves_at > arrival.at_ns:
                    break
                credit += (leaves_at - counted_at) * self.rate.bps - waiting[0] * _BIT_NS
                counted_at = leaves_at
                backlog -= waiting.popleft()
            if backlog + arrival.octets > self.queue.count:
                yield True
                continue
            if not waiting:
                credit = min(full, credit + (arrival.at_ns - counted_at) * self.rate.bps)
                counted_at = arrival.at_ns
            waiting.append(arrival.octets)
            backlog += arrival.octets
            yield False

    def reached_late(self, late_ns: int, octets: int) -> tuple[TokenBucket, TokenBucket]:
        """The buckets that drop at most, and at least, what it drops of frames that come up to so much later.

        As many bytes as it lets through in that time find less room where late frames come with those behind
        them, and more where those behind come late. They are of whole frames, which all have so many octets;
        the first may have waited for its last token.
        """
        more = (1 + self.rate.bps * late_ns // _BIT_NS // octets) * octets if late_ns else 0
        low, high = max(0, self.queue.count - more), self.queue.count + more
        return replace(self, queue=Octets(low)), replace(self, queue=Octets(high))

    def lost(self, arrivals: Sequence[Arrival], watched: int) -> int:
        """Frames dropped of the last so many."""
        return sum(islice(self.dropped(arrivals), len(arrivals) - watched, None))

    def queue_that_lost(self, lost: int, arrivals: Sequence[Arrival], watched: int) -> Octets:
        """The longest queue behind which at least so many are dropped: what a device seems to have."""
        low, high = 0, sum(arrival.octets for arrival in arrivals)
        while low < high:
            middle = (low + high + 1) // 2
            if replace(self, queue=Octets(middle)).lost(arrivals, watched) >= lost:
                low = middle
            else:
                high = middle - 1
        return Octets(low)

    def __str__(self) -> str:
        return f"{self.rate}, a burst of {self.burst} and a queue of {self.queue}"


def arrivals_of(stream: PlannedStream, frames: int, rate_error: Fraction = Fraction(0)) -> list[Arrival]:
    """The first so many frames of a stream, without their FCS, when they are due at the rate of the tester.

    Raises:
        PlanError: only the tester knows when its frames leave.
    """
    if isinstance(stream.departures.law, Random | Replay):
        raise PlanError(
            f"stream {stream.name!r}: its frames leave at random or as a file says; give it a pattern"
        )
    rate = 1 + rate_error
    return [Arrival(round(stream.departures.due(k) / rate), len(stream.template(k))) for k in range(frames)]


def check_same(planned: PlannedStream, sent: StreamResult) -> None:
    """Refuses a stream that is not as it was sent.

    Raises:
        PlanError: it was changed while it was sending, or after that.
    """
    size = max(MIN_FRAME_SIZE, round(planned.frame_size))
    now = _described(size, planned.mix, planned.frames_per_second, str(planned.departures))
    then = _described(sent.frame_size, sent.sizes, sent.intended_rate, sent.law)
    if now != then:
        raise PlanError(
            f"stream {sent.name!r} was changed: the trial sent {then}, and now it is {now}; verify a trial "
            "before the stream is changed, of which none was changed while it was sending"
        )


def _described(size: int, sizes: Mapping[int, int], rate: Fraction, law: str) -> str:
    each = " ".join(f"{size}:{frames}" for size, frames in sorted(sizes.items())) or str(size)
    return f"frames of {each} bytes, {float(rate):,.6g}/s, {law}"


def check_to_its_end(monitored: MonitoringResult, sent: StreamResult) -> None:
    """Refuses intervals of other frames than the last ones of a stream: it is not known which those were.

    Raises:
        PlanError: monitoring ended before the traffic, or it was of another trial.
    """
    counted = sent.counters
    begin_ns = min((interval.start_ns for interval in monitored.intervals), default=0) - monitored.interval_ns
    end_ns = max((interval.end_ns for interval in monitored.intervals), default=0) + monitored.interval_ns
    # Departures of a tester that is far off have times of another clock than intervals.
    same_clock = abs(sent.rate_error) <= EvidenceLimits.max_rate_error
    apart = monitored.sent > 0 and not begin_ns <= counted.last_tx_ns <= end_ns
    if (same_clock and apart) or monitored.sent > counted.tx_packets:
        raise PlanError(
            f"monitored were {monitored.sent:,} frames, which are not the last ones of the "
            f"{counted.tx_packets:,} of this trial; give both of one trial, and let Stop Traffic end the "
            "monitoring"
        )


def sent_of(trial: Trial, monitored: MonitoringResult) -> StreamResult:
    """The one stream of a trial that was monitored. TesterLibraryError if both are not of the same stream."""
    names = [stream.name for stream in trial.streams]
    if len(names) != 1 or monitored.title != names[0]:
        raise TesterLibraryError(
            f"the trial is of {' + '.join(names)}, and {monitored.title} was monitored; both must be of the "
            "same stream, and of this one alone"
        )
    return trial.streams[0]


def loss_as_predicted(
    monitored: MonitoringResult, stream: PlannedStream, sent: StreamResult, bucket: TokenBucket, within: Ratio
) -> Verdict:
    """Whether a device lost as many frames as the bucket, to within a part of them.

    Counted are those of `sent` that left in the intervals: the counters of an interval are of the same frames
    at both ends (norma §6.1). A tester whose rate was off, from its first frame to its last, may have sent
    bursts at the rate of the stream and a longer pause, or all of it more slowly. One whose rate was right
    may have sent frames of a burst late, which no average shows. What the bucket loses then is known between
    the least and the most of all that.

    Raises:
        PlanError: the stream was changed, its departures are not known, or these are not its last frames.
    """
    check_to_its_end(monitored, sent)
    frames, late_ns = sent.counters.tx_packets, _latest_ns(sent.counters)
    arrivals = arrivals_of(stream, frames)
    check_same(stream, sent)
    due = bucket.lost(arrivals, monitored.sent)
    sizes = {arrival.octets for arrival in arrivals}
    if len(sizes) > 1 and late_ns:  # one that is dropped leaves room for several that are shorter
        least, most, advice = 0, monitored.sent, "send frames of one size"
    else:
        predicted = [
            each.lost(some, monitored.sent)
            for some in (arrivals, arrivals_of(stream, frames, sent.rate_error))
            for each in (bucket, *bucket.reached_late(late_ns, max(sizes, default=1)))
        ]
        least, most, advice = min(predicted), max(predicted), "send longer bursts"
    tolerated = within.value * due
    off = max(0, least - monitored.most_lost, monitored.least_lost - most)
    most_off = max(monitored.most_lost - least, most - monitored.least_lost)
    seems = ""
    if monitored.lost and max(least - monitored.lost, monitored.lost - most) > tolerated:
        queue = bucket.queue_that_lost(monitored.lost, arrivals, monitored.sent)
        seems = f", as behind a queue of {queue}"
    whys, bound = [], f"{due:,}"
    if monitored.most_lost != monitored.least_lost:
        whys.append(
            f"{monitored.least_lost:,} to {monitored.most_lost:,} were lost, as frames may have arrived twice"
        )
    if least != most:
        whys.append(f"{least:,} to {most:,} were to be lost, by when each left: {advice}")
        bound = (
            f"{least:,} to {most:,}, with a rate error of {percent(sent.rate_error, 3, '+')} and frames up "
            f"to {Duration(late_ns)} late,"
        )
    return assess(
        Undecided(off, most_off, " and ".join(whys)),
        AT_MOST,
        tolerated,
        subject=f"loss of {monitored.title} in a token bucket",
        measured=f"{monitored.lost:,} of {monitored.sent:,} frames{seems}",
        bound=f"{bound} within {within} ({bucket})",
        doubt="; ".join(monitored.objections) or ("" if monitored.sent else "nothing was monitored"),
    )


def _latest_ns(counted: StreamCounters) -> int:
    """The most by which a frame left at another time than it was due, or than its gap says."""
    gaps = counted.departures.max_ns if counted.departures else 0
    return max(counted.worst_lateness_ns, gaps)
