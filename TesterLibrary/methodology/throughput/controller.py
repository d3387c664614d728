# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Searches the throughput.

The search has two phases, an idea of MLRsearch (draft-ietf-bmwg-mlrsearch): short trials find where the
answer lies, then trials of full length confirm it, and move it where they disagree. Both begin with a guess
and leave it in doubling strides, so a right guess costs two trials; no phase takes more than three trials
more than halving does. The first guess is the highest load; the next one is what the device forwarded of it.
Loads are whole steps of the resolution below the highest, so that results are comparable and bounds such as
95 % are tried exactly. Before all that a trial at a low load shows whether the device loses there already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from ...errors import PlanError
from ...measurement import remarks
from ...measurement.trial import Trial
from ...model.units.units import Duration
from ..measurer import Measurer
from ..stability import Instability, changed, check_stability, instability
from ..verdicts.judging import doubt_of
from .narrowing import Narrowing
from .result import LimitedBy, ThroughputResult
from .search import ThroughputSearch

OnEstimate = Callable[[int, Duration], None]
_SCOUTS_MORE = 2  # trials that scouts may take beyond those of full length


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
    each = tuple(result.as_repetition for result in results)
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
        self._checks: list[Trial] = []  # those at the low load, before the search
        self.suspected: Instability | None = None  # as scouts have it, which wait for no frame on its way
        self.unstable = ""  # the loss that does not come from the load, once it is seen

    def check_stability(self) -> None:
        """Tries a low load for the duration of scouts, twice if frames are lost there."""
        search = self._search
        duration = min(search.scout_duration, search.trial_duration)
        for trial in check_stability(self._measurer, search.low_load, duration, search.loss.value):
            self.trials.append(trial)
            self._checks.append(trial)

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
        later = waited[len(self._checks) :]
        self.unstable = str(instability(waited, loss) or changed(self._checks, later, loss) or "")
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


def _reason(search: ThroughputSearch, failing: Trial | None, passing: Trial | None) -> str:
    """The limit of the throughput other than loss, or a doubt that a reader of it should know."""
    if failing and (doubt := doubt_of([failing]) or search.untold(failing)):
        return doubt
    limit = remarks.not_sustained(failing) if failing and search.sustained else ""
    return limit or (remarks.not_sustained(passing) if passing else "")
