# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Back-to-back frames (RFC 2544 §26.4, RFC 9004): the longest burst that is forwarded without loss.

Each repetition is a search of its own: it ends with a burst that passed and one, a step longer, that did not,
both sent in this repetition. It begins where the one before ended, so a device that always behaves alike
costs two bursts a repetition. From the average, the throughput and the line rate follows the time of the
device's buffer (RFC 9004 §5.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import floor
from statistics import stdev

from ..errors import Inconclusive, PlanError, require
from ..measurement.stream_result import StreamResult
from ..measurement.trial import Trial
from ..model.units.number import counted
from ..model.units.units import Duration, Ratio, duration_text
from ..verdict import AT_LEAST, About, Between, Verdict, assess, text_of
from .measurer import BurstMeasurer
from .result import Result, shorter
from .standard import unwaited
from .throughput import LimitedBy, ThroughputResult
from .verdicts.judging import doubt_of, untold

_RFC, _RFC_REPETITIONS, _RFC_REST = "RFC 2544 §26.4", 50, Duration(2 * 10**9)
_NO_LOSS = Ratio(Fraction(0))
_FIRST = 16  # frames of the very first burst


class BurstLimit(Enum):
    """Why the longest burst of a repetition is not longer."""

    DEVICE = "device"  # a valid burst that is a step longer lost frames
    TESTER = "tester"  # in a burst that is a step longer the tester failed
    SEARCH = "search"  # the longest burst of the search passed


@dataclass(frozen=True)
class BurstSearch:
    """Bounds and precision of a search. The defaults are the RFC's."""

    repetitions: int = _RFC_REPETITIONS
    rest: Duration = _RFC_REST  # without frames after each burst, in which buffers deplete
    resolution: Ratio = Ratio(Fraction(1, 100))  # of the burst: how far apart the final bounds are at most
    longest: Duration = Duration(30 * 10**9)  # the time of the longest burst (RFC 9004 §5.2: up to 30 s)

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (self.repetitions >= 1, "repetitions must be at least 1", "repetitions"),
            (self.rest.ns >= 0, "the rest must not be negative", "rest"),
            (0 < self.resolution.value < 1, "the resolution must be above 0 and below 100 %", "resolution"),
            (self.longest.ns > 0, "the longest burst must be above 0", "longest"),
        )

    def __str__(self) -> str:
        return (
            f"{counted(self.repetitions, 'repetition')} with a rest of {self.rest} after each burst, "
            f"resolution {self.resolution}, bursts of up to {self.longest}"
        )


@dataclass(frozen=True)
class LongestBurst:
    """The result of one repetition, in frames of each stream."""

    passed: int  # the longest burst without loss; 0 if there was none
    failed: int | None  # the shortest one above it that did not pass; None if there is none
    limited_by: BurstLimit
    # Frames by which both may be off, as the tester's frames left late; None: not known.
    error: int | None = 0


@dataclass(frozen=True)
class BurstResult(Result):
    """The longest bursts, one for each repetition, in frames of each stream.

    There are none where the device forwards at line rate: no burst overflows its buffers, and the test is not
    applicable (RFC 9004 §5.1).
    """

    search: BurstSearch
    step: int  # frames: how far apart the bounds of each repetition are at most
    bursts: tuple[LongestBurst, ...]
    line_pps: Fraction  # the highest rate of a stream that the line carries, in frames/s
    throughput: Fraction | None  # of line rate: the prerequisite (RFC 9004 §5.1); None: below its search
    throughput_limit: LimitedBy
    reason: str = ""  # where it was limited by the tester: what the tester did not do

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        few = self.search.repetitions < _RFC_REPETITIONS
        return (
            *shorter("rests", self.search.rest, _RFC_REST, "RFC 9004 §5.2"),
            *(
                (f"{counted(self.search.repetitions, 'repetition')}: {_RFC} asks for at least 50",)
                if few
                else ()
            ),
            *unwaited(self.trials, bursts=True),
        )

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trials of the longest bursts that passed."""
        longest = {burst.passed for burst in self.bursts}
        return tuple(t for t in self.trials if _frames(t) in longest and _passes(t)) or self.trials[-1:]

    @property
    def applicable(self) -> bool:
        """Whether there can be a longest burst: the device does not forward at line rate."""
        return self.throughput_limit is not LimitedBy.LINE

    @property
    def average(self) -> Fraction | None:
        """The benchmark: the average of the longest bursts, in frames; None where there is none."""
        return Fraction(sum(b.passed for b in self.bursts), len(self.bursts)) if self.bursts else None

    @property
    def min(self) -> int | None:
        """The shortest of them."""
        return min((burst.passed for burst in self.bursts), default=None)

    @property
    def max(self) -> int | None:
        """The longest of them."""
        return max((burst.passed for burst in self.bursts), default=None)

    @property
    def deviation(self) -> float | None:
        """Their standard deviation, in frames; None for fewer than two."""
        return stdev(burst.passed for burst in self.bursts) if len(self.bursts) > 1 else None

    @property
    def implied_buffer_ns(self) -> Fraction | None:
        """How long the average burst takes at line rate (RFC 9004 §5.4), in nanoseconds.

        None where the tester or the search was the limit: the device may hold more.
        """
        if self.average is None or self.limited_by is not BurstLimit.DEVICE:
            return None
        return self.average * 10**9 / self.line_pps

    @property
    def corrected_buffer_ns(self) -> Fraction | None:
        """The same less what was forwarded meanwhile (RFC 9004 §5.4); None where the throughput is not known.

        It is the buffer, in frames, at line rate.
        """
        known = self.throughput_limit is LimitedBy.DEVICE
        if self.implied_buffer_ns is None or self.throughput is None or not known:
            return None
        return self.implied_buffer_ns * (1 - self.throughput)

    @property
    def buffered(self) -> int | None:
        """Frames of all streams together that the device held, as in the corrected buffer time.

        Of bursts from several ports to one it is the buffer of that port (RFC 8239 §3); None where the
        throughput is not known.
        """
        if self.corrected_buffer_ns is None:
            return None
        return int(self.corrected_buffer_ns * self.line_pps / 10**9 * len(self.trials[0].streams))

    @property
    def error(self) -> Fraction | None:
        """By how many frames the average may be off as frames left late; None where that is not known."""
        known = [burst.error for burst in self.bursts if burst.error is not None]
        if not known or len(known) < len(self.bursts):
            return None
        return Fraction(sum(known), len(known))

    @property
    def limited_by(self) -> BurstLimit | None:
        """The limit of its repetitions: the tester if it was that of any; None where there are none."""
        limits = {burst.limited_by for burst in self.bursts}
        order = (BurstLimit.TESTER, BurstLimit.SEARCH, BurstLimit.DEVICE)
        return next((limit for limit in order if limit in limits), None)

    def _limit(self, *, short: bool) -> str:
        """Why the average says nothing about the bound, which it may fall short of; empty if it does."""
        if self.error is None:
            return (
                "frames of a burst left late, and what the device forwards meanwhile is not known, as its "
                f"throughput was limited by the {self.throughput_limit.value}"
            )
        if short and self.limited_by is BurstLimit.TESTER:
            return f"limited by the tester: {self.reason}"
        if short and self.limited_by is BurstLimit.SEARCH:
            return f"the longest burst of the search, {self.search.longest}, passed"
        return ""

    def verdict_above(self, bound: int) -> Verdict:
        """Whether the average of the longest bursts is at least so many frames.

        FAIL only where the device lost frames of bursts that long. INCONCLUSIVE where the tester or the
        search was the limit below the bound. A device that forwards at line rate has passed all frames of its
        trial there in one burst, and nothing is known of longer ones.
        """
        subject, required = f"longest burst of {self.title}", f">= {bound:,} frames"
        if not self.bursts:
            passed = max((_frames(trial) for trial in self.trials if _passes(trial)), default=0)
            doubt = "" if passed >= bound else "it forwards at line rate, so no burst overflows its buffers"
            return assess(
                passed,
                AT_LEAST,
                bound,
                subject=subject,
                measured=f"not limited: all {passed:,} frames of a trial at line rate",
                bound=required,
                doubt=doubt if passed else doubt_of(self.trials),
            )
        assert self.average is not None
        highest = [b.passed if b.failed is None else b.failed - 1 for b in self.bursts]
        error = self.error
        least = max(Fraction(0), self.average - (error or 0))
        most = Fraction(sum(highest), len(self.bursts)) + (error or 0)
        doubt = self._limit(short=self.average < bound)
        about = f"{text_of(self.average)} ± {text_of(error)} frames"
        return assess(
            About(least, most, about) if error else least if least == most else Between(least, most),
            AT_LEAST,
            bound,
            subject=subject,
            measured=self._text,
            bound=required,
            doubt=doubt,
        )

    @property
    def _text(self) -> str:
        """The average with what tells how far to trust it."""
        assert self.average is not None
        spread = "" if self.deviation is None else f", standard deviation {self.deviation:,.3g}"
        error = f" ± {text_of(self.error)}" if self.error else ""
        value = f"{text_of(self.average)}{error} frames"
        return value if self.min == self.max else f"{value} on average ({self.min:,} to {self.max:,}{spread})"

    def __str__(self) -> str:
        if not self.bursts:
            return f"{self.title}: longest burst not applicable: the device forwards at line rate"
        assert self.limited_by is not None
        buffer = self.corrected_buffer_ns
        parts = [
            f"{self.title}: longest burst {self._text}",
            f"{counted(len(self.bursts), 'repetition')} in steps of {self.step:,}",
            f"bursts of up to {self.search.longest}",
            "corrected buffer time " + ("not known" if buffer is None else duration_text(buffer)),
            f"limited by the {self.limited_by.value}",
            counted(len(self.trials), "trial"),
        ]
        return ", ".join(parts) + (f" ({self.reason})" if self.reason else "")


def find_maximum_burst(
    measurer: BurstMeasurer,
    throughput: ThroughputResult,
    search: BurstSearch | None = None,
) -> BurstResult:
    """Searches the longest burst that the device forwards without loss, repeatedly.

    Args:
        measurer: Runs the trials.
        throughput: Of the same streams, found before (RFC 9004 §5.1).
        search: How often, and how finely; the RFC's by default.

    Raises:
        PlanError: the search makes no sense.
        Inconclusive: the device loses frames whatever the load.
        TargetError: the tester is broken, gone or late.
    """
    search = search or BurstSearch()
    search.validate()
    if throughput.search.highest.value < 1:
        raise PlanError(
            f"the throughput was searched up to {throughput.search.highest} of line rate; search it up to "
            "100 %, or nobody knows whether the device forwards at line rate"
        )
    if throughput.unstable:
        raise Inconclusive(f"the longest burst of a device that loses at any load is not known: {throughput}")
    at_line = max(throughput.trials, key=lambda trial: trial.load)
    rates = {stream.name: stream.intended_rate / at_line.load for stream in at_line.streams}
    if len(set(rates.values())) > 1:
        raise PlanError(
            "streams of a burst need the same rate in frames/s, or the line is not full when one has ended: "
            + ", ".join(f"{name} {text_of(rate)}" for name, rate in rates.items())
        )
    line_pps = max(rates.values())
    forwarded = None  # at most
    if throughput.limited_by is LimitedBy.DEVICE:
        forwarded = throughput.failed_load if throughput.load is None else throughput.load
    runner = _Runner(
        measurer, search, _Late(forwarded), highest=max(1, floor(line_pps * search.longest.ns / 10**9))
    )
    bursts: list[LongestBurst] = []
    if throughput.limited_by is not LimitedBy.LINE:
        for _ in range(search.repetitions):
            bursts.append(runner.repetition(bursts[-1].passed if bursts else None))
    return BurstResult(
        title=throughput.title,
        trials=tuple(runner.trials) or throughput.judged,
        search=search,
        step=runner.step,
        bursts=tuple(bursts),
        line_pps=line_pps,
        throughput=throughput.load,
        throughput_limit=throughput.limited_by,
        reason=runner.reason,
    )


@dataclass(frozen=True)
class _Late:
    """The error of a burst whose frames left late.

    Meanwhile the device forwards others, so that it seems to hold more; or it has none to forward, and seems
    to hold less. Of a burst of B frames a device that forwards r of the L frames/s of a line has to hold
    B (1 - r / L), and where frames are late by t, at most r t more or less. So B is off by r t / (1 - r / L).
    """

    throughput: Fraction | None  # of line rate; None where it is not known

    def error(self, trial: Trial) -> int | None:
        """By how many whole frames a burst may be off; None where that is not known."""
        late = max(stream.intended_rate * _late_ns(stream) / 10**9 for stream in trial.streams)
        if self.throughput is None or self.throughput == 1:
            return None if late >= 1 else 0
        return floor(late * self.throughput / (1 - self.throughput))


def _late_ns(stream: StreamResult) -> Fraction:
    """How late a frame left, or how much longer or shorter the whole burst took than on the line."""
    counted = stream.counters
    took_ns = counted.last_tx_ns - counted.first_tx_ns
    return max(Fraction(counted.worst_lateness_ns), abs(stream.rate_error) * took_ns)


class _Runner:
    """Sends the bursts of one search and keeps their trials."""

    def __init__(self, measurer: BurstMeasurer, search: BurstSearch, late: _Late, highest: int) -> None:
        self._measurer = measurer
        self._search = search
        self._late = late
        self._highest = highest
        self.trials: list[Trial] = []
        self.step = 1
        self.reason = ""

    def repetition(self, before: int | None) -> LongestBurst:
        """One search, which begins at what the one before found, or far below with the first burst."""
        passed, failing, failed = 0, None, self._highest + 1
        passing: Trial | None = None
        length = max(1, min(self._highest, _FIRST if before is None else before))
        stride = length if before is None else self.step
        while failed - passed > self._width(passed, first=before is None):
            trial = self._measurer.burst(length, self._search.rest)
            self.trials.append(trial)
            if _passes(trial):
                passed, passing = length, trial
                length, stride = length + stride, stride * 2
            else:
                failed, failing = length, trial
                length, stride = length - stride, stride * 2
            if passed and failing:
                length = (passed + failed) // 2
            length = min(max(length, passed + 1), failed - 1)
        if before is None:
            self.step = self._width(passed, first=True)
        errors = [self._late.error(trial) for trial in (passing, failing) if trial and trial.valid]
        known = [error for error in errors if error is not None]
        error = max(known, default=0) if len(known) == len(errors) else None
        if failing is None:
            return LongestBurst(passed, None, BurstLimit.SEARCH, error)
        if doubt := untold(failing, _NO_LOSS):
            self.reason = doubt
        limit = BurstLimit.TESTER if doubt else BurstLimit.DEVICE
        return LongestBurst(passed, failed, limit, error)

    def _width(self, passed: int, *, first: bool) -> int:
        return max(1, floor(passed * self._search.resolution.value)) if first else self.step


def _passes(trial: Trial) -> bool:
    """Whether the tester did its part, and every frame arrived."""
    return trial.valid and not trial.findings and trial.loses_at_most(Fraction(0)) is True


def _frames(trial: Trial) -> int:
    """Frames of each stream that left in a burst."""
    return min(stream.counters.tx_packets for stream in trial.streams)
