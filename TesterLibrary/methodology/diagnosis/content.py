# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Causes that lie in a frame: its stream, its size, its fields. Found by changing one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .conditions import Family, ValueSet, families
from .conditions.condition import spread
from .conditions.value_range import fit_range_around
from .laboratory import DiagnosisEnd, DiagnosisLab
from .traffic import STREAM, Factor, FailingTraffic, FrameKind

_ROUNDS = 24  # of questions about one factor
_ALTERNATIVES = 6  # values of each factor that are tried in place of a losing one
_CHECKED = 6  # values inside of a set and as many outside that are checked before it is taken
_MOST_TERMS = 2
_AROUND = Family("range around", 9, lambda factor, losing, answers: fit_range_around(factor, losing, answers))


@dataclass(frozen=True)
class Term:
    """One condition on a factor: its value lies in a set."""

    factor: Factor
    values: ValueSet

    @property
    def text(self) -> str:
        """The condition as a part of a sentence."""
        return self.values.text(self.factor)

    def holds(self, kind: FrameKind) -> bool:
        """Whether it holds for a kind of frames."""
        return kind.has(self.factor.name) and self.values.holds(kind.value(self.factor.name))


@dataclass(frozen=True)
class ContentCause:
    """Frames for which all terms hold are lost, each of them."""

    terms: tuple[Term, ...]
    streams: tuple[str, ...]  # for which it was found; empty: for all
    route: str  # the same for people: `from p1 to p2`; empty: for all
    losing: FrameKind  # a kind that is lost
    passing: FrameKind  # a kind that differs in one thing, and passes

    @property
    def text(self) -> str:
        """The rest of the sentence `Loses …`."""
        where = [self.route] if self.route else []
        return " ".join(["each frame", *where, *(term.text for term in self.terms)])

    def holds(self, kind: FrameKind) -> bool:
        """Whether it says that a kind of frames is lost."""
        return (not self.streams or kind.stream in self.streams) and all(t.holds(kind) for t in self.terms)


class ContentSearch:
    """Finds the cause of one losing kind."""

    def __init__(self, lab: DiagnosisLab, traffic: FailingTraffic) -> None:
        self._lab, self._traffic = lab, traffic

    def find(self, losing: FrameKind, explained: Callable[[FrameKind], bool]) -> ContentCause | str:
        """The cause why a kind is lost, or why none is found.

        Args:
            losing: The kind. All its frames are lost.
            explained: Whether causes that were found before lose a kind.
        """
        passing = self._passing_neighbours(losing)
        deciding = [name for name in passing if name != STREAM]
        if not passing:
            return f"no single change lets frames pass that are like this one: {self.describe(losing)}"
        if len(deciding) > _MOST_TERMS:
            return f"{len(deciding)} properties decide together: {', '.join(deciding)}"
        terms = []
        for name in deciding:
            factor = self._traffic.factor(losing, name)
            values = self._values(factor, losing, passing[name], explained)
            if isinstance(values, str):
                return values
            terms.append(Term(factor, values))
        streams, route = self._where(losing, STREAM in passing)
        neighbour = self._nearest(losing, terms, passing, explained)
        return ContentCause(tuple(terms), streams, route, losing, neighbour)

    def describe(self, kind: FrameKind) -> str:
        """A kind for people: its stream and the values of its factors."""
        stream = self._traffic.stream(kind.stream)
        values = (
            f"{factor.name} {factor.write(value)}"
            for factor, (_, value) in zip(stream.factors, kind.values, strict=True)
        )
        return ", ".join((f"stream {kind.stream}", *values))

    def _passing_neighbours(self, losing: FrameKind) -> dict[str, FrameKind]:
        """For each factor that decides: a kind that differs in it alone, and passes."""
        candidates = {name: [*kinds] for name, kinds in self._alternatives(losing)}
        flat = [kind for kinds in candidates.values() for kind in kinds]
        self._lab.ask("which property decides: one of them differs in each kind", flat)
        passing: dict[str, FrameKind] = {}
        for name, kinds in candidates.items():
            passed = [kind for kind in kinds if not self._lab.loses(kind)]
            if passed:
                passing[name] = passed[0]
        return passing

    def _alternatives(self, losing: FrameKind) -> Iterator[tuple[str, Sequence[FrameKind]]]:
        stream = self._traffic.stream(losing.stream)
        for factor in stream.factors:
            value = losing.value(factor.name)
            others = {kind.value(factor.name) for kind in stream.period} - {value}
            picked = self._lab.random.sample(sorted(others), min(3, len(others)))
            ends = (factor.values[place] for place in spread(0, len(factor.values) - 1, _ALTERNATIVES))
            values = dict.fromkeys(v for v in (*picked, *ends) if v != value)
            yield factor.name, [losing.changed(factor.name, v) for v in values]
        moved = (self._traffic.moved(losing, stream) for stream in self._traffic.streams)
        yield STREAM, [kind for kind in moved if kind is not None and kind != losing]

    def _where(self, losing: FrameKind, decides: bool) -> tuple[tuple[str, ...], str]:
        """The streams that a cause speaks of. Empty if it does not depend on the stream."""
        streams = self._traffic.streams
        moved = [(stream, self._traffic.moved(losing, stream)) for stream in streams]
        lossy = [s for s, kind in moved if kind is not None and self._lab.loses(kind)]
        if not decides and len(lossy) == len(streams):
            return (), ""
        names = tuple(stream.name for stream in lossy)
        routes = {(stream.tx, stream.rx) for stream in lossy}
        others = {(stream.tx, stream.rx) for stream in streams if stream not in lossy}
        if len(routes) == 1 and not routes & others:
            ((tx, rx),) = routes
            return names, f"from {tx} to {rx}"
        return names, f"of stream {', '.join(names)}"

    def _values(
        self, factor: Factor, losing: FrameKind, passing: FrameKind, explained: Callable[[FrameKind], bool]
    ) -> ValueSet | str:
        """The values of one factor with which frames are lost, the others as in a losing kind."""
        value = losing.value(factor.name)
        answers: dict[int, bool] = {}
        hidden: set[int] = set()  # values whose frames are lost for another cause

        def ask(values: Sequence[int]) -> None:
            kinds = {v: losing.changed(factor.name, v) for v in dict.fromkeys(values)}
            hidden.update(v for v, kind in kinds.items() if v != value and explained(kind))
            kinds = {v: kind for v, kind in kinds.items() if v not in hidden}
            self._lab.ask(f"with which values of {factor.name}", kinds.values())
            answers.update((v, self._lab.loses(kind)) for v, kind in kinds.items())

        ask([value, passing.value(factor.name), *self._first_values(factor, value)])
        for _ in range(_ROUNDS):
            fits = self._fits(factor, value, answers)
            if not fits:
                return f"frames are lost with values of {factor.name} that no condition describes"
            sets, done = [values for values, _ in fits], {*answers, *hidden}
            questions = [q for _, more in fits for q in more if q not in done]
            questions = questions or self._parting(factor, sets, done)
            if questions:
                ask(questions)
                continue
            ask(self._checks(factor, sets[0]))
            if [fitting for fitting, _ in self._fits(factor, value, answers)][:1] == sets[:1]:
                return sets[0]
        raise DiagnosisEnd(f"{_ROUNDS} rounds of questions did not tell which values of {factor.name} decide")

    def _first_values(self, factor: Factor, value: int) -> list[int]:
        """Values near a losing one, far from it, and evenly spread."""
        values, place = factor.values, factor.index(value)
        steps = (sign << power for power in range(0, 16, 2) for sign in (1, -1))
        near = [values[place + step] for step in steps if 0 <= place + step < len(values)]
        return [*near, *(values[p] for p in spread(0, len(values) - 1, 12))]

    @staticmethod
    def _fits(
        factor: Factor, value: int, answers: Mapping[int, bool]
    ) -> list[tuple[ValueSet, tuple[int, ...]]]:
        """The families that agree with all answers; those of a higher rank only if no other one does."""
        for group in (families[:2], families[2:], [_AROUND]):
            fits = [fit for family in group if (fit := family.fit(factor, value, answers))]
            if fits:
                return [(fit.values, fit.questions) for fit in fits]
        return []

    def _parting(self, factor: Factor, sets: Sequence[ValueSet], asked: set[int]) -> list[int]:
        """Values about which two sets differ."""
        if len(sets) < 2:
            return []
        draw = self._lab.random
        drawn = (draw.choice(factor.values) for _ in range(400))
        return [v for v in dict.fromkeys(drawn) if v not in asked and len({s.holds(v) for s in sets}) > 1][:8]

    def _checks(self, factor: Factor, values: ValueSet) -> list[int]:
        """Values inside of a set, and as many outside."""
        inside: list[int] = []
        outside: list[int] = []
        for _ in range(200):
            value = self._lab.random.choice(factor.values)
            (inside if values.holds(value) else outside).append(value)
        return [*[*dict.fromkeys(inside)][:_CHECKED], *[*dict.fromkeys(outside)][:_CHECKED]]

    def _nearest(
        self,
        losing: FrameKind,
        terms: Sequence[Term],
        passing: Mapping[str, FrameKind],
        explained: Callable[[FrameKind], bool],
    ) -> FrameKind:
        """The passing kind that is nearest to the losing one in the factor that decides."""
        if not terms:
            return passing[STREAM]
        name = terms[0].factor.name
        value = losing.value(name)
        near = [
            kind
            for kind in self._lab.totals
            if kind.changed(name, value) == losing and not self._lab.loses(kind) and not explained(kind)
        ]
        return min(near, key=lambda kind: abs(kind.value(name) - value), default=passing[name])
