# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Throughput (RFC 2544 §26.1): the highest load at which the device loses no more than is allowed.

The search has two phases, an idea of MLRsearch (draft-ietf-bmwg-mlrsearch): short trials find where the
answer lies, then trials of full length confirm it, and move it where they disagree. Both begin with a guess
and leave it in doubling strides, so a right guess costs two trials; no phase takes more than three trials
more than halving does. The first guess is the highest load; the next one is what the device forwarded of it.
Loads are whole steps of the resolution below the highest, so that results are comparable and bounds such as
95 % are tried exactly. Before all that a trial at a low load shows whether the device loses there already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import ceil, floor
from typing import Any

from ..errors import Inconclusive, PlanError
from ..measurement.trial import Trial
from ..model.number import counted
from ..model.units import Duration, Rate, RateUnit, Ratio
from ..verdict import AT_LEAST, Below, Between, Verdict, assess
from .judging import amount, deaf, doubt_of, undelayed
from .measurer import Measurer
from .narrowing import Narrowing
from .repeats import Agreement
from .result import Result
from .stability import Instability, check_stability, instability
from .standard import Standard

OnEstimate = Callable[[int, Duration], None]
_SCOUTS_MORE = 2  # trials that scouts may take beyond those of full length


class LimitedBy(Enum):
    """Why the throughput is not higher."""

    LINE = "line"  # line rate passed
    SEARCH = "search"  # the highest load of the search passed, which is below line rate
    DEVICE = "device"  # a valid trial one step higher lost too much
    TESTER = "tester"  # one step higher the tester failed, so nothing is known of the device there
    UNSTABLE = "unstable device"  # its loss does not come from the load, so there is no load to be found


@dataclass(frozen=True)
class ThroughputSearch:
    """Bounds and precision of a search."""

    loss: Ratio = Ratio(Fraction(0))  # of the frames sent, that may be lost; the RFC allows none
    resolution: Ratio = Ratio(Fraction(1, 200))  # of line rate: how far apart the final bounds are at most
    lowest: Ratio = Ratio(Fraction(1, 100))  # part of line rate; below it the search gives up
    highest: Ratio = Ratio(Fraction(1))  # of line rate
    trial_duration: Duration = Duration(60 * 10**9)  # of the trials that count (RFC 2544 §24: at least 60 s)
    scout_duration: Duration = Duration(2 * 10**9)  # of the trials before those; none if not shorter
    sustained: bool = False  # a load at which the delay keeps growing does not pass
    stability: Ratio = Ratio(Fraction(0))  # of line rate: the load of the trial before the search; 0 for none
    calibrated: bool = False  # `highest` is what the tester sustains by its calibration
    timeout: Duration | None = None  # a frame that arrives later is lost
    standard: Standard = Standard.RFC2544  # what its trials are held against

    def validate(self) -> None:
        """Raises PlanError, which prints the search, for a value that makes no sense."""
        rules = (
            (self.loss.value < 1, "loss must be below 100 %"),
            (self.resolution.value > 0, "resolution must be above 0"),
            (0 < self.lowest.value <= self.highest.value, "lowest must be above 0 and at most highest"),
            (self.trial_duration.ns > 0 and self.scout_duration.ns > 0, "durations must be above 0"),
            (self.timeout is None or self.timeout.ns > 0, "the timeout must be above 0"),
            (self.stability.value <= 1, "the load of the stability check must be at most 100 %"),
        )
        for holds, rule in rules:
            if not holds:
                raise PlanError(f"{rule}; given was {self}")

    def refuse_finer_than_a_frame(self, line_pps: Fraction) -> None:
        """Raises PlanError if two loads differ by less than a frame of a trial, so that they are the same.

        Args:
            line_pps: Frames each second of all streams at line rate.
        """
        frames = line_pps * self.trial_duration.ns / 10**9
        if self.resolution.value * frames < 1:
            raise PlanError(
                f"a resolution of {self.resolution} is finer than one frame: a trial of "
                f"{self.trial_duration} at line rate has {floor(frames):,}; give a coarser one, or "
                "longer trials"
            )

    @property
    def steps(self) -> int:
        """Steps from the lowest load to the highest."""
        return ceil((self.highest.value - self.lowest.value) / self.resolution.value)

    @property
    def low_load(self) -> Fraction:
        """The load of the stability check, within the loads of the search; 0 for none."""
        return (
            min(max(self.stability.value, self.lowest.value), self.highest.value)
            if self.stability.value
            else Fraction(0)
        )

    def leads(self, load: Fraction, duration: Duration) -> bool:
        """Whether no verdict rests on a trial: it is a scout, and not that of the stability check."""
        return duration.ns < self.trial_duration.ns and load != self.low_load

    def load(self, index: int) -> Fraction:
        """The load of a step, 0 being the lowest."""
        return max(self.lowest.value, self.highest.value - (self.steps - index) * self.resolution.value)

    def index(self, load: Fraction) -> int:
        """The highest step whose load is at most this one; negative below the lowest."""
        if load < self.lowest.value:
            return -1
        return max(0, floor(self.steps - (self.highest.value - load) / self.resolution.value))

    def tells(self, trial: Trial) -> bool:
        """Whether a trial that did not pass says why; see `untold`."""
        return not self.untold(trial)

    def untold(self, trial: Trial) -> str:
        """Why a trial does not tell whether the device lost too much; empty if it does.

        Counts may leave that open, and with a timeout the delays of the frames that arrived.
        """
        if self.sustained and trial.not_sustained:
            return ""
        within = trial.loses_at_most(self.loss.value)
        if within is None:
            return trial.loss_unknown
        if not within or self.timeout is None:
            return ""
        if trial.delay_objections:
            return trial.delay_objections[0]
        if trial.loses_at_most(self.loss.value, self.timeout) is not None:
            return ""
        late = trial.late_bounds(self.timeout)
        if late is None:
            return undelayed([trial]) or "not every frame that arrived was timed"
        return (
            f"{late[0]:,} to {late[1]:,} of {trial.sent:,} frames were later than {self.timeout}: "
            "delays are known as well as their buckets, and those of copies are among them"
        )

    def passes(self, trial: Trial) -> bool:
        """Whether the tester did its part, the device lost no more than is allowed, and kept up if asked."""
        kept_up = not trial.findings and not (self.sustained and trial.not_sustained)
        in_time = self.timeout is None or not trial.delay_objections
        return (
            trial.valid and kept_up and in_time and trial.loses_at_most(self.loss.value, self.timeout) is True
        )

    def fails(self, trial: Trial) -> bool:
        """Whether a trial that did not pass shows that the device cannot carry its load."""
        return trial.valid and self.tells(trial)

    def __str__(self) -> str:
        return (
            f"loss {self.loss}, {self.lowest} to {self.highest} of line rate in steps of {self.resolution}, "
            f"trials of {self.trial_duration}, scouts of {self.scout_duration}{self.lateness}"
        )

    @property
    def lateness(self) -> str:
        """The frames that count as lost although they arrived, as people read it; empty if there are none."""
        return f", frames later than {self.timeout} are lost" if self.timeout else ""


@dataclass(frozen=True)
class Repetition:
    """The result of one of several searches. Loads are parts of line rate; see ThroughputResult."""

    load: Fraction | None
    failed_load: Fraction | None
    limited_by: LimitedBy
    reason: str = ""
    failed_above: Fraction | None = None

    @property
    def bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """The throughput is at least the first one and below the other; None where that is not known."""
        return self.load, self.failed_load if self.limited_by is LimitedBy.DEVICE else self.failed_above


@dataclass(frozen=True)
class ThroughputResult(Result):
    """The throughput. Both bounds rest on trials of full length.

    Of several repetitions it is the one in the middle, the lower of two. Verdicts are on their mean.
    """

    search: ThroughputSearch
    load: Fraction | None  # of line rate: the highest that passed; None if none did, it is below them all
    failed_load: Fraction | None  # of line rate: one step higher, which did not pass; None if there is none
    limited_by: LimitedBy
    reason: str = ""  # of TESTER: what the tester did not do; of UNSTABLE: what was lost
    repetitions: tuple[Repetition, ...] = ()  # in the order in which they ran; none if it was searched once
    failed_above: Fraction | None = None  # of TESTER: above `failed_load`, the lowest that the device failed

    @property
    def device_failed_load(self) -> Fraction | None:
        """The lowest load that the device itself did not pass: the throughput is below it. None if none."""
        return self.failed_load if self.limited_by is LimitedBy.DEVICE else self.failed_above

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        full = self.search.trial_duration
        return self.search.standard.shortened(full, [t for t in self.trials if t.duration_ns == full.ns])

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trial at the throughput; none if no load passed."""
        if self.load is None:
            return ()
        return tuple(t for t in self._full(self.load) if self.search.passes(t))[-1:]

    @property
    def rate(self) -> float | None:
        """Frames each second, over all streams; None if no load passed."""
        found = self._in(RateUnit.PPS)
        return None if found is None else float(found)

    @property
    def offered(self) -> Rate:
        """The load, exactly, as what `rate=` of other keywords takes. Inconclusive if no load passed."""
        return self.part(Ratio(Fraction(1)))

    def part(self, part: Ratio | str) -> Rate:
        """A part of that rate, such as `80 %`. Inconclusive if no load passed."""
        if self.load is None:
            raise Inconclusive(f"there is no throughput to be offered, or a part of it: {self}")
        return Rate(self.load * Ratio.parse(part).value, RateUnit.LINE)

    @property
    def throughput_bps(self) -> float | None:
        """Bits of frames each second (L2, FCS included), over all streams; None if no load passed."""
        found = self._in(RateUnit.L2)
        return None if found is None else float(found)

    def below(self, unit: RateUnit) -> Fraction | None:
        """The load, in this unit, below which the throughput is, if no load passed and one is known."""
        return None if self.load is not None else self._device_failed(unit)

    def _device_failed(self, unit: RateUnit) -> Fraction | None:
        """The load that the device did not pass, in this unit."""
        if self.device_failed_load is None:
            return None
        return amount(self._full(self.device_failed_load)[-1], unit, lambda s: s.intended_rate)

    def verdict_above(self, bound: Rate) -> Verdict:
        """Whether the throughput is at least the bound: `95 %` of line rate, `1 Gbps` or `100 kpps`.

        FAIL only where the device failed at the bound or below it. INCONCLUSIVE where the bound lies between
        the load that passed and the lowest one that the device failed at, or where it failed at none because
        the tester or the highest load of the search was the limit.
        """
        value: Any = self._in(bound.unit)
        failed, doubt = self._device_failed(bound.unit), ""
        if value is not None and self.agreement:
            value, doubt = self._mean(value, bound)
        elif value is None or value < bound.value or self.repetitions:
            doubt = self._doubt(bound)
            if value is None and failed is not None:
                value = Below(failed)
        doubt = doubt or deaf(self.judged)
        verdict = assess(
            value,
            AT_LEAST,
            bound.value,
            subject=f"throughput of {self.title}",
            measured="; ".join((self._found(bound.unit) + self.search.lateness, *self._besides)),
            bound=f">= {bound}",
            doubt=doubt,
        )
        return replace(verdict, limit=self._limit)

    @property
    def _limit(self) -> str:
        """See Verdict."""
        limits = {each.limited_by for each in self.repetitions} or {self.limited_by}
        open_ = (LimitedBy.TESTER, LimitedBy.SEARCH)
        return next((limit.value for limit in open_ if limit in limits), "")

    @property
    def agreement(self) -> Agreement | None:
        """How far the repetitions agree, in parts of line rate; None if it was searched once.

        None also where one of them found no throughput: then there is no mean.
        """
        known = [(low, high) for low, high in (each.bounds for each in self.repetitions) if low is not None]
        return Agreement.of(known) if known and len(known) == len(self.repetitions) else None

    @property
    def variation(self) -> float | None:
        """The coefficient of variation of the repetitions; None if it was searched once."""
        return self.agreement.variation if self.agreement else None

    @property
    def interval(self) -> tuple[float, float | None] | None:
        """The interval of confidence (95 %) of their mean, in parts of line rate; None if searched once."""
        if (found := self.agreement) is None:
            return None
        return float(found.least), None if found.most is None else float(found.most)

    def _mean(self, middle: Fraction, bound: Rate) -> tuple[Any, str]:
        """The mean in the unit of the bound, and the reason why nothing can be concluded from it.

        `middle`: the result in that unit.
        """
        agreement = self.agreement
        assert agreement is not None
        assert self.load is not None
        each = middle / self.load  # of this unit, in line rate
        least = agreement.least * each
        if least >= bound.value:
            return least, ""
        if agreement.most is None:
            limited = self._unbounded
            said = limited[0].limited_by.value + (f": {limited[0].reason}" if limited[0].reason else "")
            return least, f"{len(limited)} of {len(self.repetitions)} repetitions were limited by the {said}"
        if agreement.most * each <= bound.value:
            return agreement.mean * each, ""
        return Between(least, agreement.most * each), (
            f"the bound lies in the interval of 95 % of the mean, {self._interval_text}; repeat it more "
            "often, or search with a finer resolution"
        )

    @property
    def _unbounded(self) -> list[Repetition]:
        return [each for each in self.repetitions if each.bounds[1] is None]

    @property
    def _interval_text(self) -> str:
        least, most = self.interval or (0.0, None)
        end = "?" if most is None else _percent(most)
        return f"{_percent(least)} to {end} of line rate"

    @property
    def _agreement_text(self) -> str:
        """Mean, interval and variation of the repetitions, as people read them; empty if searched once."""
        if self.agreement is None:
            none = sum(each.load is None for each in self.repetitions)
            return f"none in {none} of {len(self.repetitions)} repetitions" if none else ""
        return (
            f"mean of {len(self.repetitions)} repetitions {_percent(self.agreement.mean)} of line rate "
            f"(95 %: {self._interval_text}; coefficient of variation {_percent(self.agreement.variation)})"
        )

    @property
    def unstable(self) -> bool:
        """Whether the device loses frames whatever the load, so that it has no throughput to be found."""
        return self.limited_by is LimitedBy.UNSTABLE

    def _found(self, unit: RateUnit) -> str:
        found, failed = self._in(unit), self._device_failed(unit)
        below = "" if failed is None else f"below {Rate(failed, unit)}"
        if found is None:
            return below or "not known"
        besides = below if self.failed_above else ""
        return ", ".join(filter(None, (str(Rate(found, unit)), besides, self._agreement_text)))

    @property
    def _besides(self) -> tuple[str, ...]:
        """Remarks on the trial at the throughput, and on the one above it that did not pass."""
        failed = self._full(self.failed_load)[-1:] if self.failed_load is not None else []
        return tuple(dict.fromkeys(found for trial in (*self.judged, *failed) for found in trial.besides))

    def _doubt(self, bound: Rate) -> str:
        if self.unstable:
            return f"unstable: {self.reason}, which does not come from the load"
        found = sum(each.load is not None for each in self.repetitions)
        if 0 < found < len(self.repetitions):
            return f"{found} of {len(self.repetitions)} repetitions found a throughput, the others none"
        if self.failed_load is None:
            why = ", the highest of the calibrated tester" if self.search.calibrated else ""
            return (
                f"the device passed the highest load of the search, {self.search.highest} of line rate{why}"
            )
        failed = self._device_failed(bound.unit)
        if failed is not None and failed <= bound.value:
            return ""
        if self.limited_by is LimitedBy.TESTER:
            return f"limited by the tester at {Ratio(self.failed_load)} of line rate: {self.reason}"
        if self.load is None:
            return f"the device failed at {self.search.lowest} of line rate, and the search went no lower"
        return (
            f"the device passed at {Ratio(self.load)} and failed at {Ratio(self.failed_load)} of line rate, "
            f"and the bound of {bound} lies between them; search with a finer resolution"
        )

    def _in(self, unit: RateUnit) -> Fraction | None:
        """The throughput; None if no load passed."""
        for trial in self.judged:
            return amount(trial, unit, lambda s: s.intended_rate)
        return None

    def _full(self, load: Fraction) -> list[Trial]:
        return [t for t in self.trials if t.load == load and t.duration_ns == self.search.trial_duration.ns]

    def __str__(self) -> str:
        if self.unstable:
            return f"{self.title}: unstable: {self.reason}, {counted(len(self.trials), 'trial')}"
        units = (RateUnit.LINE, RateUnit.PPS, RateUnit.L2)
        below = [Rate(most, unit) for unit in units if (most := self.below(unit)) is not None]
        rates = below or [Rate(rate, unit) for unit in units if (rate := self._in(unit)) is not None]
        if not rates:
            found = "throughput not known"
        else:
            line, *others = map(str, rates)
            found = ", ".join((f"throughput {'below ' if below else ''}{line} of line rate", *others))
            lossy = [trial.loss_text for trial in self.judged if trial.lost]
            found += f", of which it {lossy[0]}" if lossy else ""
        found = ", ".join(filter(None, (found, self._agreement_text)))
        trials = counted(len(self.trials), "trial")
        text = f"{self.title}: {found}, limited by the {self.limited_by.value}, {trials}"
        text += self.search.lateness
        return f"{text} ({self.reason})" if self.reason else text


def find_throughput(
    measurer: Measurer,
    search: ThroughputSearch | None = None,
    *,
    repeat: int = 1,
    on_estimate: OnEstimate | None = None,
) -> ThroughputResult:
    """Searches the throughput, once or several times.

    Each repetition tries both of its bounds itself. It begins where the one before ended, so a device that
    always behaves alike costs two trials a repetition.

    A trial that stays invalid after the measurer's repetitions, for whichever reason, bounds the search from
    above as the tester's limit: nothing is concluded from it about the device, and lower loads, which ask
    less of the tester, can still be measured. That loses less than giving up and claims no more.

    Args:
        measurer: Runs the trials.
        search: What is searched; the RFC's search by default.
        repeat: How often.
        on_estimate: Told before each trial how many are left at most, and how long they send at most.

    Raises:
        PlanError: the search makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    search = search or ThroughputSearch()
    search.validate()
    if repeat < 1:
        raise PlanError(f"a search is repeated at least once; given was {repeat}")
    runner = _Runner(measurer, search, on_estimate or (lambda _trials, _time: None))
    aim = search.steps
    if search.stability.value:
        runner.check_stability()
    if search.scout_duration < search.trial_duration:
        scouts = runner.narrow(search.scout_duration, aim, _most_trials(search) + _SCOUTS_MORE)
        aim = max(0, scouts.passed, *runner.suspects)
    results = []
    for number in range(repeat):
        most = _most_trials(search) - (number == 0 and bool(search.stability.value))
        found = runner.narrow(search.trial_duration, aim, most, runner.suspects if number == 0 else ())
        results.append(_result(search, runner, found))
        if runner.unstable:
            return results[-1]
        aim = max(0, found.passed)
    return _middle(results) if repeat > 1 else results[0]


def _middle(results: Sequence[ThroughputResult]) -> ThroughputResult:
    """The result in the middle, with what the others found and the trials of all."""
    middle = sorted(results, key=lambda result: result.load or 0)[(len(results) - 1) // 2]
    each = tuple(Repetition(r.load, r.failed_load, r.limited_by, r.reason, r.failed_above) for r in results)
    return replace(middle, trials=results[-1].trials, repetitions=each)


def _most_trials(search: ThroughputSearch) -> int:
    """Trials of full length, with that of the stability check: log2(range / resolution) + 3."""
    return search.steps.bit_length() + 2


class _Runner:
    """Runs the trials of one search and keeps them."""

    def __init__(self, measurer: Measurer, search: ThroughputSearch, on_estimate: OnEstimate) -> None:
        self._measurer = measurer
        self._search = search
        self._on_estimate = on_estimate
        self.trials: list[Trial] = []
        self.suspected: Instability | None = None  # as scouts have it, which wait for no frame on its way
        self.unstable = ""  # the loss that does not come from the load, once it is seen

    def check_stability(self) -> None:
        """Tries a low load for the duration of scouts, twice if frames are lost there."""
        search = self._search
        duration = min(search.scout_duration, search.trial_duration)
        for trial in check_stability(self._measurer, search.low_load, duration, search.loss.value):
            self.trials.append(trial)

    @property
    def suspects(self) -> Sequence[int]:
        """The steps of the scouts by which loss does not come from the load, the higher one first."""
        pair = (self.suspected.high, self.suspected.low) if self.suspected else ()
        return [self._search.index(trial.load) for trial in pair if self._leads(trial)]

    def narrow(self, duration: Duration, aim: int, trials: int, first: Sequence[int] = ()) -> Narrowing:
        """Tries loads for a duration until one passes and the next one fails, or an end is reached.

        It begins with those steps of `first` of which nothing is known by then. It ends early where the loss
        turns out not to come from the load, scouts where they suspect it and at what the tester can send: its
        limit changes from trial to trial.
        """
        steps = self._search.steps
        known = Narrowing(-1, steps + 1, aim, trials)
        confirming = duration == self._search.trial_duration
        later = 0 if confirming else _most_trials(self._search)
        while known.unknown and not self.unstable:
            if not confirming and (self.suspected or self._at_limit_of_tester(known)):
                break
            time = known.most_trials * duration.ns + later * self._search.trial_duration.ns
            self._on_estimate(known.most_trials + later, Duration(time))
            first = [step for step in first if known.passed < step < known.failed]
            step = first[0] if first else known.next
            trial = self._measurer.measure(self._search.load(step), duration)
            self.trials.append(trial)
            passes = self._search.passes(trial)
            known.tried(step, trial, passes=passes, forwarded=self._forwarded(trial))
            if self._search.stability.value:
                self._look_for_instability(suspecting=not confirming)
        return known

    def _look_for_instability(self, *, suspecting: bool) -> None:
        """Whether loss does not come from the load, by trials that waited for frames on their way."""
        loss, waited = self._search.loss.value, [t for t in self.trials if not self._leads(t)]
        self.unstable = str(instability(waited, loss) or "")
        if suspecting:
            self.suspected = instability(self.trials, loss)

    def _leads(self, trial: Trial) -> bool:
        return self._search.leads(trial.load, Duration(trial.duration_ns))

    def _at_limit_of_tester(self, known: Narrowing) -> bool:
        """Whether as much has passed as the tester sent where it failed: its limit has no need of scouts."""
        failing = known.failing
        if failing is None or self._search.fails(failing):
            return False
        return known.passed >= self._forwarded(failing)

    def _forwarded(self, trial: Trial) -> int:
        """The step of the load that arrived: the best guess when more was offered than can pass.

        A tester that sent every frame, but took longer than it should, offered less by as much.
        """
        evidence = trial.evidence
        if not evidence.intended_packets:
            return self._search.steps
        in_time = min(Fraction(1), 1 + evidence.rate_error)
        return self._search.index(trial.load * in_time * _arrived(trial) / evidence.intended_packets)


def _arrived(trial: Trial) -> int:
    return sum(stream.order.first_arrivals for stream in trial.streams)


def _result(search: ThroughputSearch, runner: _Runner, found: Narrowing) -> ThroughputResult:
    failing = found.failing
    limit = LimitedBy.LINE if search.highest.value >= 1 else LimitedBy.SEARCH
    if runner.unstable:
        limit = LimitedBy.UNSTABLE
    elif failing:
        limit = LimitedBy.DEVICE if search.fails(failing) else LimitedBy.TESTER
    passing = None if runner.unstable else found.passing
    above = next((trial.load for trial in reversed(found.failures) if search.fails(trial)), None)
    return ThroughputResult(
        title=runner.trials[0].title,
        trials=tuple(runner.trials),
        search=search,
        load=passing.load if passing else None,
        failed_load=failing.load if failing else None,
        limited_by=limit,
        reason=runner.unstable or _reason(search, failing, passing),
        failed_above=above if limit is LimitedBy.TESTER else None,
    )


def _percent(part: float | Fraction) -> str:
    return f"{float(part) * 100:.4g} %"


def _reason(search: ThroughputSearch, failing: Trial | None, passing: Trial | None) -> str:
    """The limit of the throughput other than loss, or a doubt that a reader of it should know."""
    if failing and (doubt := doubt_of([failing]) or search.untold(failing)):
        return doubt
    limit = failing.not_sustained if failing and search.sustained else ""
    return limit or (passing.not_sustained if passing else "")
