# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Times of first packets, from which sums of times count: read once, as they stay until sums begin anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .loaded import LoadedStream
from .readings import Closed, Direction, Passed, StreamRegisters, base_asked, number_of
from .session import Session

_DIRECTIONS: tuple[Direction, ...] = ("tx", "rx")


class Bases:
    """Of the streams of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[int, dict[tuple[Direction, int], int]] = defaultdict(dict)  # by template

    def forget(self, template: int, *versions: int) -> None:
        """Their sums begin anew."""
        for direction in _DIRECTIONS:
            for version in versions:
                self._known[template].pop((direction, version), None)

    def with_bases(
        self,
        streams: Sequence[LoadedStream],
        found: Sequence[StreamRegisters],
        closed: Sequence[tuple[Closed, Closed]],
    ) -> list[StreamRegisters]:
        """What has been read of streams, with the bases of what has had packets since its sums were 0."""
        wanted = [
            (own, direction, version)
            for own, each, done in zip(streams, found, closed, strict=True)
            for direction in _DIRECTIONS
            for version in (0, 1)
            if getattr(each, direction)[version].packets > getattr(done[version], direction).packets
            and (direction, version) not in self._known[own.template]
        ]
        readings = self._session.read([base_asked(*one) for one in wanted])
        for (own, direction, version), reading in zip(wanted, readings, strict=True):
            self._known[own.template][direction, version] = number_of(reading)
        return [_based(each, self._known[own.template]) for own, each in zip(streams, found, strict=True)]


def _based(found: StreamRegisters, bases: Mapping[tuple[Direction, int], int]) -> StreamRegisters:
    """What has been read, with the times of first packets by direction and version."""

    def own(direction: Direction, version: int, passed: Passed) -> Passed:
        return replace(passed, times=replace(passed.times, base=bases.get((direction, version), 0)))

    (tx_0, tx_1), (rx_0, rx_1) = found.tx, found.rx
    return replace(
        found,
        tx=(own("tx", 0, tx_0), own("tx", 1, tx_1)),
        rx=(own("rx", 0, rx_0), own("rx", 1, rx_1)),
    )
