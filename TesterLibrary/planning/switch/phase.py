# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers phases to a switch: a meter gives several ticks in each gap of a stream, and one of them passes.

Streams of one port and one rate get the same ticks, one with phase 0 as well, so they keep their distances.
Where phases only spread the starts of streams, they have as many ticks as a loopback port has room for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from ...model.plan.plan import PlannedStream

MOST_TICKS = 64  # in a gap; phases of other fractions are rounded to them


def ticks(streams: Sequence[PlannedStream], lines: Mapping[int, Fraction]) -> dict[int, int]:
    """The ticks in a gap of each stream by id: 1 where no stream of its port and rate has a phase.

    Args:
        streams: Of a job.
        lines: By stream, its frames each second that fill a loopback port, so no meter has more ticks.
    """
    sharing: defaultdict[tuple[str, Fraction], list[PlannedStream]] = defaultdict(list)
    for stream in streams:
        sharing[stream.tx_port, stream.frames_per_second].append(stream)
    found: dict[int, int] = {}
    for (_, rate), same in sharing.items():
        wanted = min(MOST_TICKS, lcm(*(phase(stream).denominator for stream in same)))
        apart = min(stream.departures.spread for stream in same)
        if apart:  # no more ticks together than fill one port; also for those that others have left
            most = min(lines[stream.id] for stream in same) // (rate * apart)
            wanted = min(MOST_TICKS, apart, most)
        found |= {stream.id: max(1, min(wanted, lines[stream.id] // rate)) for stream in same}
    return found


def phase(stream: PlannedStream) -> Fraction:
    """The part of a gap by which its first frame leaves after the start; whole gaps do not count."""
    departures = stream.departures
    return (departures.phase_ns + departures.law.due(0)) * departures.rate % 1


def first_tick(stream: PlannedStream, period: int) -> int:
    """The tick that is nearest to its phase, of so many in a gap."""
    return min(round(phase(stream) * period), period - 1)
