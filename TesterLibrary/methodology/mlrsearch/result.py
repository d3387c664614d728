# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a search with several goals (RFC 9971 §4.8). Everything in it follows from its trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ...errors import TesterLibraryError
from ...measurement import remarks
from ...measurement.trial import Trial
from ...model.units.units import Duration, Rate, RateUnit, Ratio
from ...verdict import AT_LEAST, Below, Verdict, assess
from ..result import Result
from ..stability import changed, instability
from ..verdicts.judging import amount, doubt_of, unmeasured
from .goal import SearchGoal
from .load_class import LoadClass, LoadStats, classify, conditional_loss
from .search import MultipleLossRatioSearch


class Irregular(Enum):
    """Why a goal has no regular result (RFC 9971 §4.8.4)."""

    HIGHEST = "highest"  # the highest load of the search is a lower bound
    LOWEST = "lowest"  # the lowest load of the search is an upper bound
    UNSTABLE = "unstable"  # no load meets the goal, and the loss does not come from the load
    DOUBT = "doubt"  # a load had to be tried, and its trial says nothing of the device: the tester failed


@dataclass(frozen=True)
class GoalResult:
    """The result for one goal. Loads are parts of line rate."""

    goal: SearchGoal
    lower: Fraction | None  # relevant lower bound; the effective one where there is no upper bound
    upper: Fraction | None  # relevant upper bound
    loss: Fraction | None  # the loss ratio at the lower bound, of which the conditional throughput follows
    irregular: Irregular | None  # None: it is regular
    reason: str = ""  # of DOUBT: at which load, and what the tester did not do; of UNSTABLE: what was lost

    @property
    def conditional_throughput(self) -> Fraction | None:
        """Lower bound less its loss (RFC 9971 §4.8.3), part of line rate; None if there is no lower bound."""
        return None if self.lower is None or self.loss is None else self.lower * (1 - self.loss)

    @property
    def below(self) -> Fraction | None:
        """The lowest load of the search, part of line rate, if it is an upper bound; else None."""
        return self.upper if self.irregular is Irregular.LOWEST else None

    @property
    def offered(self) -> Rate:
        """The relevant lower bound, exactly, as what `rate=` of other keywords takes."""
        if self.lower is None:
            raise TesterLibraryError(f"no load meets the goal {self.goal.name}, so there is none to offer")
        return Rate(self.lower, RateUnit.LINE)

    @property
    def regular(self) -> bool:
        """Whether both bounds exist and are no further apart than the goal's width."""
        return self.irregular is None

    def irregularity(self, search: MultipleLossRatioSearch) -> str:
        """Why it is irregular, as people read it; empty if it is regular."""
        if self.irregular is None:
            return ""
        if self.irregular is Irregular.DOUBT:
            return self.reason
        if self.irregular is Irregular.UNSTABLE:
            return f"unstable: {self.reason}; loss by too high a load grows faster"
        if self.irregular is Irregular.HIGHEST:
            return f"the highest load of the search, {search.highest} of line rate, is a lower bound"
        lowest = Ratio(search.load(search.bottom))
        return f"the lowest load of the search, {lowest} of line rate, is an upper bound"

    def __str__(self) -> str:
        if self.below is not None:
            return f"{self.goal.name} below {Ratio(self.below)} of line rate"
        if self.lower is None or self.conditional_throughput is None:
            return f"{self.goal.name} not known"
        text = f"{self.goal.name} {Ratio(self.conditional_throughput)} of line rate"
        bounds = f"{Ratio(self.lower)} to " + ("?" if self.upper is None else str(Ratio(self.upper)))
        return f"{text} (bounds {bounds})"


@dataclass(frozen=True)
class MultipleLossRatioResult(Result):
    """The results of all goals of one search, in the order in which the goals were given."""

    search: MultipleLossRatioSearch
    found: tuple[GoalResult, ...]

    @classmethod
    def derived(cls, search: MultipleLossRatioSearch, trials: Sequence[Trial]) -> MultipleLossRatioResult:
        """The result that follows from the trials of a search, such as those of its records."""
        found = tuple(_goal_result(goal, search, trials) for goal in search.goals)
        return cls(title=trials[0].title, trials=tuple(trials), search=search, found=found)

    def goal(self, name: str) -> GoalResult:
        """The result of a goal. TesterLibraryError names the goals that there are."""
        for each in self.found:
            if each.goal.name == name:
                return each
        names = ", ".join(each.goal.name for each in self.found)
        raise TesterLibraryError(f"the search had no goal {name!r}; it had {names}")

    def rate(self, name: str) -> float | None:
        """The conditional throughput of a goal in frames each second, over all streams; None if unknown."""
        found = self._in(self.goal(name), RateUnit.PPS)
        return None if found is None else float(found)

    def throughput_bps(self, name: str) -> float | None:
        """The same in bits of frames each second (L2, FCS included)."""
        found = self._in(self.goal(name), RateUnit.L2)
        return None if found is None else float(found)

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trials at the relevant lower bounds that are as long as the final ones."""
        at = {(each.lower, each.goal.final_duration.ns) for each in self.found}
        usable = (trial for trial in self.trials if not doubt_at(trial, self.search.goals))
        return tuple(t for t in usable if any(t.load == load and t.duration_ns >= ns for load, ns in at))

    @property
    def sending(self) -> Duration:
        """How long all trials sent together."""
        return Duration(sum(trial.duration_ns for trial in self.trials))

    def verdict_above(self, name: str, bound: Rate) -> Verdict:
        """Whether the conditional throughput of a goal is at least the bound.

        FAIL only where the result is regular and the device misses the goal at the bound or below it. An
        irregular result may reach the bound; otherwise it is INCONCLUSIVE, and so is a bound between the
        conditional throughput and the relevant upper bound.
        """
        found = self.goal(name)
        value = self._in(found, bound.unit)
        below = None if found.below is None else self._at(found.below, bound.unit)
        irregularity = found.irregularity(self.search)
        doubt = ""
        if value is None or value < bound.value:
            doubt = f"irregular result: {irregularity}" if irregularity else self._between(found, bound)
        note = f"; irregular result: {irregularity}" if irregularity and not doubt else ""
        measured = "not known" if value is None else f"{Rate(value, bound.unit)}{note}"
        return assess(
            value if below is None else Below(below),
            AT_LEAST,
            bound.value,
            subject=f"{name} of {self.title}",
            measured=measured if below is None else f"below {Rate(below, bound.unit)}",
            bound=f">= {bound}",
            doubt=doubt,
        )

    def _between(self, found: GoalResult, bound: Rate) -> str:
        """Why a bound above the conditional throughput is not missed for certain; empty if it is."""
        if found.upper is None or found.lower is None:
            return "the search has not found the bounds of its goal; give it more trials"
        upper = self._at(found.upper, bound.unit)
        if upper <= bound.value:
            return ""
        left, asked = self._in(found, bound.unit), self._at(found.lower, bound.unit) * (1 - (found.loss or 0))
        if left is not None and left < bound.value <= asked:
            return f"limited by the tester: of {Rate(asked, bound.unit)} only {Rate(left, bound.unit)} left"
        return (
            f"its bounds are {Ratio(found.lower)} and {Ratio(found.upper)} of line rate, with a loss of "
            f"{Ratio(found.loss or Fraction(0))} at the lower one, and the bound lies between; search with a "
            "smaller width"
        )

    def _in(self, found: GoalResult, unit: RateUnit) -> Fraction | None:
        """Its conditional throughput; None if it has no lower bound."""
        if found.lower is None or found.loss is None:
            return None
        at_lower = [trial for trial in self.judged if trial.load == found.lower]
        left = min(amount(trial, unit, lambda stream: stream.left_rate) for trial in at_lower)
        return left * (1 - found.loss)

    def _at(self, load: Fraction, unit: RateUnit) -> Fraction:
        """A load as it was asked of the tester."""
        trial = next(trial for trial in self.trials if trial.load == load)
        return amount(trial, unit, lambda stream: stream.intended_rate)

    def __str__(self) -> str:
        parts = []
        for each in self.found:
            why = each.irregularity(self.search)
            found = self._in(each, RateUnit.PPS)
            rate = "" if found is None else f", {Rate(found, RateUnit.PPS)}"
            parts.append(f"{each}{rate}" + (f", IRREGULAR: {why}" if why else ""))
        return f"{self.title}: {'; '.join(parts)}; {len(self.trials)} trials that sent for {self.sending}"


def doubt_at(trial: Trial, goals: Sequence[SearchGoal]) -> str:
    """Why a trial says nothing of the device for these goals; empty if it does."""
    if doubt := doubt_of([trial]):
        return doubt
    if any(trial.loses_at_most(goal.loss.value) is None for goal in goals):
        return unmeasured([trial]) or remarks.loss_open(trial)
    return ""


def unstable_for(goal: SearchGoal, trials: Sequence[Trial]) -> str:
    """The loss that does not come from the load, with the two trials that show it; empty if there is none.

    A load failed, and later it or a higher one met the goal; or no load meets it, and the loss does not grow
    with the load. A goal may let some trials of a load lose more than its loss ratio: two have to then.
    """
    telling = [trial for trial in trials if not doubt_at(trial, (goal,))]
    by_load: dict[Fraction, list[Trial]] = {}
    for trial in telling:
        by_load.setdefault(trial.load, []).append(trial)
    classes = {load: classify(goal, at_load) for load, at_load in by_load.items()}
    met = [trial for trial in telling if classes[trial.load] is LoadClass.LOWER_BOUND]
    allowed = goal.loss.value
    contrary = changed(telling, met, allowed, least=2)
    if not contrary and goal.exceed.value == 0:
        contrary = changed(telling, telling, allowed)
    elif not contrary and telling and classes[telling[0].load] is LoadClass.UPPER_BOUND:
        contrary = changed(telling[:1], telling, allowed)  # the trial before the search
    if not contrary and not met:
        contrary = instability(telling, allowed, least=2)
    return str(contrary or "")


def relevant_bounds(classes: Mapping[Fraction, LoadClass]) -> tuple[Fraction | None, Fraction | None]:
    """The relevant lower and upper bound (RFC 9971 §4.8.1, §4.8.2) among the loads that were tried.

    Without an upper bound the first is the highest load that is a lower bound.
    """
    upper = min((load for load, what in classes.items() if what is LoadClass.UPPER_BOUND), default=None)
    lower = max(
        (
            load
            for load, what in classes.items()
            if what is LoadClass.LOWER_BOUND and (upper is None or load < upper)
        ),
        default=None,
    )
    return lower, upper


def _by_load(
    search: MultipleLossRatioSearch, trials: Sequence[Trial]
) -> tuple[dict[Fraction, list[Trial]], str]:
    """The trials that tell something about the device by load, and why the last other one does not."""
    by_load: dict[Fraction, list[Trial]] = {}
    reason = ""
    for trial in trials:
        if doubt := doubt_at(trial, search.goals):
            limit = "nothing is known of the device" if trial.valid else "limited by the tester"
            reason = f"{limit} at {Ratio(trial.load)} of line rate: {doubt}"
        else:
            by_load.setdefault(trial.load, []).append(trial)
    return by_load, reason


def _irregular(
    goal: SearchGoal, search: MultipleLossRatioSearch, lower: Fraction | None, upper: Fraction | None
) -> Irregular | None:
    """How the bounds of a stable device fall short of a regular result; None if they do not."""
    if lower is not None and upper is not None and upper - lower <= goal.width.value * upper:
        return None
    if upper is None and lower == search.load(search.top):
        return Irregular.HIGHEST
    if lower is None and upper == search.load(search.bottom):
        return Irregular.LOWEST
    return Irregular.DOUBT


def _goal_result(goal: SearchGoal, search: MultipleLossRatioSearch, trials: Sequence[Trial]) -> GoalResult:
    by_load, reason = _by_load(search, trials)
    stats = {load: LoadStats.of(goal, at_load) for load, at_load in by_load.items()}
    lower, upper = relevant_bounds({load: each.classify(goal) for load, each in stats.items()})
    left_open = min((load for load, each in stats.items() if each.is_open(goal)), default=None)
    if left_open is not None:
        repeated = next(filter(None, (remarks.repeated_for(t, goal.loss.value) for t in by_load[left_open])))
        reason = f"nothing is known of the device at {Ratio(left_open)} of line rate: {repeated}"
    irregular = _irregular(goal, search, lower, upper)
    if unstable := unstable_for(goal, trials) if search.stability.value else "":
        irregular, reason = Irregular.UNSTABLE, unstable
    return GoalResult(
        goal,
        lower,
        upper,
        conditional_loss(goal, by_load[lower]) if lower is not None else None,
        irregular,
        reason if irregular in (Irregular.DOUBT, Irregular.UNSTABLE) else "",
    )
