# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Impairments of all packets of a direction of a path: loss, a rate, a delay."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ..errors import PlanError
from .departures import Points, out_of_order
from .heading import LONGEST_DELAY, Heading, OrderPolicy, check_delay
from .units.units import LINE_OVERHEAD, Duration, Rate, RateUnit, Ratio

MOST_QUEUE_FRAMES = 65_536
MOST_QUEUE_BYTES = 1 << 30
MOST_DELAY_POINTS = 65_536  # of a CDF
NOT_CORRELATED = Ratio(Fraction(0))
NO_LOSS, ALL_LOST = Ratio(Fraction(0)), Ratio(Fraction(1))
NO_JITTER = Duration(0)
_SLOWEST, _FASTEST = 10**3, 10**12  # bits a second
_SHORTEST_QUEUE = 64  # bytes


class Distribution(Enum):
    """How delays lie around their mean, by its jitter."""

    UNIFORM = "uniform"  # within the mean plus and minus the jitter
    NORMAL = "normal"  # the jitter is the standard deviation


@dataclass(frozen=True)
class DelayDistribution:
    """Delays whose distribution function is a line from point to point: (delay, probability)."""

    points: Points

    def __post_init__(self) -> None:
        if not 2 <= len(self.points) <= MOST_DELAY_POINTS:
            raise PlanError(f"a CDF of {len(self.points)} points: there are 2 to {MOST_DELAY_POINTS:,}")
        for index, problem in out_of_order(self.points):
            raise PlanError(f"point {index + 1} of the CDF: {problem}")
        for index, (delay, _) in enumerate(self.points, 1):
            check_delay(f"point {index} of the CDF: delay", delay)
        end = self.points[-1][1]
        if end != 1:
            raise PlanError(f"the CDF ends at {float(end):g}; its last point has to have the probability 1")
        if self.points[0][0] == self.points[-1][0]:
            raise PlanError(f"all delays of the CDF are {self.points[0][0]}; give delay in place of it")

    def __str__(self) -> str:
        return f"delay {self.points[0][0]} to {self.points[-1][0]} by a CDF of {len(self.points):,} points"


@dataclass(frozen=True, kw_only=True)
class PathDelay:
    """Each packet is held for a time: a constant, or one of a distribution, none of them below 0.

    With a correlation the delay of a packet depends on that of the one before it. Their distribution stays
    as it is: it is the correlation of normal variables that have the same ranks (a Gaussian copula).
    """

    mean: Duration = Duration(0)
    jitter: Duration = Duration(0)
    distribution: Distribution = Distribution.UNIFORM
    order: OrderPolicy = OrderPolicy.PRESERVE
    cdf: DelayDistribution | None = None  # in place of mean and jitter
    correlation: Ratio = NOT_CORRELATED

    @classmethod
    def of(
        cls,
        *,
        mean: Duration | None,
        jitter: Duration,
        distribution: Distribution,
        order: OrderPolicy,
        cdf: DelayDistribution | None,
        correlation: Ratio,
    ) -> PathDelay | None:
        """The delay; None without a mean and a CDF. PlanError for what needs one of them."""
        if mean is not None or cdf is not None:
            return cls(
                mean=mean or Duration(0),
                jitter=jitter,
                distribution=distribution,
                order=order,
                cdf=cdf,
                correlation=correlation,
            )
        if jitter.ns:
            raise PlanError(f"jitter={jitter} needs a delay; give the mean, such as delay=10 ms")
        if correlation.value:
            raise PlanError(f"correlation={correlation} needs delays; give delay and jitter, or a CDF")
        return None

    def __post_init__(self) -> None:
        if not 0 <= self.correlation.value < 1:
            raise PlanError(f"correlation={self.correlation}; give 0 % or more, and less than 100 %")
        if self.cdf is None:
            self._check_mean()
        elif self.mean.ns or self.jitter.ns:
            raise PlanError("a CDF has its own mean; leave delay and jitter out, or the CDF")
        if self.correlation.value and self.cdf is None and not self.jitter.ns:
            raise PlanError(f"correlation={self.correlation} of a constant delay; give a jitter, or a CDF")

    def _check_mean(self) -> None:
        check_delay("delay", self.mean)
        check_delay("jitter", self.jitter)
        if not self.mean.ns and not self.jitter.ns:
            raise PlanError("delay=0 and no jitter delay nothing; give one of them")
        if self.distribution is Distribution.UNIFORM and self.jitter.ns > self.mean.ns:
            raise PlanError(f"jitter={self.jitter} is more than delay={self.mean}; give at most the delay")
        if self.mean.ns + 5 * self.jitter.ns > LONGEST_DELAY.ns:
            raise PlanError(f"delay={self.mean} and jitter={self.jitter} exceed {LONGEST_DELAY}")

    def __str__(self) -> str:
        jitter = f" ± {self.jitter} ({self.distribution.value})" if self.jitter.ns else ""
        correlation = f", correlation {self.correlation}" if self.correlation.value else ""
        return f"{self.cdf or f'delay {self.mean}{jitter}'}{correlation}"


@dataclass(frozen=True, kw_only=True)
class GilbertElliott:
    """Loss in bursts: a good and a bad state, with a loss each, which change after a packet at random."""

    to_bad: Ratio
    to_good: Ratio
    loss_in_bad: Ratio
    loss_in_good: Ratio

    @classmethod
    def of(
        cls, to_bad: Ratio | None, to_good: Ratio | None, loss_in_bad: Ratio, loss_in_good: Ratio
    ) -> GilbertElliott | None:
        """The model; None without `to_bad` and `to_good`. PlanError if only a part of it is there."""
        if to_bad is not None and to_good is not None:
            return cls(to_bad=to_bad, to_good=to_good, loss_in_bad=loss_in_bad, loss_in_good=loss_in_good)
        if to_bad is not None or to_good is not None:
            raise PlanError("to_bad and to_good belong together; give both")
        if (loss_in_bad, loss_in_good) != (ALL_LOST, NO_LOSS):
            raise PlanError("loss_in_bad and loss_in_good are of states; give to_bad and to_good as well")
        return None

    def __post_init__(self) -> None:
        if not self.to_bad.value:
            raise PlanError("to_bad=0: the bad state is never reached; give more, or loss alone")
        if not self.to_good.value:
            raise PlanError("to_good=0: the bad state is never left; give more")
        if not self.loss_in_bad.value and not self.loss_in_good.value:
            raise PlanError("loss_in_bad=0 and loss_in_good=0: nothing is lost; give one of them")

    def __str__(self) -> str:
        return f"loss in bursts (to bad {self.to_bad}, to good {self.to_good})"


@dataclass(frozen=True, kw_only=True)
class Shaping:
    """A link of a rate behind a queue, which drops what finds it full."""

    rate: Rate
    queue_frames: int | None = None
    queue_bytes: int | None = None  # FCS included

    @classmethod
    def of(cls, rate: Rate | None, queue_frames: int | None, queue_bytes: int | None) -> Shaping | None:
        """The link; None without a rate. PlanError for a queue without a rate."""
        if rate is not None:
            return cls(rate=rate, queue_frames=queue_frames, queue_bytes=queue_bytes)
        if queue_frames is not None or queue_bytes is not None:
            raise PlanError("a queue needs a rate; give rate, such as 10 Mbps")
        return None

    def __post_init__(self) -> None:
        if self.rate.unit not in (RateUnit.L1, RateUnit.L2):
            raise PlanError(f"rate={self.rate}: a link carries bits; give bps, such as 10 Mbps")
        if not _SLOWEST <= self.bps <= _FASTEST:
            raise PlanError(f"rate={self.rate} is not within 1 kbps and 1 Tbps")
        if (self.queue_frames is None) == (self.queue_bytes is None):
            given = "both are" if self.queue_frames is not None else "neither is"
            raise PlanError(f"rate={self.rate} needs one of queue_frames and queue_bytes; {given} given")
        for what, number, least, most in (
            ("queue_frames", self.queue_frames, 1, MOST_QUEUE_FRAMES),
            ("queue_bytes", self.queue_bytes, _SHORTEST_QUEUE, MOST_QUEUE_BYTES),
        ):
            if number is not None and not least <= number <= most:
                raise PlanError(f"{what}={number}; give {least} to {most:,}")

    @property
    def bps(self) -> int:
        """Bits a second."""
        return round(self.rate.value)

    @property
    def overhead_bytes(self) -> int:
        """Bytes that each frame takes beside its own."""
        return LINE_OVERHEAD if self.rate.unit is RateUnit.L1 else 0

    def __str__(self) -> str:
        queue = f"{self.queue_frames:,} frames" if self.queue_frames else f"{self.queue_bytes:,} bytes"
        return f"rate {self.rate}, queue of {queue}"


@dataclass(frozen=True, kw_only=True)
class Impairment:
    """The impairment of each packet of a direction, or of both: loss, then a rate, then a delay."""

    heading: Heading = Heading.BOTH
    loss: Ratio | GilbertElliott | None = None
    shaping: Shaping | None = None
    delay: PathDelay | None = None

    @classmethod
    def of(
        cls,
        *,
        delay: Duration | None = None,
        jitter: Duration = NO_JITTER,
        distribution: Distribution = Distribution.UNIFORM,
        order: OrderPolicy = OrderPolicy.PRESERVE,
        cdf: DelayDistribution | None = None,
        correlation: Ratio = NOT_CORRELATED,
        loss: Ratio | None = None,
        to_bad: Ratio | None = None,
        to_good: Ratio | None = None,
        loss_in_bad: Ratio = ALL_LOST,
        loss_in_good: Ratio = NO_LOSS,
        rate: Rate | None = None,
        queue_frames: int | None = None,
        queue_bytes: int | None = None,
        heading: Heading = Heading.BOTH,
    ) -> Impairment:
        """The impairment that these arguments describe. PlanError for arguments that do not go together."""
        bursts = GilbertElliott.of(to_bad, to_good, loss_in_bad, loss_in_good)
        if bursts is not None and loss is not None:
            raise PlanError("loss and to_bad are two models of loss; give one of them")
        held = PathDelay.of(
            mean=delay,
            jitter=jitter,
            distribution=distribution,
            order=order,
            cdf=cdf,
            correlation=correlation,
        )
        shaping = Shaping.of(rate, queue_frames, queue_bytes)
        return cls(heading=heading, loss=loss if bursts is None else bursts, shaping=shaping, delay=held)

    def __post_init__(self) -> None:
        if isinstance(self.loss, Ratio) and not 0 < self.loss.value < 1:
            raise PlanError(f"loss={self.loss} loses nothing, or all; give a part, such as 0.1 %")
        if (self.loss, self.shaping, self.delay) == (None, None, None):
            raise PlanError("nothing happens; give a delay, a loss or a rate")

    @property
    def directions(self) -> tuple[Heading, ...]:
        """One or both."""
        both = (Heading.FORWARD, Heading.BACKWARD)
        return both if self.heading is Heading.BOTH else (self.heading,)

    def __str__(self) -> str:
        loss = f"loss {self.loss}" if isinstance(self.loss, Ratio) else self.loss
        what = ", ".join(str(part) for part in (loss, self.shaping, self.delay) if part)
        return what if self.heading is Heading.BOTH else f"{what}, {self.heading.name.lower()}"
