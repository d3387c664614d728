# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The colours in which frames of a service arrive, counted by queries on the tester."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ...errors import PlanError
from ...measurement.trial import Trial
from ...methodology.services.service_colours import Arrived
from ...model.query import PacketFilter, Query
from ...model.stream import Stream
from ..queries import Queries
from ..suite import Suite


@dataclass(frozen=True)
class Marks:
    """The conditions that tell green and yellow frames where they arrive."""

    green: PacketFilter | None = None
    yellow: PacketFilter | None = None

    @classmethod
    def of(cls, service: str, green: PacketFilter | None, yellow: PacketFilter | None) -> Marks:
        """The marks of both colours. PlanError if one of them is missing."""
        if (green is None) is not (yellow is None):
            present, missing = ("green", "yellow") if green else ("yellow", "green")
            raise PlanError(
                f"service {service!r}: arrives_{present}= needs arrives_{missing}= as well, such as "
                "IP.tos == 0x30"
            )
        return cls(green, yellow)

    @property
    def filters(self) -> Mapping[str, PacketFilter]:
        """The filter of each colour that is told apart."""
        each = {"green": self.green, "yellow": self.yellow}
        return {colour: mark for colour, mark in each.items() if mark is not None}


class ServiceColours:
    """A query for each stream and colour. Its counts are those of the last attempt at a trial."""

    def __init__(self, queries: Queries, marks: Marks) -> None:
        self._queries, self._marks = queries, marks
        self._counted: dict[str, int] = {}  # by each query since it began
        self._last: dict[str, int] = {}  # in the last attempt
        self._doubts: dict[str, str] = {}  # why packets may be missing, by query

    def start(self, stream: Stream) -> None:
        """Counts the colours of a stream from now on."""
        for colour, mark in self._marks.filters.items():
            name = _query(colour, stream.name)
            self._queries.start(Query(name=name, port=stream.rx, streams=(stream.name,), filter=mark))
            self._counted[name] = 0

    def stop(self) -> None:
        """Ends the queries, which writes their results."""
        if self._counted:
            self._queries.stop(list(self._counted))

    def note(self, _: Trial) -> None:
        """Reads the queries, once an attempt is over."""
        for name, before in self._counted.items():
            result = self._queries.result(name)
            self._counted[name], self._doubts[name] = result.packets, "; ".join(result.missing())
            self._last[name] = self._counted[name] - before

    def arrived(self, streams: Sequence[str]) -> tuple[Arrived, ...]:
        """The colours of the frames of these streams; none, if no colours are told apart."""
        if not self._counted:
            return ()
        return tuple(map(self._arrived, streams))

    def _arrived(self, stream: str) -> Arrived:
        queries = [_query(colour, stream) for colour in ("green", "yellow")]
        doubt = "; ".join(filter(None, (self._doubts.get(name) for name in queries)))
        green, yellow = (self._last.get(name, 0) for name in queries)
        return Arrived(stream, green, yellow, doubt)


@contextmanager
def told_apart(suite: Suite, marks: Marks, streams: Sequence[str]) -> Iterator[ServiceColours]:
    """Counts the colours of what arrives of these streams, if marks are given.

    Raises:
        PlanError: the tester counts no packets by their fields, or packets have no such field. Nothing was
            sent.
    """
    colours = ServiceColours(suite.queries, marks)
    try:
        for stream in suite.chosen(streams):
            colours.start(stream)
        yield colours
    finally:
        colours.stop()


def _query(colour: str, stream: str) -> str:
    return f"{colour} frames of {stream}"
