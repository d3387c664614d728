# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials on a target, each judged and recorded, and repeated while the tester did not do its part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from ..errors import PlanError, TargetError
from ..measurement.evidence import Evidence
from ..measurement.trial import Trial
from ..model.stream import Stream
from ..model.units import Duration, Rate, RateUnit
from ..targets.base import SendingProgress
from .tester import Tester
from .trial import StreamRun

_HOPELESS = Fraction(1, 10)  # a rate missed by more is the tester's limit, not an accident


class TrialMeasurer:
    """The `Measurer` of the procedures.

    A load is that of the busiest port; streams keep the proportions of their own rates. So two streams
    of equal rates on one port get half of it each, and on two ports all of either.
    """

    def __init__(
        self, tester: Tester, streams: Sequence[Stream], *, note: Callable[[Trial], None] = lambda _: None
    ) -> None:
        self._tester = tester
        self._note = note
        self.streams = tuple(streams)
        self.load = tester.busiest(streams)  # of the streams at their own rates
        if not self.load and not any(stream.as_captured for stream in streams):
            names = ", ".join(repr(stream.name) for stream in streams)
            raise PlanError(f"the rate of {names} is 0, so nothing would be sent; give a rate above 0")
        self._shares = [tester.part_of_line(stream) / (self.load or 1) for stream in streams]

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        """One trial, again while the tester did not do its part and there is hope that it will."""
        tester = self._tester
        rates = [Rate(load * share, RateUnit.LINE) for share in self._shares]
        streams = [stream.at(rate) for stream, rate in zip(self.streams, rates, strict=True)]
        tester.trials += 1

        def attempt(number: int) -> Trial:
            trial = tester.record(replace(self._once(streams, duration), load=load, attempt=number))
            self._note(trial)
            return trial

        return tester.rules.repeated(
            attempt, lambda trial: trial.valid or _is_hopeless(trial.evidence), tester.sleep
        )

    def _once(self, streams: Sequence[Stream], duration: Duration) -> Trial:
        tester = self._tester
        try:
            with StreamRun(tester, f"trial-{tester.trials}", streams).loaded() as run:
                run.start(duration)
                late = max(duration.ns // 5, tester.rules.grace.ns)
                tester.target.wait(
                    [run.name],
                    timeout=Duration(duration.ns + late),
                    on_progress=lambda sent: self._show(run, sent),
                )
                return run.finish(duration)
        except TargetError as error:
            tester.recorder.event("trial_cut_short", number=tester.trials, reason=error.reason)
            raise

    def _show(self, run: StreamRun, sent: SendingProgress) -> None:
        run.report(sent)
        if sent.intended_packets:
            self._tester.progress.sending(sent.tx_packets / sent.intended_packets)


def _is_hopeless(evidence: Evidence) -> bool:
    return evidence.shortfall > _HOPELESS or abs(evidence.rate_error) > _HOPELESS
