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

from ..errors import PlanError
from ..measurement.outage import Outage
from ..measurement.trial import Trial
from ..model.units import Duration, Ratio
from ..verdict import Outcome, Verdict
from .judging import doubt_of
from .measurer import InterruptedMeasurer
from .outage import outage_below, outages_of
from .result import Result


class ResetKind(Enum):
    """What is reset (RFC 6201 §1.2)."""

    SOFTWARE = "software"  # its operating system, or a process of it
    HARDWARE = "hardware"  # a card, or all of it
    POWER = "power"  # its power is interrupted, for ten seconds (RFC 2544 §26.6)


@dataclass(frozen=True)
class ResetMeasurement:
    """What is reset, at which load, and how long is waited."""

    kind: ResetKind
    load: Ratio  # of line rate; the RFC asks for the throughput of the shortest frames
    lead: Duration = Duration(10**9)  # of traffic before the reset
    steady: Duration = Duration(10 * 10**9)  # for so long frames arrive without a break: the device is back
    limit: Duration = Duration(600 * 10**9)  # a device that is not back so long after the reset is given up

    def validate(self) -> None:
        """Raises PlanError, which prints the measurement, for a value that makes no sense."""
        rules = (
            (0 < self.load.value <= 1, "the load must be above 0 and at most 100 % of line rate"),
            (self.lead.ns > 0 and self.steady.ns > 0, "lead and steady must be above 0"),
            (self.limit.ns > self.steady.ns, "the limit must be longer than steady"),
        )
        for holds, rule in rules:
            if not holds:
                raise PlanError(f"{rule}; given was {self}")

    def __str__(self) -> str:
        return f"{self.kind.value} reset at {self.load} of line rate, given up after {self.limit}"


@dataclass(frozen=True)
class ResetResult(Result):
    """How long the device did not forward."""

    measurement: ResetMeasurement
    hook: str  # how it was reset, as people read it
    changed: str = ""  # what is another device now than before the reset

    @property
    def outage(self) -> Outage | None:
        """The longest silence; None if nothing was lost, or nobody counted."""
        return next(iter(outages_of(self.trials)), None)

    @property
    def reset_ns(self) -> int | None:
        """From the last frame before it to the first one after; None if there was none, or it is not over."""
        return self.outage.by_time_ns if self.outage and self.outage.ended else None

    def verdict_below(self, bound: Duration) -> Verdict:
        """Whether the device forwarded again at most so long after it had stopped.

        FAIL also for one that never did. INCONCLUSIVE where nothing was lost: nobody knows whether the device
        was reset.
        """
        subject = f"{self.measurement.kind.value} reset of {self.title}"
        judged = outage_below(self.trials, bound)
        if judged.outcome is Outcome.PASS and self.outage is None:
            doubt = f"no frame was lost: {self.hook} did not reset the device, or it forwards meanwhile"
            return Verdict(Outcome.INCONCLUSIVE, subject, "none", judged.bound, doubt)
        if self.changed and judged.outcome is not Outcome.INCONCLUSIVE:
            return Verdict(Outcome.INCONCLUSIVE, subject, judged.measured, judged.bound, self.changed)
        return Verdict(judged.outcome, subject, judged.measured, judged.bound, judged.reason)

    def __str__(self) -> str:
        doubt = doubt_of(self.trials) or self.changed
        found = str(self.outage) if self.outage else "no frame lost"
        text = f"{self.title}: {self.measurement.kind.value} reset by {self.hook}: {found}"
        return f"{text} ({doubt})" if doubt else text


def measure_reset(
    measurer: InterruptedMeasurer, measurement: ResetMeasurement, reset: Callable[[], None], *, hook: str
) -> ResetResult:
    """Resets the device while frames are sent to it, and waits until they arrive again.

    Args:
        measurer: Runs the trial.
        measurement: What is reset, at which load, and how long is waited.
        reset: Resets the device. It may return before the device is back.
        hook: What it is, for people.

    Raises:
        PlanError: the measurement makes no sense.
        Inconclusive: the reset failed or hung.
        TargetError: the tester is broken, gone or late.
    """
    measurement.validate()
    trial: Trial = measurer.interrupted(
        Fraction(measurement.load.value),
        reset,
        lead=measurement.lead,
        steady=measurement.steady,
        limit=measurement.limit,
    )
    return ResetResult(trial.title, (trial,), measurement, hook)
