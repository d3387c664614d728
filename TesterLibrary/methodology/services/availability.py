# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Availability of a service (ITU-T Y.1563), from the seconds in which most of its frames were lost.

An interval lasts longer than it should while nothing arrives, because its counters are read only when no more
frames of the one before can come. So its frames are spread over as many seconds as it took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from ...measurement.interval import Interval, StreamInterval
from ...model.units.units import Duration

_SEVERE = Fraction(1, 2)  # a second that loses a greater part is severely errored (ITU-T Y.1563)
_IN_A_ROW = 10  # so many of them begin a time without availability, so many others end it
_LONG = Fraction(3, 2)  # an interval that lasts longer is more than one second


@dataclass(frozen=True)
class ServiceSeconds:
    """The seconds in which a service was severely errored; None where it is open.

    It is open where arrivals may be copies, and where a part of a second lost some of its frames.
    """

    service: str
    severe: tuple[bool | None, ...]

    @property
    def availability_bounds(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest part of the time in which it was available."""
        least, most = (
            [known if known is not None else open_ for known in self.severe] for open_ in (True, False)
        )
        return availability(least), availability(most)


def availability(severe: Sequence[bool]) -> Fraction:
    """The part of the seconds in which a service is available (ITU-T Y.1563).

    Ten severely errored ones in a row begin a time without availability, and belong to it. Ten others in a
    row end it, and do not.
    """
    available, without, since = True, 0, 0
    for second, errored in enumerate(severe, start=1):
        without += not available
        if errored is not available:  # as the state has it
            since = second
        elif second - since == _IN_A_ROW:
            without += _IN_A_ROW if available else -_IN_A_ROW
            available, since = not available, second
    return 1 - Fraction(without, len(severe)) if severe else Fraction(1)


def seconds_of(service: str, intervals: Sequence[Interval], second: Duration) -> ServiceSeconds:
    """The seconds of a service, or other times of that length, from the intervals in which it was watched.

    An interval of about a second is one. Longer ones, and what follows them, are cut into seconds until an
    interval of about a second ends; a rest shorter than half a second belongs to the second before it.
    """
    pieces = [
        _Piece.of(stream, interval.duration_ns)
        for interval in intervals
        for stream in interval.streams
        if stream.name == service and stream.sent and interval.duration_ns > 0
    ]
    pieces.reverse()  # the next one is the last of the list
    found: list[_Piece] = []
    while pieces:
        is_long = pieces[-1].interval_ns > _LONG * second.ns
        piece = _cut(pieces, second.ns) if is_long else pieces.pop()
        if found and 2 * piece.duration_ns < second.ns:
            piece = found.pop() + piece
        found.append(piece)
    return ServiceSeconds(service, tuple(piece.severe for piece in found))


@dataclass(frozen=True)
class _Piece:
    """Frames that left in a part of an interval, in several parts, or in all of it."""

    interval_ns: int  # the length of the interval; of the first one, where there are several
    duration_ns: Fraction
    sent: Fraction
    least: Fraction  # lost frames, within these bounds
    most: Fraction

    @classmethod
    def of(cls, stream: StreamInterval, duration_ns: int) -> _Piece:
        """All that a stream sent in an interval."""
        least = stream.lost
        most = stream.sent if stream.again is None else min(stream.sent, least + stream.again)
        counts = Fraction(stream.sent), Fraction(least), Fraction(most)
        return cls(duration_ns, Fraction(duration_ns), *counts)

    @property
    def severe(self) -> bool | None:
        """Whether more than half was lost; None where the bounds of what was lost differ in it."""
        sides = {lost > _SEVERE * self.sent for lost in (self.least, self.most)}
        return sides.pop() if len(sides) == 1 else None

    def part(self, duration_ns: Fraction) -> _Piece:
        """A part of it. Frames left evenly spaced; which of them were lost is known within bounds only."""
        sent = self.sent * duration_ns / self.duration_ns
        least, most = max(Fraction(0), self.least - (self.sent - sent)), min(sent, self.most)
        return _Piece(self.interval_ns, duration_ns, sent, least, most)

    def __add__(self, after: _Piece) -> _Piece:
        return _Piece(
            self.interval_ns,
            self.duration_ns + after.duration_ns,
            self.sent + after.sent,
            self.least + after.least,
            self.most + after.most,
        )


def _cut(pieces: list[_Piece], length_ns: int) -> _Piece:
    """Takes so much time off the end of the list, or all that there is."""
    taken: list[_Piece] = []
    left_ns = Fraction(length_ns)
    while pieces and left_ns > 0:
        piece = pieces.pop()
        if piece.duration_ns > left_ns:
            pieces.append(piece.part(piece.duration_ns - left_ns))
            piece = piece.part(left_ns)
        left_ns -= piece.duration_ns
        taken.append(piece)
    return reduce(_Piece.__add__, taken)
