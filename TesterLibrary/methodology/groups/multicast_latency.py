# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Multicast latency (RFC 3918 §5.1, §5.2, §8.1): of each member, and the least and greatest of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...errors import PlanError
from ...measurement.delays.latency import Latency
from ...measurement.trial import Trial
from ...model.units.units import Duration, duration_text
from ...verdict import Verdict
from ..result import Result, shorter
from ..verdicts.judging import latency_below, lost_text
from .burden import burden_doubt, burden_text

_RFC_TRIAL = Duration(120 * 10**9)  # RFC 2544 §26.2, to which RFC 3918 §5.1 refers


@dataclass(frozen=True)
class MulticastLatencyResult(Result):
    """A trial for each member, at which every frame was timed; `Verify Latency Below` judges all of them."""

    members: tuple[str, ...]  # in the order of the trials
    duration: Duration
    burden: tuple[Trial, ...] = ()  # of what was sent beside each of the trials

    def verdict_below(self, bound: Duration, *, percentile: float = 99) -> Verdict:
        """Whether a percentile over the frames at all members is at most the bound."""
        beside, doubt = burden_text(self.burden), burden_doubt(self.burden)
        return latency_below(self.trials, bound, percentile, beside=beside, doubt=doubt)

    def latency_below(self, bound: Duration, percentile: float) -> Verdict:
        """See Result."""
        return self.verdict_below(bound, percentile=percentile)

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        return shorter("trials", self.duration, _RFC_TRIAL, "RFC 2544 §26.2")

    @property
    def latency(self) -> Latency:
        """Latency of all frames at all members; its min and max are those of RFC 3918 §5.2."""
        return Latency.merged(trial.latency for trial in self.trials if trial.valid)

    @property
    def latencies(self) -> dict[str, Latency]:
        """Latency by member; none of a member in whose trial the tester fell short."""
        each = zip(self.members, self.trials, strict=True)
        return {member: trial.latency for member, trial in each if trial.valid}

    def __str__(self) -> str:
        means = {member: latency.mean for member, latency in self.latencies.items()}
        texts = [f"{name} {'-' if v is None else duration_text(v)}" for name, v in means.items()]
        lost = "" if all(trial.lost == 0 for trial in self.trials) else f", {lost_text(self.trials)}"
        title = f"{self.title}{burden_text(self.burden)}"
        return f"{title}: mean latency by member: {', '.join(texts) or 'not known'}{lost}"


def measure_multicast_latency(
    measure: Callable[[str], Trial], title: str, members: Sequence[str], duration: Duration
) -> MulticastLatencyResult:
    """One trial for each member, at which `measure` times the frames.

    Raises:
        PlanError: the duration is not above 0.
        TargetError: the tester is broken, gone or late.
    """
    if duration.ns <= 0:
        raise PlanError(f"a duration of {duration} is too short; it must be above 0")
    trials = tuple(measure(member) for member in members)
    return MulticastLatencyResult(title, trials, tuple(members), duration)
