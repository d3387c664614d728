# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Why frames are lost: experiments part the conditions, and what they name is confirmed or not named.

1. The traffic is sent once more, and then some kinds of its frames at a low load.
2. A kind that is lost is changed one thing at a time: changes after which it passes decide (`content.py`).
   What is lost besides depends on time: first frames, a rate, each n-th, bursts (`conditions/`).
3. All causes together have to predict random traffic, the loss of the whole traffic, and the smallest traffic
   that fails, three times each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ...errors import require
from ...model.units.units import Duration
from .conditions import Occurrence, Symptoms, investigations
from .content import ContentCause, ContentSearch
from .experiment import Experiment, ExperimentMeasurer, Repetition
from .laboratory import DiagnosisEnd, Laboratory, sample
from .result import ConfirmedCause, DiagnosisResult
from .sequential_test import SequentialTest
from .traffic import FrameKind

_TIMES = 3  # confirmations
_MOST_CAUSES = 2
_EXEMPLARS = 3  # kinds from which one cause is searched before it is given up
_MOST_SAMPLED = 1024  # kinds of the traffic that are asked until one of them is lost
_SYMPTOM_FRAMES = 4000
_CONTRAST = 20  # frames without the condition
_COMMON_LOSS = Fraction(95, 100)


@dataclass(frozen=True)
class Diagnosis:
    """The limits of a diagnosis."""

    budget: Duration = Duration(60 * 10**9)
    seed: int = 1
    slow: Fraction = Fraction(1, 10)  # load of experiments on contents, part of that of the traffic

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (self.budget.ns > 0, "the budget must be above 0", "budget"),
            (0 < self.slow <= 1, "slow must be above 0 and at most 1", "slow"),
        )


def diagnose_loss(
    measurer: ExperimentMeasurer,
    diagnosis: Diagnosis | None = None,
    *,
    title: str = "",
    on_step: Callable[[str], None] = lambda _: None,
) -> DiagnosisResult:
    """Searches why frames are lost. The result names a cause only if it predicted all that followed.

    Args:
        measurer: Runs the experiments.
        diagnosis: The limits.
        title: The streams of the traffic.
        on_step: Told what is being asked.

    Raises:
        PlanError: the limits make no sense, or the tester cannot send the traffic.
        TargetError: the tester is broken, gone or late.
    """
    diagnosis = diagnosis or Diagnosis()
    diagnosis.validate()
    began_ns = measurer.now_ns()
    lab = Laboratory(measurer, diagnosis.budget, diagnosis.slow, diagnosis.seed)
    search = _LossSearch(lab, on_step)
    try:
        search.run()
        reason = ""
    except DiagnosisEnd as end:
        reason = str(end)
    others_sent, others_lost = search.others()
    return DiagnosisResult(
        title=title or " + ".join(stream.name for stream in measurer.traffic.streams),
        trials=tuple(seen.trial for seen in lab.observations if seen.trial),
        causes=tuple(search.confirmed),
        reason=reason,
        others_sent=others_sent,
        others_lost=others_lost,
        excluded=tuple(search.excluded),
        candidates=tuple(search.candidates()) if reason else (),
        experiments=tuple(lab.records),
        took=Duration(measurer.now_ns() - began_ns),
    )


class _LossSearch:
    def __init__(self, lab: Laboratory, on_step: Callable[[str], None]) -> None:
        self._lab, self._say = lab, on_step
        self._traffic = lab.measurer.traffic
        self._contents = ContentSearch(lab, self._traffic)
        self._causes: list[ContentCause] = []
        self._occurrences: list[Occurrence] = []
        self.excluded: list[str] = []
        self.confirmed: list[ConfirmedCause] = []

    def run(self) -> None:
        """Finds and confirms the causes. DiagnosisEnd if the loss is not explained."""
        self._say("the traffic as it is")
        repetition = self._failing()
        self._say("which frames are lost")
        self._sample()
        for _ in range(_MOST_CAUSES + 1):
            self._find_contents()
            self._say("random frames against the causes")
            if not self._unexplained_after(self._random_kinds()):
                break
        if not self._explains(repetition):
            self._find_occurrence()
        if not self._explains(repetition):
            raise DiagnosisEnd(self._difference(repetition))
        if len(self._causes) + len(self._occurrences) > _MOST_CAUSES:
            raise DiagnosisEnd(f"more than {_MOST_CAUSES} conditions lose frames")
        self._say("confirmation")
        self._confirm()

    def candidates(self) -> Iterator[str]:
        """Conditions that were found, but not confirmed."""
        yield from (f"loses {cause.text}" for cause in self._causes)
        yield from (f"loses {occurrence.text}" for occurrence in self._occurrences)

    def others(self) -> tuple[int, int]:
        """Frames that no cause in their content speaks of, sent and lost; none if loss depends on time."""
        if self._occurrences:
            return 0, 0
        counts = [
            counts
            for observation in self._lab.observations
            for kind, counts in observation.counts.items()
            if not self._explained(kind)
        ]
        return sum(each.sent for each in counts), sum(each.lost for each in counts)

    def _explained(self, kind: FrameKind) -> bool:
        return any(cause.holds(kind) for cause in self._causes)

    def _failing(self) -> Repetition:
        sent = 0
        for _ in range(_TIMES):
            repetition = self._lab.repeat()
            if repetition.lost:
                return repetition
            sent += repetition.sent
        raise DiagnosisEnd(f"the failure did not come back: none of {sent:,} frames was lost")

    def _sample(self) -> None:
        """Asks kinds of the traffic, more of them while none is lost."""
        draw, most = self._lab.random, self._lab.measurer.most_kinds
        share = max(1, most // len(self._traffic.streams))
        kinds = [k for stream in self._traffic.streams for k in sample(stream.period, share, draw)]
        self._lab.ask("which frames are lost", kinds)
        different = dict.fromkeys(kind for stream in self._traffic.streams for kind in stream.period)
        others = sample([kind for kind in different if kind not in self._lab.known], _MOST_SAMPLED, draw)
        while others and not self._losing():
            self._lab.ask("which frames are lost", others[:most])
            others = others[most:]

    def _losing(self) -> list[FrameKind]:
        """Known kinds that are lost, and no cause says so."""
        return [kind for kind in self._lab.known if self._lab.loses(kind) and not self._explained(kind)]

    def _find_contents(self) -> None:
        while losing := self._losing():
            if len(self._causes) > _MOST_CAUSES:
                raise DiagnosisEnd(f"more than {_MOST_CAUSES} conditions lose frames")
            self._causes.append(self._content_cause(losing))

    def _content_cause(self, losing: list[FrameKind]) -> ContentCause:
        reason = ""
        for kind in sample(losing, _EXEMPLARS, self._lab.random):
            self._say(f"what {self._contents.describe(kind)} has that others have not")
            cause = self._contents.find(kind, self._explained)
            if isinstance(cause, ContentCause):
                if not cause.holds(kind):
                    raise DiagnosisEnd(f"the answers of the device change: {self._contents.describe(kind)}")
                return cause
            reason = reason or cause
            self.excluded.append(cause)
        raise DiagnosisEnd(reason)

    def _random_kinds(self) -> list[FrameKind]:
        """Kinds of the traffic, kinds with any values, and kinds at the ends of each condition."""
        draw, most = self._lab.random, self._lab.measurer.most_kinds
        traffic = [draw.choice(draw.choice(self._traffic.streams).period) for _ in range(most // 2)]
        kinds = list(traffic)
        for cause in self._causes:
            for kind in (cause.losing, cause.passing, *traffic[:4]):
                for factor in self._traffic.stream(kind.stream).factors:
                    kinds.append(kind.changed(factor.name, draw.choice(factor.values)))
            for term in cause.terms:
                inside = [
                    v for v in (draw.choice(term.factor.values) for _ in range(64)) if term.values.holds(v)
                ]
                base = cause.losing.value(term.factor.name)
                values = [*inside[:4], *([base] if base is not None else [])]
                kinds += [
                    kind.changed(term.factor.name, v)
                    for kind, v in zip(traffic, values * 2, strict=False)
                    if self._traffic.factor(kind, term.factor.name)
                ]
        return kinds

    def _unexplained_after(self, kinds: list[FrameKind]) -> bool:
        """Whether kinds are lost that no cause speaks of. DiagnosisEnd if one passes that should be lost."""
        self._lab.ask("random frames: lost as the causes say?", kinds)
        for kind, counts in self._lab.known.items():
            if self._explained(kind) and not counts.all_lost:
                raise DiagnosisEnd(
                    f"{' and '.join(c.text for c in self._causes)}: contradicted by frames that arrive: "
                    f"{self._contents.describe(kind)}"
                )
        return bool(self._losing())

    def _explains(self, repetition: Repetition) -> bool:
        least, most = self._bounds(repetition)
        return least <= repetition.lost <= most

    def _bounds(self, repetition: Repetition) -> tuple[int, int]:
        """The fewest and the most frames of the traffic that the causes lose."""
        pairs = [
            self._traffic.stream(name).matching(self._explained, counts.sent)
            for name, counts in repetition.counts.items()
        ]
        least, most = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        for occurrence in self._occurrences:
            # A device may count the frames that it loses for another reason, or not.
            rest = occurrence.lost_bounds(repetition.sent - most, Fraction(1))
            everything = occurrence.lost_bounds(repetition.sent - least, Fraction(1))
            whole = occurrence.lost_bounds(repetition.sent, Fraction(1))
            least += min(0 if most else rest[0], rest[0])
            most += max(rest[1], everything[1], whole[1])
        return least, most

    def _difference(self, repetition: Repetition) -> str:
        least, most = self._bounds(repetition)
        if not self._causes and not self._occurrences:
            return "no condition explains which frames are lost"
        bounds = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return (
            f"the traffic lost {repetition.lost:,} of {repetition.sent:,} frames, and the conditions that "
            f"were found lose {bounds}"
        )

    def _find_occurrence(self) -> None:
        symptoms = self._symptoms()
        for _, name, investigate in investigations:
            self._say(f"is it {name}?")
            found = investigate(self._lab, symptoms)
            if not isinstance(found, str):
                self._occurrences.append(found)
                return
            self.excluded.append(f"{name}: {found}")

    def _symptoms(self) -> Symptoms:
        """Four experiments with kinds that no cause speaks of, one of each stream."""
        kinds = []
        for stream in self._traffic.streams:
            free = [kind for kind in dict.fromkeys(stream.period) if not self._explained(kind)]
            if free:
                lossy = [k for k in free if k in self._lab.known and self._lab.known[k].lost]
                kinds.append(self._lab.random.choice(lossy or free))
        if not kinds:
            raise DiagnosisEnd("all kinds of frames are lost, but not each frame of the traffic")
        frames = dict.fromkeys(kinds, ceil(Fraction(_SYMPTOM_FRAMES, len(kinds))))
        twice = {kind: 2 * count for kind, count in frames.items()}

        def lost(question: str, frames: dict[FrameKind, int], load: Fraction, *, after_pause: bool) -> int:
            self._say(question)
            return self._lab.run(Experiment(question, frames, load, after_pause=after_pause)).lost

        full = Fraction(1)
        return Symptoms(
            frames,
            lost("evenly spaced, after a pause", frames, full, after_pause=True),
            lost("the same at once", frames, full, after_pause=False),
            lost("twice as many frames", twice, full, after_pause=True),
            lost("a quarter of the load", frames, Fraction(1, 4), after_pause=True),
        )

    def _confirm(self) -> None:
        self.confirmed += [
            ConfirmedCause(f"Loses {each.text}", each.smallest, "all other frames", _TIMES)
            for each in self._occurrences
        ]
        for cause in self._causes:
            self._confirm_content(cause)
            self.confirmed.append(
                ConfirmedCause(
                    f"Loses {cause.text}",
                    f"1 frame: {self._contents.describe(cause.losing)}",
                    self._contents.describe(cause.passing),
                    _TIMES,
                )
            )
        if not self._occurrences and (lost := self.others()[1]):
            raise DiagnosisEnd(f"{lost:,} frames were lost that the conditions do not speak of")

    def _confirm_content(self, cause: ContentCause) -> None:
        """One frame with the condition is lost, and all frames without it arrive, three times."""
        test, times = SequentialTest(), 0
        sent, lost = (sum(getattr(o, name) for o in self._lab.observations) for name in ("sent", "lost"))
        by_chance = float(min(_COMMON_LOSS, Fraction(lost, max(1, sent))))
        while times < _TIMES or not test.decided:
            times += 1
            fails = self._lab.run(
                Experiment("the smallest traffic that fails", {cause.losing: 1}, self._lab.slow)
            )
            if fails.lost != 1:
                raise DiagnosisEnd(
                    f"the smallest traffic passed once: {self._contents.describe(cause.losing)}"
                )
            asked = "the same traffic without the condition"
            passes = self._lab.run(Experiment(asked, {cause.passing: _CONTRAST}, self._lab.slow))
            most = sum(o.lost_bounds(_CONTRAST, self._lab.slow)[1] for o in self._occurrences)
            if passes.lost > most or passes.lost == passes.sent:
                raise DiagnosisEnd(
                    f"frames without the condition are lost, too: {self._contents.describe(cause.passing)}"
                )
            test.came_true(by_chance * (1 - by_chance) ** (passes.sent - passes.lost))
