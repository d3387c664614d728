# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The streams of a switch that are one stream of a plan: a template has one frame size and one rate.

They have the stream's name; `whole` gives its id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...model.plan.law import Profile
from ...model.plan.plan import PlannedStream
from .sizes import Turns, by_size
from .steps import Level, by_step

_ID_BITS = 16  # of the stream's id; above it is the number of the part


def parts_of(stream: PlannedStream) -> Iterator[PlannedStream]:
    """The streams of a switch that are one stream of a plan. PlanError for what they cannot be together."""
    if isinstance(stream.departures.law, Profile):
        parts = by_step(stream)
    elif len(stream.frames) > 1:
        parts = by_size(stream)
    else:
        parts = iter((stream,))
    for number, part in enumerate(parts):
        yield replace(part, id=stream.id + (number << _ID_BITS)) if number else part


def whole(id_: int) -> int:
    """The id of the plan's stream that a stream of a switch is part of."""
    return id_ & (1 << _ID_BITS) - 1


def named(stream: PlannedStream) -> str:
    """The name of a stream of a switch, which says which part it is where it is one of several."""
    law = stream.departures.law
    if isinstance(law, Level):
        return f"{stream.name}, rate {1 + (stream.id >> _ID_BITS)}"
    return f"{stream.name}, {stream.frame_size} bytes" if isinstance(law, Turns) else stream.name


def share(stream: PlannedStream, packets: int) -> int:
    """The frames of a stream of a switch among the first so many of the plan's stream."""
    law = stream.departures.law
    return law.among(packets) if isinstance(law, Turns | Level) else packets
