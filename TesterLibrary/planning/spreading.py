# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Spreads the first frames of streams that leave one port at one rate over the gap between their frames.

Otherwise the k-th frames of all of them are due at once, and leave as one burst.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..model.plan.law import Departures, Steady
from ..model.plan.plan import PlannedStream
from ..model.stream import Stream
from ..model.units.units import duration_text


@dataclass(frozen=True)
class Turn:
    """The turn of a stream: number / streams of its gap after the first one."""

    number: int
    streams: int


def spread_starts(
    streams: Sequence[Stream], planned: Sequence[PlannedStream]
) -> tuple[dict[int, Turn], list[str]]:
    """The turns of streams by their places, and a sentence on each group of them.

    The k-th of n streams starts k / n of the gap later. Streams with `start_after`, `together` or a law of
    their own start as their author says, and so do all streams of a port if a mix or a pattern says their
    phases.
    """
    mixed = {stream.tx_port for stream in planned if stream.departures.phase_ns}
    groups: defaultdict[tuple[str, Fraction], list[int]] = defaultdict(list)
    for place, (stream, plan) in enumerate(zip(streams, planned, strict=True)):
        if plan.tx_port not in mixed and not stream.together and _is_even(plan.departures):
            groups[plan.tx_port, plan.rate].append(place)
    several = {key: places for key, places in groups.items() if len(places) > 1}
    turns = {
        place: Turn(number, len(places)) for places in several.values() for number, place in enumerate(places)
    }
    return turns, list(_remarks(several, planned))


def spread(planned: PlannedStream, turn: Turn) -> PlannedStream:
    """A stream that starts later by a part of its gap."""
    phase_ns = Fraction(turn.number, turn.streams) / planned.rate
    later = replace(planned.departures, offset_ns=round(phase_ns), phase_ns=phase_ns, spread=turn.streams)
    return replace(planned, departures=later)


def _is_even(departures: Departures) -> bool:
    law = departures.law
    return isinstance(law, Steady) and not law.stages and not departures.offset_ns


def _remarks(
    groups: Mapping[tuple[str, Fraction], Sequence[int]], planned: Sequence[PlannedStream]
) -> Iterator[str]:
    for (port, rate), places in groups.items():
        names = [planned[place].name for place in places]
        yield (
            f"{len(names)} streams of port {port} at one rate, {names[0]} to {names[-1]}, start "
            f"{duration_text(1 / rate / len(names))} after each other; together=True starts them at once"
        )
