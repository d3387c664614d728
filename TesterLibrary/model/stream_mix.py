# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Several streams in fixed proportions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ..errors import PlanError
from .ports import Port
from .stream import Stream
from .units.number import percent
from .units.units import Rate, RateUnit


def mixed(
    name: str,
    streams: Sequence[Stream],
    shares: Mapping[str, Fraction],
    rate: Rate,
    ports: Mapping[str, Port],
) -> tuple[Stream, ...]:
    """Streams at rates that are shares of one, their first frames one after the other.

    Each is evenly spaced, so any time in which every stream has a whole number of frames due has exactly
    their proportions, wherever it begins: n frames after each other if all shares are whole n-ths. In any
    other time each stream has less than one frame too many or too few.

    Args:
        name: Of the mix, for messages.
        streams: From one port, evenly spaced.
        shares: Parts of all frames by the streams' names.
        rate: Of all together; in bits and in % of their average frame.
        ports: The tester's by name.

    Raises:
        PlanError: shares that are not 100 %, streams of several ports or not evenly spaced.
    """
    total = sum(shares.values(), Fraction(0))
    if total != 1 or not all(shares.values()):
        raise PlanError(f"mix {name!r}: shares above 0 have to make 100 %; these make {percent(total, 6)}")
    if len(used := {stream.tx for stream in streams}) > 1:
        raise PlanError(f"mix {name!r}: its streams leave {', '.join(sorted(used))}; a mix leaves one port")
    for stream in streams:
        if stream.shaping is not None:
            raise PlanError(f"mix {name!r}: stream {stream.name!r} is not evenly spaced, so it has no share")
    mean = sum((shares[stream.name] * stream.frame_size.mean for stream in streams), Fraction(0))
    port = ports[streams[0].tx]
    frames = rate.frames_per_second(mean, port.speed)
    return tuple(
        replace(stream, rate=Rate(frames * share, RateUnit.PPS), phase=index * share % 1)
        for index, stream in enumerate(streams)
        for share in (shares[stream.name],)
    )
