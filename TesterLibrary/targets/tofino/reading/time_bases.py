# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Times of first packets, the bases of sums of times. They stay until sums are reset, so are read once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..driver.loaded import LoadedStream
from ..session.session import SwitchSession
from .stream_readings import Closed, Direction, PassedFrames, StreamRegisters, base_asked, number_of

_DIRECTIONS: tuple[Direction, ...] = ("tx", "rx")


class Bases:
    """The bases of the streams of a session."""

    def __init__(self, session: SwitchSession) -> None:
        self._session = session
        self._known: dict[int, dict[tuple[Direction, int], int]] = defaultdict(dict)  # by template

    def forget(self, template: int, *versions: int) -> None:
        """Forgets the bases of versions whose sums begin anew."""
        for direction in _DIRECTIONS:
            for version in versions:
                self._known[template].pop((direction, version), None)

    def with_bases(
        self,
        streams: Sequence[LoadedStream],
        found: Sequence[StreamRegisters],
        closed: Sequence[tuple[Closed, Closed]],
    ) -> list[StreamRegisters]:
        """The registers of streams, with the bases of versions that had packets since their sums were 0."""
        wanted = [
            (stream, direction, version)
            for stream, each, done in zip(streams, found, closed, strict=True)
            for direction in _DIRECTIONS
            for version in (0, 1)
            if getattr(each, direction)[version].packets > getattr(done[version], direction).packets
            and (direction, version) not in self._known[stream.template]
        ]
        readings = self._session.read([base_asked(*one) for one in wanted])
        for (loaded, direction, version), reading in zip(wanted, readings, strict=True):
            self._known[loaded.template][direction, version] = number_of(reading)
        return [
            _based(each, self._known[stream.template]) for stream, each in zip(streams, found, strict=True)
        ]


def _based(found: StreamRegisters, bases: Mapping[tuple[Direction, int], int]) -> StreamRegisters:
    """The registers of a stream, with the times of first packets by direction and version."""

    def based(direction: Direction, version: int, passed: PassedFrames) -> PassedFrames:
        return replace(passed, times=replace(passed.times, base=bases.get((direction, version), 0)))

    (tx_0, tx_1), (rx_0, rx_1) = found.tx, found.rx
    return replace(
        found,
        tx=(based("tx", 0, tx_0), based("tx", 1, tx_1)),
        rx=(based("rx", 0, rx_0), based("rx", 1, rx_1)),
    )
