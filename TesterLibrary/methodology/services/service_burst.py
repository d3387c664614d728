# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Burst sizes of a service (MEF 10.3 §12, ITU-T Y.1564): how much its policer lets go at once.

A bandwidth profile has two buckets: one of the committed burst size (CBS), which the CIR fills, and one of
the excess burst size (EBS), which the EIR fills. A burst at line rate finds them full. It passes while they
hold its frames, less what fills them meanwhile. So the longest burst that passes, and the next one, which
does not, are bounds of a bucket. Where a device marks what it takes from the excess bucket, the frames that
arrive yellow are its bounds. Sizes count bytes of frames, FCS included.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil, floor
from typing import Protocol

from ...errors import PlanError
from ...measurement.trial import Trial
from ...model.units.number import counted
from ...model.units.quantity import Octets
from ...model.units.units import Duration, Rate, Ratio
from ...verdict import AT_LEAST, AT_MOST, Between, Verdict, assess
from ..back_to_back import BurstLimit
from ..bisection import highest_passing
from ..result import Result
from ..verdicts.judging import doubt_of, untold
from .service_colours import Offered

LONGEST_BURST = Octets(1_000_000)
_NO_LOSS = Ratio(Fraction(0))
_BYTE_NS = 8 * 10**9  # bits each second times nanoseconds, in a byte
_REST = 2  # times what filling takes that was sent, after each burst


class BurstSize(Enum):
    """The size that is searched."""

    CBS = "CBS"
    EBS = "EBS"


@dataclass(frozen=True)
class BucketSearch:
    """The bucket that is searched, and how far."""

    kind: BurstSize
    stream: str  # whose frames empty it
    rate: Rate  # at which it fills, in bits of frames each second: CIR or EIR
    longest: Octets = LONGEST_BURST  # the longest burst
    resolution: Ratio = Ratio(Fraction(0))  # part of the burst; 0: one frame

    def validate(self, size: Fraction, line_bps: Fraction) -> None:
        """Raises PlanError for a search that can find nothing with frames of so many bytes on such a line."""
        rules = (
            (
                self.longest.count >= size,
                f"the longest burst, {self.longest}, holds no frame of {float(size):g} bytes",
            ),
            (
                self.rate.value < line_bps,
                f"its bucket fills at {self.rate}, as fast as frames come at line rate, and never empties",
            ),
            (self.resolution.value < 1, f"the resolution is {self.resolution}; give less than 100 %"),
        )
        for holds, rule in rules:
            if not holds:
                raise PlanError(f"{self.kind.value} of service {self.stream!r}: {rule}")

    def rest_after(self, octets: Fraction) -> Duration:
        """Time after a burst in which the bucket becomes full, whatever is in it."""
        return Duration(ceil(_REST * octets * _BYTE_NS / self.rate.value))


class ServiceBurstMeasurer(Protocol):
    """Sends bursts of a service. TargetError: the tester is broken, gone or late."""

    def burst(self, service: str, frames: int, rest: Duration) -> Offered:
        """So many frames at line rate, then nothing for `rest`."""
        ...


@dataclass(frozen=True)
class BurstSizeResult(Result):
    """The bounds of a burst size, in bytes of frames, FCS included."""

    search: BucketSearch
    passed: int  # frames of the longest burst that passed; 0: none did
    failed: int | None  # of the shortest one that did not; None if each one passed
    limited_by: BurstLimit
    at_least: Octets
    below: Octets | None  # None: nobody knows
    lengths: tuple[int, ...]  # frames of each trial, in the order in which they ran
    reason: str = ""  # where it was limited by the tester: what the tester did not do

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trials of the two bursts that are the bounds."""
        ends = (self.passed, self.failed)
        return tuple(t for n, t in zip(self.lengths, self.trials, strict=True) if n in ends)

    def verdict_above(self, bound: int) -> Verdict:
        """Whether the bucket holds at least so many bytes. FAIL only where a burst of the device failed."""
        open_ = self.below is None and self.at_least.count < bound
        return assess(
            self._value,
            AT_LEAST,
            bound,
            subject=f"{self.search.kind.value} of {self.title}",
            measured=self._text,
            bound=f">= {bound:,} bytes",
            doubt=self._limit if open_ else "",
        )

    def verdict_below(self, bound: int) -> Verdict:
        """Whether the bucket holds no more than so many bytes."""
        open_ = self.below is None and self.at_least.count <= bound
        return assess(
            self._value,
            AT_MOST,
            bound,
            subject=f"{self.search.kind.value} of {self.title}",
            measured=self._text,
            bound=f"<= {bound:,} bytes",
            doubt=self._limit if open_ else "",
        )

    @property
    def _value(self) -> int | Between:
        least = self.at_least.count
        return least if self.below is None else Between(least, max(least, self.below.count - 1))

    @property
    def _limit(self) -> str:
        if self.limited_by is BurstLimit.TESTER:
            return f"limited by the tester: {self.reason}"
        return f"the longest burst that was tried passed, {self.passed:,} frames; give longest= more"

    @property
    def _text(self) -> str:
        if self.below is None:
            return f"at least {self.at_least.count:,} bytes"
        return f"{self.at_least.count:,} to {self.below.count - 1:,} bytes"

    def __str__(self) -> str:
        return (
            f"{self.title}: {self.search.kind.value} {self._text}, the longest burst {self.passed:,} frames, "
            f"limited by the {self.limited_by.value}, {counted(len(self.trials), 'trial')}"
        ) + (f" ({self.reason})" if self.reason else "")


def find_burst_size(
    measurer: ServiceBurstMeasurer, search: BucketSearch, size: Fraction, line_bps: Fraction
) -> BurstSizeResult:
    """Searches the longest burst that passes a bucket: doubled until one does not, then halved between.

    A burst passes if each of its frames arrived; of the committed bucket, where colours are counted, green.
    What fills the bucket meanwhile is taken off, by when its first and last frames left and how late they
    may have been.

    Args:
        measurer: Sends the bursts.
        search: The bucket.
        size: Bytes of a frame on average, FCS included.
        line_bps: Bits of such frames that the line carries each second.

    Raises:
        PlanError: the search can find nothing.
        TargetError: the tester is broken, gone or late.
    """
    search.validate(size, line_bps)
    trials: list[Offered] = []
    lengths: list[int] = []

    def passes(frames: int) -> bool:
        offered = measurer.burst(search.stream, frames, search.rest_after(frames * size))
        trials.append(offered)
        lengths.append(frames)
        return _passes(offered, search.kind)

    highest = floor(search.longest.count / size)
    passed, failed = highest_passing(1, highest, search.resolution.value, passes)
    of = dict(zip(lengths, trials, strict=True))
    reason, below = "", None
    if failed is None:
        limit = BurstLimit.SEARCH
    elif reason := untold(of[failed].trial, _NO_LOSS):
        limit = BurstLimit.TESTER
    else:
        limit, below = BurstLimit.DEVICE, _below(of[failed], size, search)
    known = [of[frames] for frames in (passed, failed) if frames in of and not doubt_of([of[frames].trial])]
    least = max((_at_least(offered, size, search) for offered in known), default=Fraction(0))
    return BurstSizeResult(
        title=trials[0].trial.title,
        trials=tuple(offered.trial for offered in trials),
        search=search,
        passed=passed,
        failed=failed,
        limited_by=limit,
        at_least=Octets(ceil(least)),
        below=None if below is None else Octets(ceil(below)),
        lengths=tuple(lengths),
        reason=reason,
    )


def _passes(offered: Offered, kind: BurstSize) -> bool:
    """Whether the tester did its part, and every frame arrived, in its colour where these are counted."""
    trial = offered.trial
    if doubt_of([trial]) or trial.loses_at_most(Fraction(0)) is not True:
        return False
    return kind is BurstSize.EBS or all(arrived.green >= trial.sent for arrived in offered.colours)


def _at_least(offered: Offered, size: Fraction, search: BucketSearch) -> Fraction:
    """Bytes that the bucket held: those that it let go, less the most that can have filled it meanwhile."""
    trial = offered.trial
    took, went = _took(trial, 1), trial.received
    for arrived in offered.colours:
        went = min(went, arrived.green if search.kind is BurstSize.CBS else arrived.yellow)
    return max(Fraction(0), went * size - search.rate.value * took / _BYTE_NS)


def _below(offered: Offered, size: Fraction, search: BucketSearch) -> Fraction:
    """More bytes than the bucket held: it had less than a frame when one did not pass.

    The excess bucket of a device that marks is full until the first frame takes from it, and nobody knows
    when: what fills it meanwhile is taken to be nothing.
    """
    trial = offered.trial
    if search.kind is BurstSize.EBS and offered.colours:
        (arrived,) = offered.colours
        return (arrived.yellow + 1) * size
    return max(size, trial.sent * size - search.rate.value * _took(trial, -1) / _BYTE_NS)


def _took(trial: Trial, sign: int) -> Fraction:
    """Nanoseconds from the first frame to the last one; the most (1) or the least (-1) that it can be."""
    (stream,) = trial.streams
    counted = stream.counters
    return Fraction(max(0, counted.last_tx_ns - counted.first_tx_ns + sign * counted.worst_lateness_ns))
