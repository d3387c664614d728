# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The controller of MLRsearch (RFC 9971 §4.9.2): which load is tried next, and for how long.

The RFC leaves that to implementations. Here each goal is led to by two coarser ones with shorter trials, and
all goals reach one stage before any begins the next. The first stage begins at the highest load and goes on
at what the device forwarded of it; the others begin at the bounds of the one before. From there each moves
away in doubling strides until it has both bounds, and halves the distance. Every trial counts for all goals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from math import isqrt

from ...measurement.trial import Trial
from ...model.units.units import Duration
from ..measurer import Measurer
from ..stability import check_stability
from .goal import SearchGoal
from .load_class import LoadClass, LoadStats
from .result import MultipleLossRatioResult, doubt_at, relevant_bounds, unstable_for
from .search import MultipleLossRatioSearch

_FEW = 4  # widths that are halved at once
_GUESSES = 3  # loads of a stage of a goal that follow from what the device forwarded


def find_goals(
    measurer: Measurer, search: MultipleLossRatioSearch, *, line_pps: Fraction | None = None
) -> MultipleLossRatioResult:
    """Searches the bounds of all goals.

    The order of the goals changes nothing but the order of their results. A trial that says nothing of the
    device, after the measurer's repetitions, ends the search upwards at its load: the results that needed it
    are irregular.

    Args:
        measurer: Runs the trials.
        search: What is searched.
        line_pps: Frames each second of all streams at line rate; widths are held against it.

    Raises:
        PlanError: the search makes no sense. Nothing was sent.
        TargetError: the tester is broken, gone or late.
    """
    search.validate(line_pps)
    controller = _Controller(measurer, search)
    controller.run()
    return MultipleLossRatioResult.derived(search, controller.trials)


class _Controller:
    """Runs the trials of one search and keeps them, by the numbers of their loads."""

    def __init__(self, measurer: Measurer, search: MultipleLossRatioSearch) -> None:
        self._measurer = measurer
        self.search = search
        self.trials: list[Trial] = []
        self._telling: dict[Fraction, list[Trial]] = {}  # those that say something of the device
        self._stats: dict[SearchGoal, dict[Fraction, LoadStats]] = {}  # of these, for the goals of this stage
        self.ceiling = search.top + 1  # the tester does not get that far

    def run(self) -> None:
        """Takes all goals through their stages."""
        if self.search.stability.value:
            self._check_stability()
        goals = sorted(self.search.goals, key=_rank)
        stages = [(*goal.preceding(), goal) for goal in goals]
        begins = [[self.search.top] for _ in goals]
        for targets in _aligned(stages):
            foci = [
                _Focus(self, target, begin) if target else None
                for target, begin in zip(targets, begins, strict=True)
            ]
            active = [focus for focus in foci if focus and not self._is_unstable(focus.goal)]
            self._stats = {
                focus.goal: {load: LoadStats.of(focus.goal, trials) for load, trials in self._telling.items()}
                for focus in active
            }
            while wanted := next(((f.goal, load) for f in active if (load := f.choose()) is not None), None):
                goal, number = wanted
                self._measure(number, goal.final_duration)
                active = [focus for focus in active if not self._is_unstable(focus.goal)]
            for place, focus in enumerate(foci):
                if focus and focus.goal in self._stats:
                    begins[place] = [number for number in focus.bounds() if number is not None]

    def _check_stability(self) -> None:
        """Tries a low load, twice if frames are lost there, for as long as the shortest trials."""
        goals = self.search.goals
        shortest = min(goal.initial_duration for goal in goals)
        strictest = min(goal.loss.value for goal in goals)
        load = self.search.load(self.search.low)
        for trial in check_stability(self._measurer, load, shortest, strictest):
            self._note(self.search.low, trial)
        if trial.loses_at_most(strictest) is not False:
            return
        self._measure(self.search.top, shortest)
        if not any(self._is_unstable(goal) for goal in goals):
            at_most = self.forwarded(self.trials[-1], Fraction(0))
            self._measure(min(max(at_most or 0, self.search.bottom), self.search.top), shortest)

    def forwarded(self, trial: Trial, loss: Fraction) -> int | None:
        """The number of the load at which a loss would be met if the device always forwarded what it did.

        None where nothing was due. A tester that sent every frame, but took longer than it should, offered
        less by as much.
        """
        if not trial.evidence.intended_packets:
            return None
        in_time = min(Fraction(1), 1 + trial.evidence.rate_error)
        arrived = sum(stream.order.first_arrivals for stream in trial.streams)
        part = in_time * arrived / trial.evidence.intended_packets / (1 - loss)
        return self.search.number(trial.load * part)

    def _is_unstable(self, goal: SearchGoal) -> bool:
        """Whether the trials show that no load meets a goal."""
        return bool(self.search.stability.value and unstable_for(goal, self.trials))

    def _measure(self, number: int, duration: Duration) -> None:
        self._note(number, self._measurer.measure(self.search.load(number), duration))

    def _note(self, number: int, trial: Trial) -> None:
        self.trials.append(trial)
        if doubt_at(trial, self.search.goals):
            self.ceiling = min(self.ceiling, number)
        else:
            self._telling.setdefault(trial.load, []).append(trial)
            for goal, stats in self._stats.items():
                stats[trial.load] = stats.get(trial.load, LoadStats()).plus(goal, trial)

    def classes(self, goal: SearchGoal) -> Mapping[Fraction, LoadClass]:
        """The class of each load that was tried, for a goal."""
        return {load: stats.classify(goal) for load, stats in self._stats[goal].items()}

    def end(self, goal: SearchGoal) -> int:
        """The number of the load from which on trials tell no more for a goal."""
        left_open = [load for load, stats in self._stats[goal].items() if stats.is_open(goal)]
        return min([self.ceiling, *map(self.search.number, left_open)])

    def last_at(self, number: int) -> Trial | None:
        """The last trial at a load, whether it tells something or not."""
        load = self.search.load(number)
        return next((trial for trial in reversed(self.trials) if trial.load == load), None)


def _rank(goal: SearchGoal) -> tuple[object, ...]:
    """The order in which goals are served, whatever the order in which they were given."""
    return (
        goal.loss,
        goal.exceed,
        goal.duration_sum,
        goal.initial_duration,
        goal.width,
        goal.name,
    )


def _aligned(stages: Sequence[Sequence[SearchGoal]]) -> list[tuple[SearchGoal | None, ...]]:
    """The goals of each stage; a goal with fewer stages joins later, so that all end together."""
    return list(zip_longest(*(reversed(each) for each in stages)))[::-1]


class _Focus:
    """One goal in one stage: the load that it wants to be tried next."""

    def __init__(self, controller: _Controller, goal: SearchGoal, begin: Sequence[int]) -> None:
        self._controller = controller
        self._search = controller.search
        self.goal = goal
        self._begin = list(begin)
        self._guesses = _GUESSES
        self._under_way: int | None = None
        self._up = self._down = 1  # strides in widths, doubled at each use

    def bounds(self) -> tuple[int | None, int | None]:
        """The numbers of the relevant bounds that are known."""
        lower, upper = relevant_bounds(self._controller.classes(self.goal))
        number = self._search.number
        return (None if lower is None else number(lower)), (None if upper is None else number(upper))

    def choose(self) -> int | None:
        """The number of the load to be tried; None if the goal needs no more trials in this stage.

        Whatever is chosen is undecided: it is above the greatest lower bound and below the least upper one.
        """
        lower, upper = self.bounds()
        end = self._controller.end(self.goal)
        end = end if upper is None else min(upper, end)
        first = self._search.bottom if lower is None else lower + 1
        if first >= end or (lower is not None and end <= self._search.top and self._is_narrow(lower, end)):
            return None
        if self._under_way is None or not first <= self._under_way < end:
            self._under_way = min(max(self._new(lower, end), first), end - 1)
        return self._under_way

    def _new(self, lower: int | None, end: int) -> int:
        """Another load above `lower` and below `end`, or just beyond."""
        first = self._search.bottom if lower is None else lower + 1
        begin = next((number for number in self._begin if first <= number < end), None)
        if begin is not None:
            return begin
        if (guess := self._guess(lower, end)) is not None:
            return guess
        if end > self._search.top:  # no load has failed
            return self._climbed(first if lower is None else lower)
        if lower is None:
            return self._descended(end)
        middle = isqrt(lower * end)
        if self._under_way == lower and self._down == 1:  # who turned has left the truth between two strides
            return min(self._climbed(lower), middle)
        return max(self._descended(end), middle) if self._under_way == end and self._up == 1 else middle

    def _guess(self, lower: int | None, end: int) -> int | None:
        """The load that the device forwarded at the end, if it is of use: not near the end, nor far below."""
        guess = self._forwarded(end) if self._guesses else None
        if guess is not None and lower is not None:
            if not self._is_narrow(guess, lower) or end <= self._above(lower, _FEW):
                return None
            guess = max(guess, self._above(lower, 1))
        if guess is None or self._is_narrow(guess, end):
            return None
        self._guesses -= 1
        return guess

    def _is_narrow(self, lower: int, upper: int) -> bool:
        return upper - lower <= self.goal.width.value * upper

    def _above(self, number: int, widths: int) -> int:
        """A load so many widths above this one, and one at least."""
        width = self.goal.width.value
        return number + max(1, int(number * widths * width / (1 - width)))

    def _climbed(self, number: int) -> int:
        """A load above, twice as many widths away as at the use before."""
        found = self._above(number, self._up)
        self._up *= 2
        return found

    def _descended(self, number: int) -> int:
        """The same below."""
        stride = int(number * self._down * self.goal.width.value)
        self._down *= 2
        return number - max(1, stride)

    def _forwarded(self, end: int) -> int | None:
        trial = self._controller.last_at(end)
        return None if trial is None else self._controller.forwarded(trial, self.goal.loss.value)
