# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Service activation (ITU-T Y.1564): whether services get what their bandwidth profiles promise, and no more.

A service has a committed information rate (CIR), for which the criteria of acceptance hold, and perhaps an
excess one (EIR), of which nothing is promised. The *configuration* of a service is tested by loads up to its
CIR, by CIR + EIR, and beyond. Its *performance* is that of all services together, each at its CIR, for long.
Where colours are known, yellow frames are a stream of their own, such as one of another DSCP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from ...errors import PlanError, TesterLibraryError
from ...measurement import remarks
from ...measurement.interval import Interval
from ...measurement.trial import Trial
from ...model.units.units import Duration, Rate, RateUnit, Ratio, duration_text, ratio_text
from ...verdict import AT_LEAST, AT_MOST, Between, Outcome, Verdict, assess
from ..forwarded import forwarded_rate, reached_rate
from ..regression import better_side
from ..result import Result, shorter
from ..verdicts.judging import (
    ALL_DELIVERED,
    about,
    delay_doubt_of,
    doubt_of,
    loss_below,
    undelayed,
    unmeasured,
)
from .availability import ServiceSeconds, seconds_of
from .service import Load, Purpose, Service, loads_of, rate_of_bits
from .service_colours import Arrived, ColourBounds, Offered, judged_by_colour

_SHORTEST = Duration(15 * 60 * 10**9)  # of a performance test
_VARIATION = "pdv99.9"  # ITU-T Y.1563: the quantile of 99.9 % less the minimum


@dataclass(frozen=True)
class Acceptance:
    """The criteria of acceptance of a service; what is None is not judged."""

    loss: Ratio = Ratio(Fraction(0))  # frame loss ratio (FLR)
    delay: Duration | None = None  # mean frame transfer delay (FTD)
    variation: Duration | None = None  # frame delay variation (FDV): 99.9 % of frames over the fastest one
    availability: Ratio | None = None  # of the time of the performance test
    yellow_loss: Ratio | None = None  # of yellow frames at CIR + EIR

    def __str__(self) -> str:
        parts = (
            f"loss <= {self.loss}",
            f"delay <= {self.delay}" if self.delay is not None else "",
            f"variation <= {self.variation}" if self.variation is not None else "",
            f"availability >= {self.availability}" if self.availability is not None else "",
            f"loss of yellow frames <= {self.yellow_loss}" if self.yellow_loss is not None else "",
        )
        return ", ".join(filter(None, parts))


class ServiceMeasurer(Protocol):
    """Runs trials of streams at rates of their part. TargetError: the tester is broken, gone or late."""

    def offer(self, rates: Mapping[str, Rate], duration: Duration) -> Offered:
        """One trial of these streams together, with the colours of what arrived, if these are counted."""
        ...

    def watch(
        self, rates: Mapping[str, Rate], duration: Duration, interval: Duration
    ) -> tuple[Trial, tuple[Interval, ...], str]:
        """The same with what each interval lost, and why intervals tell nothing; empty if they do."""
        ...


@dataclass(frozen=True)
class ConfigurationResult(Result):
    """A trial at each load of the configuration test of one service."""

    service: Service
    loads: tuple[Load, ...]  # of the trials, in their order
    colours: tuple[tuple[Arrived, ...], ...] = ()  # of the trials; none where nobody counts colours

    @property
    def losses(self) -> tuple[dict[str, Fraction | None], ...]:
        """The frame loss ratio of each stream, which is that of its colour, at each load; None: not known."""
        return tuple(
            {stream.name: _part_of(trial, stream.name).loss for stream in trial.streams}
            for trial in self.trials
        )

    @property
    def received_rates(self) -> tuple[float, ...]:
        """The information rate that arrived at each load, in bits each second, each frame once."""
        return tuple(float(forwarded_rate(trial, RateUnit.L2).least) for trial in self.trials)

    def verdict(self, acceptance: Acceptance, margin: Ratio) -> Verdict:
        """Whether the service is configured as it should be: within the criteria, and policed.

        Args:
            acceptance: The criteria for frames within the CIR.
            margin: Part of CIR + EIR by which more may arrive when more is offered: what a bucket holds.
        """
        if acceptance.availability is not None:
            raise TesterLibraryError("availability takes a performance test, not one of the configuration")
        found = [
            replace(verdict, subject=f"{verdict.subject} at {load.title}")
            for load, offered in zip(self.loads, self._offered, strict=True)
            for verdict in self._judged(load, offered, acceptance, margin)
        ]
        return _together(found, f"configuration of service {self.title}", str(acceptance))

    @property
    def _offered(self) -> list[Offered]:
        colours = self.colours or ((),) * len(self.trials)
        return [Offered(trial, each) for trial, each in zip(self.trials, colours, strict=True)]

    def _judged(self, load: Load, offered: Offered, acceptance: Acceptance, margin: Ratio) -> list[Verdict]:
        service, trial = self.service, offered.trial
        committed = load.green.value <= service.cir.value
        found = accepted(trial, service.name, acceptance) if committed else []
        if not committed or not _part_of(trial, service.name).sustained:
            found.append(_delivered(trial, service, load, acceptance.loss))
        if load.purpose is Purpose.POLICING:
            found.append(_policed(trial, service, load, margin))
        if load.purpose is Purpose.EXCESS and service.yellow and acceptance.yellow_loss is not None:
            found.append(loss_below([_part_of(trial, service.yellow)], acceptance.yellow_loss))
        if offered.colours:
            eir = service.eir.value if service.eir else Fraction(0)
            bounds = ColourBounds(service.cir.value, eir, acceptance.loss, margin)
            within = load.purpose is Purpose.COMMITTED
            found += judged_by_colour(offered, service.name, bounds, committed=within)
        return found

    def __str__(self) -> str:
        rates = ", ".join(str(rate_of_bits(Fraction(round(rate)))) for rate in self.received_rates)
        return f"service {self.service}: received {rates} at {len(self.loads)} loads"


def measure_configuration(
    measurer: ServiceMeasurer, service: Service, duration: Duration, *, policing: bool = True
) -> ConfigurationResult:
    """Runs a trial at each load, whatever the one before came to.

    Raises:
        PlanError: the bandwidth profile makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    service.validate()
    loads = loads_of(service, policing=policing)
    offered = [measurer.offer(load.of(service), duration) for load in loads]
    trials = tuple(each.trial for each in offered)
    colours = tuple(each.colours for each in offered) if any(each.colours for each in offered) else ()
    return ConfigurationResult(
        title=trials[0].title, trials=trials, service=service, loads=loads, colours=colours
    )


@dataclass(frozen=True)
class PerformanceResult(Result):
    """One trial of all services together, each at its CIR."""

    duration: Duration
    seconds: tuple[ServiceSeconds, ...]
    unwatched: str = ""  # why nobody knows which intervals lost frames; empty if somebody does

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        return shorter("a performance test", self.duration, _SHORTEST, "ITU-T Y.1564")

    def verdict(self, services: Sequence[str], acceptance: Acceptance) -> Verdict:
        """Whether each of these services, or of all, was within the criteria."""
        (trial,) = self.trials
        known = [stream.name for stream in trial.streams]
        if unknown := [name for name in services if name not in known]:
            raise TesterLibraryError(f"{unknown[0]!r} was not measured; measured were {', '.join(known)}")
        chosen = list(services) or known
        found = [verdict for name in chosen for verdict in accepted(trial, name, acceptance)]
        if acceptance.availability is not None:
            found += [self._available(name, acceptance.availability) for name in chosen]
        return _together(found, f"performance of services {', '.join(chosen)}", str(acceptance))

    def _available(self, name: str, bound: Ratio) -> Verdict:
        each = {one.service: one for one in self.seconds}
        seconds = each.get(name, ServiceSeconds(name, ()))
        least, most = seconds.availability_bounds
        severe = sum(known is True for known in seconds.severe)
        part = str(Ratio(least)) if least == most else f"{Ratio(least)} to {Ratio(most)}"
        return assess(
            None if not seconds.severe else least if least == most else Between(least, most),
            AT_LEAST,
            bound.value,
            subject=f"availability of {name}",
            measured=f"{part} ({severe} of {len(seconds.severe)} intervals lost more than half)",
            bound=f">= {bound}",
            doubt=doubt_of(self.trials) or self.unwatched,
            criterion="availability",
            text=ratio_text,
        )

    def __str__(self) -> str:
        (trial,) = self.trials
        return f"{trial.title}: {self.duration} at their CIR, {remarks.loss_text(trial)}"


def measure_performance(
    measurer: ServiceMeasurer,
    rates: Mapping[str, Rate],
    duration: Duration,
    interval: Duration = Duration(10**9),
) -> PerformanceResult:
    """Offers all services together at these rates.

    Raises:
        PlanError: the test makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    if duration.ns < interval.ns or interval.ns <= 0:
        raise PlanError(
            f"a performance test of {duration} has no interval of {interval}; give at least as much time"
        )
    trial, intervals, unwatched = measurer.watch(rates, duration, interval)
    seconds = tuple(seconds_of(name, intervals, interval) for name in rates)
    return PerformanceResult(trial.title, (trial,), duration, seconds, unwatched)


def accepted(trial: Trial, name: str, acceptance: Acceptance) -> list[Verdict]:
    """The verdicts on loss, delay and its variation of one stream of a trial."""
    part = _part_of(trial, name)
    found = [loss_below([part], acceptance.loss)]
    bounds = (("mean", acceptance.delay, "mean delay"), (_VARIATION, acceptance.variation, "delay variation"))
    for statistic, bound, noun in bounds:
        if bound is None:
            continue
        figure, beside = part.latency.figure(statistic, part.order.copies[1]), ""
        if figure and figure.few:  # then the greatest variation is judged, of all frames
            figure, beside = part.latency.figure("pdv100"), f", the greatest of {part.latency.count:,} frames"
        found.append(
            assess(
                about(figure),
                AT_MOST,
                bound.ns,
                subject=f"{noun} of {part.title}",
                measured=duration_text(figure.value) + beside if figure else "unknown",
                bound=f"<= {bound}",
                doubt=delay_doubt_of([part]) or undelayed([part]),
                criterion=noun,
                text=duration_text,
            )
        )
    return found


def _delivered(trial: Trial, service: Service, load: Load, loss: Ratio) -> Verdict:
    """Whether what was offered up to the CIR arrived while it was offered, not later from a queue."""
    part = _part_of(trial, service.name)
    committed = min(service.cir.value, load.green.value)
    required = committed * (1 - loss.value)
    value = forwarded_rate(part, RateUnit.L2)
    doubt = doubt_of([part]) or unmeasured([part])
    if not doubt and value.most < required and part.lost == 0 and _is_whole(part):
        doubt = ALL_DELIVERED
    what = "its CIR" if committed == service.cir.value else load.title
    return assess(
        value,
        AT_LEAST,
        required,
        subject=f"information rate of {part.title}",
        measured="; ".join(filter(None, (_rate_text(value), remarks.not_sustained(part)))),
        bound=f">= {rate_of_bits(required)}, {what} less {loss}",
        doubt=doubt,
        criterion="lowest information rate",
    )


def _policed(trial: Trial, service: Service, load: Load, margin: Ratio) -> Verdict:
    """Whether no more arrived than the profile allows, though more was offered."""
    allowed = service.most * (1 + margin.value)
    value = forwarded_rate(trial, RateUnit.L2)
    doubt = doubt_of([trial]) or unmeasured([trial])
    if not doubt and load.offered <= allowed:
        doubt = f"no more than {rate_of_bits(load.offered)} was offered; give a smaller margin"
    reached = reached_rate(trial, RateUnit.L2)
    if not doubt and value.most <= allowed < reached:
        doubt = (
            f"with the frames that arrived otherwise than they were sent it may be {rate_of_bits(reached)}: "
            f"{trial.order.damage or remarks.misrouted(trial)}; if the device marks, give arrives_green= and "
            "arrives_yellow="
        )
    return assess(
        value,
        AT_MOST,
        allowed,
        subject=f"information rate of {trial.title}",
        measured=_rate_text(value),
        bound=f"<= {rate_of_bits(allowed)}, CIR and EIR with a margin of {margin}",
        doubt=doubt,
        criterion="highest information rate",
    )


def _part_of(trial: Trial, name: str) -> Trial:
    """The trial as if it had had no other stream; what a pause of the tester may have cost it counts then."""
    paused = "" if trial.objections else remarks.lost_beside_others(trial, name)
    objections = (*trial.objections, paused) if paused else trial.objections
    return replace(trial, streams=(trial.stream(name),), objections=objections)


def _is_whole(part: Trial) -> bool:
    """Whether all that was sent arrived in time, so that nothing says that the device could not do more."""
    return all(stream.arrived_in_time.most >= stream.counters.tx_packets for stream in part.streams)


def _rate_text(value: Between) -> str:
    least, most = rate_of_bits(value.least), rate_of_bits(value.most)
    return str(least) if value.least == value.most else f"{least} to {most}"


def _together(found: Sequence[Verdict], subject: str, bound: str) -> Verdict:
    """The verdict on all of these: FAIL outweighs INCONCLUSIVE; the first one of its kind says why.

    A PASS has the worst value of each kind of criterion.
    """
    for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE):
        for verdict in found:
            if verdict.outcome is outcome:
                return verdict
    worst: dict[str, Verdict] = {}
    for verdict in found:
        kind = verdict.criterion
        if kind and (kind not in worst or _is_worse(verdict, worst[kind])):
            worst[kind] = verdict
    values = ", ".join(f"{kind} {verdict.measured}" for kind, verdict in worst.items())
    return Verdict(Outcome.PASS, subject, f"within {len(found)} of {len(found)} criteria: {values}", bound)


def _is_worse(verdict: Verdict, than: Verdict) -> bool:
    """Whether the value of a verdict is closer to its bound than that of another one of its kind."""
    if better_side(verdict):
        return verdict.least is not None and (than.least is None or verdict.least < than.least)
    return verdict.most is not None and (than.most is None or verdict.most > than.most)
