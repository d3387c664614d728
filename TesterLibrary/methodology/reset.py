# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reset (RFC 2544 §26.6, updated by RFC 6201): how long a device does not forward because it was reset.

The time is that from the last frame before the silence to the first one after it (RFC 6201 §4.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import inf
from statistics import fmean

from ..errors import require
from ..measurement.outage_bounds import Outage
from ..measurement.trial import Trial
from ..model.units.units import Duration, Ratio, duration_text
from ..verdict import AT_MOST, About, Verdict, assess
from .measurer import InterruptedMeasurer, Interruption
from .outage import outages_of, uncounted
from .result import Result, partly
from .standard import unwaited
from .verdicts.judging import doubt_of, undiscerned, unmeasured


class ResetKind(Enum):
    """The part of the device that is reset (RFC 6201 §1.2)."""

    SOFTWARE = "software"  # its operating system, or a process of it
    HARDWARE = "hardware"  # a card, or all of it
    POWER = "power"  # its power is interrupted, for ten seconds (RFC 2544 §26.6)


@dataclass(frozen=True)
class ResetMeasurement:
    """The parameters of a reset test: what is reset, at which load, how often, and how long is waited."""

    kind: ResetKind
    load: Ratio  # of line rate; the RFC asks for the throughput of the shortest frames
    lead: Duration = Duration(10**9)  # of traffic before the reset
    steady: Duration = Duration(
        10 * 10**9
    )  # for so long frames arrive without a break, and all: the device is back
    limit: Duration = Duration(600 * 10**9)  # a device that is not back so long after the reset is given up
    repetitions: int = 1
    part: Ratio | None = None  # of the throughput that was found before; None: the load has another origin

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (0 < self.load.value <= 1, "the load must be above 0 and at most 100 % of line rate", "load"),
            (self.lead.ns > 0 and self.steady.ns > 0, "lead and steady must be above 0", "lead steady"),
            (self.limit.ns > self.steady.ns, "the limit must be longer than steady", "limit steady"),
            (self.repetitions >= 1, "repetitions must be at least 1", "repetitions"),
        )

    def __str__(self) -> str:
        return (
            f"{self.kind.value} reset at {self.load} of line rate, given up after {self.limit}, "
            f"{'once' if self.repetitions == 1 else f'{self.repetitions} times'}"
        )


@dataclass(frozen=True)
class ResetResult(Result):
    """How long the device did not forward. `trials` are the repetitions, each with one reset."""

    measurement: ResetMeasurement
    interruptions: tuple[Interruption, ...]  # the state of the device before and after, trial by trial
    hook: str  # how it was reset, as people read it
    changed: str = ""  # what is another device now than before the reset

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        part = partly("a reset", self.measurement.part, "RFC 2544 §26.6")
        return (*part, *unwaited(self.trials))

    @property
    def outages(self) -> tuple[Outage | None, ...]:
        """The longest silence of each valid repetition; None if nothing was lost in it, or nobody counted."""
        return tuple(next(iter(outages_of([trial])), None) for trial in self.trials if trial.valid)

    @property
    def outage(self) -> Outage | None:
        """The longest of them; None if there is none."""
        return next(iter(outages_of(self.trials)), None)

    @property
    def reset_ns(self) -> float | None:
        """From the last frame before the silence to the first one after it, averaged over the repetitions.

        None where that is not known, or where the device did not come back.
        """
        bounds = self.bounds_ns
        if bounds is None or bounds[1] == inf or self._doubt():
            return None
        return fmean(outage.by_time_ns for outage in self.outages if outage)

    @property
    def bounds_ns(self) -> tuple[float, float] | None:
        """The least and the greatest time it may have taken, averaged; None where it is not known."""
        each = [
            self._of(trial, seen)
            for trial, seen in zip(self.trials, self.interruptions, strict=True)
            if trial.valid
        ]
        known = [bounds for bounds in each if bounds]
        if not known or len(known) < len(each):
            return None
        least, most = (fmean(bounds[side] for bounds in known) for side in (0, 1))
        return least, most

    def verdict_below(self, bound: Duration) -> Verdict:
        """Whether the device forwarded again at most so long after it had stopped, on average.

        FAIL also for one that had not come back when the traffic ended, later than the bound. INCONCLUSIVE
        where nothing was lost, so that nobody knows whether the device was reset, and where frames were
        missing already before.
        """
        bounds = self.bounds_ns
        least, most = bounds or (0.0, 0.0)
        return assess(
            None if bounds is None else least if least == most else About(least, most, self._text),
            AT_MOST,
            bound.ns,
            subject=f"{self.measurement.kind.value} reset of {self.title}",
            measured=self._text,
            bound=f"<= {bound}",
            doubt=self._doubt(bound),
        )

    @staticmethod
    def _of(trial: Trial, seen: Interruption) -> tuple[float, float] | None:
        """The bounds of one reset.

        Of several silences the longest is the least, and all frames lost, at the rate of the stream, are the
        most: the device was out of operation for no longer.
        """
        least, most = 0.0, 0.0
        for stream in trial.streams:
            bounds = stream.outage_bounds
            if bounds is None:
                return None
            outages = stream.outages or ()
            if bounds[0] == inf:  # it was silent until the traffic ended: at least for so long
                bounds = (max((float(o.by_time_ns) for o in outages), default=0.0), inf)
            lost = stream.order.loss_bounds
            by_loss_ns = float(lost[1] * 10**9 / stream.intended_rate) if lost else inf
            least, most = max(least, bounds[0]), max(most, bounds[1], by_loss_ns)
        return least, most if seen.steady else inf

    def _doubt(self, bound: Duration | None = None) -> str:
        if doubt := doubt_of(self.trials) or unmeasured(self.trials) or undiscerned(self.trials):
            return doubt
        if doubt := next((seen.doubt for seen in self.interruptions if seen.doubt), ""):
            return doubt
        if self.changed:
            return self.changed
        if any(trial.loses_at_most(Fraction(0)) for trial in self.trials):
            return f"no frame was lost: {self.hook} did not reset the device, or it forwards meanwhile"
        if any(outage and outage.lost == 1 for outage in self.outages):
            return f"one frame in a row was lost at most, which {self.hook} need not have done; send faster"
        if self.bounds_ns is None:
            return uncounted(self.trials)
        return self._open_doubt(bound) if bound else ""

    def _open_doubt(self, bound: Duration) -> str:
        """Why the silence may be longer than the bound, or not; empty if it is known."""
        least, most = self.bounds_ns or (0, 0)
        if not least <= bound.ns < most:
            return ""
        if most == inf:
            return (
                f"the device was not back when the traffic ended, within {self.measurement.limit}; "
                "give a limit that is longer than the bound"
            )
        return (
            "it was silent more than once, or frames came in another order: for "
            f"{duration_text(least)} at least and {duration_text(most)} at most"
        )

    @property
    def _text(self) -> str:
        """The time as people read it, with what tells how far to trust it."""
        found = [outage for outage in self.outages if outage]
        if not found:
            return "none"
        text = str(found[0])
        if len(found) > 1:
            times = [Duration(outage.by_time_ns) for outage in found]
            average = duration_text(fmean(outage.by_time_ns for outage in found))
            text = (
                f"{average} by time on average of {len(found)} resets "
                f"({min(times, key=lambda t: t.ns)} to {max(times, key=lambda t: t.ns)})"
            )
        if self.bounds_ns and self.bounds_ns[1] == inf and all(outage.ended for outage in found):
            text += ", frames did not arrive steadily when the traffic ended"
        return text

    def __str__(self) -> str:
        doubt = self._doubt()
        counted = [stream.outages is not None for t in self.trials if t.valid for stream in t.streams]
        nothing = "no frame lost" if counted and all(counted) else "not known"
        found = self._text if any(self.outages) else nothing
        text = f"{self.title}: {self.measurement.kind.value} reset by {self.hook}: {found}"
        return f"{text} ({doubt})" if doubt else text


def measure_reset(
    measurer: InterruptedMeasurer, measurement: ResetMeasurement, reset: Callable[[], None], *, hook: str
) -> ResetResult:
    """Resets the device while frames are sent to it, and waits until they arrive again; repeatedly.

    It ends early with a reset after which the device did not come back.

    Args:
        measurer: Runs the trials.
        measurement: What is reset, at which load, how often, and how long is waited.
        reset: Resets the device. It may return before the device is back.
        hook: What it is, for people.

    Raises:
        PlanError: the measurement makes no sense.
        Inconclusive: the reset failed or hung.
        TargetError: the tester is broken, gone or late.
    """
    measurement.validate()
    found: list[tuple[Trial, Interruption]] = []
    while len(found) < measurement.repetitions and all(seen.steady for _, seen in found):
        found.append(
            measurer.interrupted(
                Fraction(measurement.load.value),
                reset,
                lead=measurement.lead,
                steady=measurement.steady,
                limit=measurement.limit,
            )
        )
    trials, interruptions = zip(*found, strict=True)
    return ResetResult(trials[0].title, trials, measurement, interruptions, hook)
