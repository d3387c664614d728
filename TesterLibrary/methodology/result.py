# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a procedure, with the trials that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..errors import TesterLibraryError
from ..measurement import remarks
from ..measurement.delays.latency import Latency
from ..measurement.trial import Trial
from ..model.units.units import Duration, Rate, Ratio
from ..verdict import Verdict
from .verdicts.blind_delay import delay_below
from .verdicts.judging import latency_below, loss_below


def shorter(what: str, given: Duration, asked: Duration, source: str) -> tuple[str, ...]:
    """Text that names trials which are shorter than a source asks for; empty if they are not."""
    return (f"{what} of {given}: {source} asks for at least {asked}",) if given < asked else ()


def partly(what: str, part: Ratio | None, source: str) -> tuple[str, ...]:
    """Text that names a load below the throughput that a source asks for; empty if it is not below."""
    if part is None or part.value >= 1:
        return ()
    return (f"{what} at {part} of the throughput: {source} asks for all of it",)


@dataclass(frozen=True)
class Result:
    """Base of every procedure's result. Prints as one line; its fields are what the report records."""

    title: str  # streams and frame size: north, 64 bytes
    trials: tuple[Trial, ...]  # every one, in the order in which they ran

    @property
    def shortened(self) -> tuple[str, ...]:
        """Says where trials were shorter or fewer than the RFC asks; empty if none were, or no RFC asks."""
        return ()

    @property
    def traffic(self) -> str:
        """The law of departures and the number of flows of its streams; empty where no trial tells."""
        return remarks.traffic(self.trials[0]) if self.trials else ""

    @property
    def next_failure(self) -> str:
        """Why the next load or level of a search did not pass; empty where no trial tells."""
        return ""

    def caveats(self) -> Iterator[str]:
        """Limits of the result that its line leaves out: invalid trials, doubts, short trials."""
        invalid = [trial for trial in self.trials if not trial.valid]
        if self.next_failure:
            yield self.next_failure
        if invalid:
            reasons = "; ".join(_kinds(objection for trial in invalid for objection in trial.objections))
            yield f"{len(invalid)} of {len(self.trials)} trials are invalid: {reasons}"
        for doubt in _kinds(doubt for trial in self.trials for doubt in trial.delay_objections):
            yield f"its delays are in doubt: {doubt}"
        for doubt in _kinds(doubt for trial in self.trials for doubt in trial.order_objections):
            yield f"the order of its frames is in doubt: {doubt}"
        yield from _kinds(filter(None, map(remarks.misrouted, self.trials)))
        if self.traffic:
            yield self.traffic
        yield from self.shortened

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trials that the result's value rests on; those that only led to it are left out."""
        return self.trials

    def latest(self) -> tuple[Trial, ...]:
        """The last trial; all trials that were stopped together."""
        return self.judged[-1:]

    def merged_latency(self) -> Latency:
        """The latency of all frames."""
        return Latency.merged(trial.latency for trial in self.judged)

    def loss_below(
        self, bound: Ratio, *, at: Ratio | None = None, timeout: Duration | None = None
    ) -> Verdict:
        """Judges that no trial lost a greater part of its frames than the bound.

        Args:
            bound: The greatest loss.
            at: Judges trials up to this load only.
            timeout: Counts frames that arrived later than this as lost.

        Raises:
            PlanError: the result has no trials, so `at` and `timeout` do not apply to it.
        """
        return loss_below(self.judged, bound, timeout, at=at)

    def latency_below(self, bound: Duration, percentile: float) -> Verdict:
        """Judges that a percentile of the latency over all frames is at most the bound; 100: the maximum."""
        return latency_below(self.judged, bound, percentile)

    def delay_below(self, bound: Duration) -> Verdict:
        """Judges that the mean delay, measured blind, is at most the bound."""
        return delay_below(self.judged, bound)

    def frame_throughput_above(self, bound: Rate) -> Verdict:
        """Judges that the throughput is at least the bound. TesterLibraryError if none was measured."""
        del bound
        raise TesterLibraryError(
            f"no throughput was measured; give a trial or a result of Find Throughput, not {self}"
        )


def _kinds(texts: Iterable[str]) -> list[str]:
    return [text for text, _ in remarks.by_kind(texts)]


def trials_of(measured: Trial | Result) -> tuple[Trial, ...]:
    """The trials to judge: the trial itself, or those that the result's value rests on."""
    return (measured,) if isinstance(measured, Trial) else measured.judged
