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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ...errors import require
from ...model.units.units import Duration
from .conditions import Occurrence, Symptoms, investigations
from .content import ContentCause, ContentSearch
from .experiment import Experiment, ExperimentMeasurer, ExperimentOutcome, RepeatedTraffic
from .laboratory import DiagnosisEnd, DiagnosisLab, sample
from .result import ConfirmedCause, DiagnosisResult
from .sequential_test import SequentialTest
from .traffic import FrameKind

_TIMES = 3  # confirmations
_MOST_CAUSES = 2
_EXEMPLARS = 3  # kinds from which one cause is searched before it is given up
_MOST_SAMPLED = 1024  # kinds of the traffic that are asked until one of them is lost
_FEWEST_FRAMES, _MOST_FRAMES = 100, 50_000  # of experiments on time; else those of half a second
_CONTRAST = 20  # frames without the condition
_COMMON_LOSS = Fraction(95, 100)


@dataclass(frozen=True)
class Diagnosis:
    """The limits of a diagnosis."""

    budget: Duration = Duration(60 * 10**9)
    seed: int = 1

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (self.budget.ns > 0, "the budget must be above 0", "budget"),
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
    lab = DiagnosisLab(measurer, diagnosis.budget, diagnosis.seed)
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
    def __init__(self, lab: DiagnosisLab, on_step: Callable[[str], None]) -> None:
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
            if not self._unexplained_after(self._random_kinds()) and (
                not self._causes or self._explains(repetition) or not self._finds_more()
            ):
                break
        if not self._explains(repetition):
            self._find_occurrence(repetition)
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
        return sum(count.sent for count in counts), sum(count.lost for count in counts)

    def _explained(self, kind: FrameKind) -> bool:
        return any(cause.holds(kind) for cause in self._causes)

    def _failing(self) -> RepeatedTraffic:
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
        if not self._losing():
            self._finds_more()

    def _finds_more(self) -> bool:
        """Asks kinds of the traffic that are not known until one of them is lost."""
        draw, most = self._lab.random, self._lab.measurer.most_kinds
        different = dict.fromkeys(kind for stream in self._traffic.streams for kind in stream.period)
        open_kinds = [k for k in different if k not in self._lab.totals and not self._explained(k)]
        others = sample(open_kinds, _MOST_SAMPLED, draw)
        while others and not self._losing():
            self._lab.ask("which other frames are lost", others[:most])
            others = others[most:]
        return bool(self._losing())

    def _losing(self) -> list[FrameKind]:
        """Known kinds that are lost, and no cause says so."""
        return [kind for kind in self._lab.totals if self._lab.loses(kind) and not self._explained(kind)]

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
                values = [*inside[:4], cause.losing.value(term.factor.name)]
                kinds += [
                    kind.changed(term.factor.name, v)
                    for kind, v in zip(traffic, values * 2, strict=False)
                    if kind.has(term.factor.name)
                ]
        return kinds

    def _unexplained_after(self, kinds: list[FrameKind]) -> bool:
        """Whether kinds are lost that no cause speaks of. DiagnosisEnd if one passes that should be lost."""
        self._lab.ask("random frames: lost as the causes say?", kinds)
        for kind, counts in self._lab.totals.items():
            if self._explained(kind) and not counts.all_lost:
                raise DiagnosisEnd(
                    f"{' and '.join(c.text for c in self._causes)}: contradicted by frames that arrive: "
                    f"{self._contents.describe(kind)}"
                )
        return bool(self._losing())

    def _explains(self, repetition: RepeatedTraffic) -> bool:
        least, most = self._bounds(repetition)
        return least <= repetition.lost <= most

    def _bounds(self, repetition: RepeatedTraffic) -> tuple[int, int]:
        """The fewest and the most frames of the traffic that the causes lose."""
        pairs = {
            name: self._traffic.stream(name).matching(self._explained, counts.sent)
            for name, counts in repetition.counts.items()
        }
        least, most = sum(pair[0] for pair in pairs.values()), sum(pair[1] for pair in pairs.values())
        for occurrence in self._occurrences:
            # A device counts all streams together or each by itself, and frames lost otherwise or not.
            whole = [repetition.sent, *(counts.sent for counts in repetition.counts.values())]
            without = [repetition.sent - most]
            without += [counts.sent - pairs[name][1] for name, counts in repetition.counts.items()]
            fewest = [occurrence.lost_bounds(frames)[0] for frames in without]
            greatest = [occurrence.lost_bounds(frames)[1] for frames in whole]
            least += min(fewest[0], sum(fewest[1:]))
            most += max(greatest[0], sum(greatest[1:]))
        return least, most

    def _difference(self, repetition: RepeatedTraffic) -> str:
        least, most = self._bounds(repetition)
        if not self._causes and not self._occurrences:
            return "no condition explains which frames are lost"
        bounds = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return (
            f"the traffic lost {repetition.lost:,} of {repetition.sent:,} frames, and the conditions that "
            f"were found lose {bounds}"
        )

    def _find_occurrence(self, repetition: RepeatedTraffic) -> None:
        """Searches a condition on time, with a kind of the stream that loses most, then with all streams."""
        kinds = self._representatives(repetition)
        for group in [kinds[:1], kinds] if len(kinds) > 1 else [kinds]:
            symptoms = self._symptoms(group)
            if group != kinds and not symptoms.any_lost:
                continue
            for _, name, investigate in investigations:
                self._say(f"is it {name}?")
                answer = investigate(self._lab, symptoms)
                if not isinstance(answer, str):
                    self._occurrences.append(answer)
                    return
                self.excluded.append(f"{name}: {answer}")

    def _representatives(self, repetition: RepeatedTraffic) -> list[FrameKind]:
        """One kind of each stream that no cause speaks of, that of the greatest loss first."""
        kinds = []
        for stream in self._traffic.streams:
            free = [kind for kind in dict.fromkeys(stream.period) if not self._explained(kind)]
            if free:
                lossy = [k for k in free if k in self._lab.totals and self._lab.totals[k].lost]
                kinds.append(self._lab.random.choice(lossy or free))
        if not kinds:
            raise DiagnosisEnd("all kinds of frames are lost, but not each frame of the traffic")
        return sorted(kinds, key=lambda kind: -repetition.counts[kind.stream].lost)

    def _symptoms(self, kinds: Sequence[FrameKind]) -> Symptoms:
        """Four experiments."""
        whole = min(_MOST_FRAMES, max(_FEWEST_FRAMES, int(self._lab.measurer.frames_per_second / 2)))
        frames = dict.fromkeys(kinds, ceil(Fraction(whole, len(kinds))))
        twice = {kind: 2 * count for kind, count in frames.items()}

        def run(
            question: str, frames: dict[FrameKind, int], load: Fraction, *, pause: bool
        ) -> ExperimentOutcome:
            self._say(question)
            return self._lab.run(Experiment(question, frames, load, after_pause=pause))

        full = Fraction(1)
        return Symptoms(
            frames,
            run("evenly spaced, after a pause", frames, full, pause=True),
            run("the same at once", frames, full, pause=False),
            run("twice as many frames", twice, full, pause=True),
            run("a quarter of the load", frames, Fraction(1, 4), pause=True),
        )

    def _confirm(self) -> None:
        self.confirmed += [
            ConfirmedCause(f"Loses {occurrence.text}", occurrence.smallest, "all other frames", _TIMES)
            for occurrence in self._occurrences
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
                Experiment(
                    "the smallest traffic that fails", {cause.losing: 1}, self._lab.slow, any_rate=True
                )
            )
            if fails.lost != 1:
                raise DiagnosisEnd(
                    f"the smallest traffic passed once: {self._contents.describe(cause.losing)}"
                )
            question = "the same traffic without the condition"
            passes = self._lab.run(
                Experiment(question, {cause.passing: _CONTRAST}, self._lab.slow, any_rate=True)
            )
            most = sum(o.lost_bounds(_CONTRAST)[1] for o in self._occurrences)
            if passes.lost > most or passes.lost == passes.sent:
                raise DiagnosisEnd(
                    f"frames without the condition are lost, too: {self._contents.describe(cause.passing)}"
                )
            test.came_true(by_chance * (1 - by_chance) ** (passes.sent - passes.lost))
