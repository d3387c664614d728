# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials on a target, each judged and recorded, and repeated while the tester did not do its part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from ..errors import PlanError, TargetError
from ..measurement import remarks
from ..measurement.attempt import Attempt
from ..measurement.evidence import EvidenceLimits
from ..measurement.trial import Trial
from ..measurement.trial_numbers import Waits
from ..methodology.measurer import Interruption, Step, Stepped
from ..model.departures import Shape, TimePattern
from ..model.modifier import NO_MODIFIERS, Modifiers
from ..model.plan.law import Profile
from ..model.plan.plan import PlannedStream
from ..model.stream import Stream
from ..model.units.units import Duration, Rate, RateUnit, Ratio
from ..reporting.record.codec import decode
from ..reporting.record.finished_trials import Finished, fingerprint
from ..targets.base import SendingProgress
from .interruption import is_arriving, missing_in_a_row, until_steady
from .shot import Shot
from .tester import Tester
from .trial import StreamRun

_CONFIRMATIONS = 3  # attempts beyond those of the rules, where one is clean that repeats one that lost frames
_HOPELESS = Fraction(1, 10)  # a rate missed by more is the tester's limit, not an accident


@dataclass(frozen=True)
class Pauses:
    """For how long nothing is sent before and after a trial (RFC 2544 §23)."""

    learning: Duration = Duration(0)  # after the frames from which the device learns addresses (§23 b)
    # After each trial, in which the device restabilizes (§23 e); not after bursts.
    rest: Duration = Duration(0)
    rest_after_loss: Duration = Duration(0)  # after one that lost frames, if that is longer
    residual: Duration = Duration(0)  # for frames on their way (§23 d); not bursts, nor what leads to others


NO_PAUSES = Pauses()


class TrialMeasurer:
    """The `Measurer` of the procedures.

    A load is that of the busiest port; streams keep the proportions of their own rates. So two streams
    of equal rates on one port get half of it each, and on two ports all of either.
    """

    def __init__(
        self,
        tester: Tester,
        streams: Sequence[Stream],
        *,
        note: Callable[[Trial], None] = lambda _: None,
        pauses: Pauses = NO_PAUSES,
        modifiers: Modifiers = NO_MODIFIERS,
    ) -> None:
        """`modifiers`: conditions of the trials, whose frames have their part of each load."""
        self._tester, self._modifiers = tester, modifiers
        self._note = note
        self._pauses = pauses
        self.leads: Callable[[Fraction, Duration], bool] = lambda _load, _duration: False  # see measure
        self.limits: EvidenceLimits | None = None  # of the evidence, in place of the tester's
        self.listens = pauses.residual  # for copies and other late frames, where none is missing
        self.streams = tuple(streams)
        self.load = tester.busiest(streams)  # of the streams at their own rates
        if not self.load and not any(stream.as_captured for stream in streams):
            names = ", ".join(repr(stream.name) for stream in streams)
            raise PlanError(f"the rate of {names} is 0, so nothing would be sent; give a rate above 0")
        self._shares = [tester.part_of_line(stream) / (self.load or 1) for stream in streams]

    @property
    def line_pps(self) -> Fraction:
        """Frames each second of all streams together at the highest load."""
        ports = self._tester.ports
        rates = zip(self.streams, self._shares, strict=True)
        return sum(
            (share * ports[s.tx].speed.frames_per_second(s.frame_size.mean) for s, share in rates),
            Fraction(0),
        )

    def highest(self, asked: Ratio | None, lowest: Ratio) -> tuple[Ratio, bool]:
        """The highest load of a search, and whether it is that of the calibrated tester.

        It is what is asked; or else line rate, or what the tester sustains in whole 0.1 % of line rate.
        """
        sustained = self._tester.highest_load(self.streams)
        if asked or sustained is None or sustained == 1:
            return asked or Ratio(Fraction(1)), False
        return Ratio(max(Fraction(floor(sustained * 1000), 1000), lowest.value)), True

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        """See Measurer. Residual frames of a trial that only `leads` to others are not waited for."""
        streams, leads = self._at(load), self.leads(load, duration)
        asked = self._asked("load", streams, load, duration)
        rest = Duration(max(0, self._pauses.rest_after_loss.ns - self._pauses.rest.ns))
        return self._recorded(asked, load, lambda: self._once(streams, duration, leads), rest_after_loss=rest)

    def burst(self, frames: int, rest: Duration) -> Trial:
        """See BurstMeasurer. Streams of one port share its line as they share it otherwise."""
        self._modifiers.refuse_beside("a burst")
        rates = [Rate(share, RateUnit.LINE) for share in self._shares]
        streams = [
            replace(stream.at(rate), shaping=None) for stream, rate in zip(self.streams, rates, strict=True)
        ]

        def once() -> Trial:
            shot = self._shot(streams)
            slowest_ns = max(frames / planned.rate for planned in shot.plan.streams)
            shot.run.limits = shot.run.limits.of_burst(slowest_ns)
            shot.run.listens = Duration(0)
            return self._send(shot, packets=frames, within=Duration(ceil(slowest_ns)), rest=rest)

        asked = self._asked("burst", streams, frames, rest)
        return self._recorded(asked, Fraction(1), once, hopes=True)

    def refuse_steps(self, steps: Sequence[Step]) -> None:
        """Refuses steps of the load before anything is sent.

        Raises:
            PlanError: the tester cannot send any of them; it says why it cannot send the first one.
        """
        refused: list[PlanError] = []
        for step in steps:
            try:
                self._tester.try_out(self._stepping_all(step))
                return
            except PlanError as error:
                refused.append(error)
        if refused:
            raise refused[0]

    def step(self, step: Step) -> tuple[Trial, tuple[Stepped, ...]]:
        """See StepMeasurer."""
        self._modifiers.refuse_beside("a change of the load")
        tester, whole = self._tester, Duration(step.duration.ns + step.after_duration.ns)
        streams = self._stepping_all(step)
        stepped = tuple(map(_stepped, tester.check(streams).streams))

        def once() -> Trial:
            return self._send(self._shot(streams), duration=whole)

        return self._recorded(self._asked("step", streams, step), step.load, once), stepped

    def interrupted(
        self, load: Fraction, act: Callable[[], None], *, lead: Duration, steady: Duration, limit: Duration
    ) -> tuple[Trial, Interruption]:
        """See InterruptedMeasurer. It is not repeated: nobody resets a device again unasked."""
        tester, streams = self._tester, self._at(load)
        asked = self._asked("interruption", streams, load, lead, steady, limit)
        if taken := self._taken_over(asked):
            return taken.found, decode(Interruption, taken.record["interruption"])
        tester.evidence.next_trial()
        # A device that is reset takes its links down: that is no disturbance of the tester. Nor does it
        # matter whether frames leave too slowly: a silence counts where frames that have left are missing.
        whole = Fraction(1)
        limits = replace(
            tester.rules.limits, max_links_down=len(tester.ports), max_shortfall=whole, max_rate_error=whole
        )
        interruptions: list[Interruption] = []

        def interrupt(run: StreamRun) -> None:
            tester.clock.sleep(lead.seconds)
            before = tester.target.snapshot([run.name])
            act()
            is_steady = until_steady(tester, run, before.taken_at_ns, steady, limit)
            missing = max(map(missing_in_a_row, before.streams))
            interruptions.append(Interruption(missing, arriving=is_arriving(run, before), steady=is_steady))

        trial = self._send(self._shot(streams, limits), until=interrupt)
        (interruption,) = interruptions
        trial = replace(self._of_test(trial), load=load)
        trial = tester.evidence.record(trial, asked=asked, interruption=interruption)
        self._note(trial)
        return trial, interruption

    def _stepping_all(self, step: Step) -> list[Stream]:
        pairs = zip(self.streams, self._shares, strict=True)
        return [self._stepping(stream, share, step) for stream, share in pairs]

    def _stepping(self, stream: Stream, share: Fraction, step: Step) -> Stream:
        shaping = TimePattern(
            Shape.STEP,
            high=Rate(step.load * share, RateUnit.LINE),
            low=Rate(step.after * share, RateUnit.LINE),
            period=Duration(step.duration.ns + step.after_duration.ns),
            duty=Ratio(Fraction(step.duration.ns, step.duration.ns + step.after_duration.ns)),
        )
        return replace(stream, rate=shaping.average, shaping=shaping)

    def _at(self, load: Fraction) -> list[Stream]:
        """The streams of a trial, and those of its modifiers: together they are the load.

        PlanError for streams that ask for more than their port carries: they are not sent at another load.
        """
        asked = [load * share for share in self._shares]
        streams = self._alone(asked)
        self._tester.check_lines(streams)  # before modifiers: only their frames may make the streams slower
        if not self._modifiers.sends:
            return streams
        parts = [
            part * self._modifiers.part_of(stream) for stream, part in zip(self.streams, asked, strict=True)
        ]
        streams = self._with_modifiers(parts)
        beyond = self._tester.busiest(streams) - 1  # by the frames whose rate does not depend on the load
        return streams if beyond <= 0 else self._with_modifiers([part * (1 - beyond) for part in parts])

    def _alone(self, parts: Sequence[Fraction]) -> list[Stream]:
        """The streams at such parts of the line."""
        rates = [Rate(part, RateUnit.LINE) for part in parts]
        return [stream.at(rate) for stream, rate in zip(self.streams, rates, strict=True)]

    def _with_modifiers(self, parts: Sequence[Fraction]) -> list[Stream]:
        """The streams at such parts of the line, and those of the modifiers."""
        return [*self._alone(parts), *self._beside(parts)]

    def _beside(self, parts: Sequence[Fraction]) -> Iterator[Stream]:
        """The streams of the modifiers, from each port that sends such parts of its line."""
        ports = self._tester.ports
        frames: dict[str, Fraction] = {}  # each second
        for stream, part in zip(self.streams, parts, strict=True):
            most = ports[stream.tx].speed.frames_per_second(stream.frame_size.mean)
            frames[stream.tx] = frames.get(stream.tx, Fraction(0)) + part * most
        for name, each_second in frames.items():
            yield from self._modifiers.beside(ports[name], each_second)

    def _of_test(self, trial: Trial) -> Trial:
        """The trial without the streams of modifiers. The others say under which conditions they left."""
        if not self._modifiers.chosen:
            return trial
        known = {stream.name for stream in self.streams}
        return replace(
            trial,
            streams=tuple(
                replace(stream, law=f"{stream.law}, with {self._modifiers}")
                for stream in trial.streams
                if stream.name in known
            ),
        )

    def _asked(self, kind: str, streams: Sequence[Stream], *values: object) -> str:
        """A text that is the same for the same trial of the same tester."""
        conditions = (self._pauses, self._modifiers, self._tester.identity)
        return fingerprint(kind=kind, streams=streams, values=values, conditions=conditions)

    def _taken_over(self, asked: str) -> Finished[Trial] | None:
        """The trial as an interrupted attempt at the test has finished it; None if it has to be run."""
        found = self._tester.take_over(asked, Trial)
        if found is None:
            return None
        found = self._tester.evidence.taken_over(found)
        self._note(found.found)
        return found

    def _recorded(
        self,
        asked: str,
        load: Fraction,
        once: Callable[[], Trial],
        *,
        hopes: bool = False,
        rest_after_loss: Duration = Duration(0),
    ) -> Trial:
        """A trial, again while the tester did not do its part and there is hope that it will.

        After an invalid attempt that lost frames, more clean ones than that are needed. A trial that an
        interrupted attempt at the test has finished is taken over.

        `hopes`: also where its rate was missed by far, as an accident does to a trial of a millisecond.
        """
        if taken := self._taken_over(asked):
            return taken.found
        tester = self._tester
        tester.evidence.next_trial()
        earlier: list[Attempt] = []

        def attempt(number: int) -> Trial:
            trial = replace(self._of_test(once()), load=load, attempt=number, earlier=tuple(earlier))
            trial = tester.evidence.record(trial, asked=asked)
            earlier.append(Attempt.of(number, trial.lost, trial.evidence, trial.objections))
            self._note(trial)
            return trial

        def is_final(trial: Trial) -> bool:
            if trial.valid:
                return not remarks.unconfirmed(trial)
            beyond = trial.attempt >= tester.rules.attempts and not any(each.valid for each in earlier)
            return beyond or (not hopes and _is_hopeless(trial))

        trial = tester.rules.repeated(attempt, is_final, tester.clock, more=_CONFIRMATIONS)
        if trial.lost != 0:
            tester.clock.pause(rest_after_loss)
        return trial

    def _once(self, streams: Sequence[Stream], duration: Duration, leads: bool) -> Trial:
        shot = self._shot(streams, self.limits)
        if leads:
            shot.run.awaits_residual, shot.run.listens = False, Duration(0)
        return self._send(shot, duration=duration)

    def _shot(self, streams: Sequence[Stream], limits: EvidenceLimits | None = None) -> Shot:
        """Another attempt at the trial that is under way."""
        shot = Shot(self._tester, "trial", streams, number=self._tester.evidence.trials, limits=limits)
        shot.run.listens = self.listens
        return shot

    def _send(
        self,
        shot: Shot,
        *,
        packets: int | None = None,
        duration: Duration | None = None,
        until: Callable[[StreamRun], None] | None = None,
        within: Duration = Duration(0),
        rest: Duration | None = None,
    ) -> Trial:
        """A trial with its pauses; the record says if the tester broke in it.

        `within`: the time that the frames take, where it is no duration.
        """
        tester, pauses = self._tester, self._pauses
        rest = pauses.rest if rest is None else rest
        sending_ns = duration.ns if duration else within.ns
        timeout = Duration(sending_ns + max(sending_ns // 5, tester.rules.grace.ns))
        try:
            with shot.sent(
                packets=packets,
                duration=duration,
                until=until,
                timeout=timeout,
                learning=pauses.learning,
                on_progress=lambda progress: self._show(shot.run, progress),
            ) as run:
                trial = run.finish(duration)
                learning_ns = pauses.learning.ns if run.plan.learning else None
                trial = replace(trial, waits=Waits(learning_ns, run.listened_ns, rest.ns))
            tester.clock.pause(rest)
        except TargetError as error:
            tester.recorder.event("trial_cut_short", number=tester.evidence.trials, reason=error.reason)
            raise
        return trial

    def _show(self, run: StreamRun, sent: SendingProgress) -> None:
        run.report(sent)
        if sent.intended_packets:
            self._tester.progress.sending(sent.tx_packets / sent.intended_packets)


def _is_hopeless(trial: Trial) -> bool:
    """Whether the rate was missed by far, beyond what a worker missed that did not run at all for a time."""
    evidence = trial.evidence
    stopped = Fraction(evidence.worst_worker_gap_ns or 0, trial.duration_ns)
    return max(evidence.shortfall, abs(evidence.rate_error)) - stopped > _HOPELESS


def _stepped(planned: PlannedStream) -> Stepped:
    """How a stream with a step leaves, exactly as it is planned."""
    law = planned.departures.law
    assert isinstance(law, Profile)
    before, after = law.stretches[:2]
    return Stepped(planned.name, before.packets, Fraction(after.duration_ns, max(1, after.packets)))
