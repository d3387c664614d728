# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials on a target, each judged and recorded, and repeated while the tester did not do its part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from .bench import Bench
from .errors import PlanError, TargetError
from .measurement.evidence import Evidence
from .measurement.trial import Trial
from .model.stream import Stream
from .model.units import Duration, Rate, RateUnit
from .run import Run
from .targets.base import Progress

_HOPELESS = Fraction(1, 10)  # a rate missed by more is the tester's limit, not an accident


class TrialMeasurer:
    """The `Measurer` of the procedures.

    A load is that of the busiest port; streams keep the proportions of their own rates. So two streams
    of equal rates on one port get half of it each, and on two ports all of either.
    """

    def __init__(
        self, bench: Bench, streams: Sequence[Stream], *, note: Callable[[Trial], None] = lambda _: None
    ) -> None:
        self._bench = bench
        self._note = note
        self.streams = tuple(streams)
        self.load = bench.busiest(streams)  # of the streams at their own rates
        if not self.load and not any(stream.as_captured for stream in streams):
            names = ", ".join(repr(stream.name) for stream in streams)
            raise PlanError(f"the rate of {names} is 0, so nothing would be sent; give a rate above 0")
        self._shares = [bench.part_of_line(stream) / (self.load or 1) for stream in streams]

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        """One trial, again while the tester did not do its part and there is hope that it will."""
        bench = self._bench
        rates = [Rate(load * share, RateUnit.LINE) for share in self._shares]
        streams = [stream.at(rate) for stream, rate in zip(self.streams, rates, strict=True)]
        bench.trials += 1

        def attempt(number: int) -> Trial:
            trial = bench.record(replace(self._once(streams, duration), load=load, attempt=number))
            self._note(trial)
            return trial

        return bench.rules.repeated(
            attempt, lambda trial: trial.valid or _is_hopeless(trial.evidence), bench.sleep
        )

    def _once(self, streams: Sequence[Stream], duration: Duration) -> Trial:
        bench = self._bench
        try:
            with Run(bench, f"trial-{bench.trials}", streams).loaded() as run:
                run.start(duration)
                late = max(duration.ns // 5, bench.rules.grace.ns)
                bench.target.wait(
                    [run.name],
                    timeout=Duration(duration.ns + late),
                    on_progress=lambda sent: self._show(run, sent),
                )
                return run.finish(duration)
        except TargetError as error:
            bench.recorder.event("trial_cut_short", number=bench.trials, reason=error.reason)
            raise

    def _show(self, run: Run, sent: Progress) -> None:
        run.report(sent)
        if sent.intended_packets:
            self._bench.progress.sending(sent.tx_packets / sent.intended_packets)


def _is_hopeless(evidence: Evidence) -> bool:
    return evidence.shortfall > _HOPELESS or abs(evidence.rate_error) > _HOPELESS
