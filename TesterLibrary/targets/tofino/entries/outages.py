# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The longest outage of a stream, as the switch measures it (p4/controls/outages.p4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

from ....measurement.snapshot import OutageCounters

_UNIT_NS = 512
_STEP_NS = 2 * _UNIT_NS  # times are odd
WRAP_NS = _UNIT_NS << 32  # of these times


@dataclass(frozen=True)
class OutageRegisters:
    """The registers of a stream; times are in units of 512 ns, modulo 2^32."""

    first: int = 0  # when the first frame arrived
    last: int = 0
    length: int = 0
    since: int = 0
    frames: int = 0  # 0: there was no outage
    before: int = 0  # the number behind the last frames that were skipped
    doubt: int = 0  # by how much the length may be off

    def last_ns(self, first_ns: int, near_ns: int) -> int:
        """When the last frame arrived, on the driver's clock.

        Args:
            first_ns: When the first one arrived.
            near_ns: A time within 18 minutes of the last one.
        """
        at_ns = first_ns + (self.last - self.first) % (1 << 32) * _UNIT_NS
        return at_ns + (near_ns - at_ns + WRAP_NS // 2) // WRAP_NS * WRAP_NS


@dataclass(frozen=True)
class LevelArrivals:
    """The arrivals of one rate of a stream that is sent in steps."""

    registers: OutageRegisters  # in numbers of its own frames
    begins: int  # the number of its first frame in the stream
    sent: int
    following: int  # the number of its own after the highest one that arrived
    above: int  # arrivals above all of its own before

    @property
    def missing_first(self) -> tuple[int, int]:
        """The fewest and the most frames that are missing before its first arrival."""
        most = self.following - self.above - self.registers.frames
        return (0 if self.registers.frames else most), most

    @property
    def in_stream(self) -> OutageRegisters:
        """Its registers, with the number of the frame in the stream."""
        found = self.registers
        return replace(found, before=self.begins + found.before) if found.frames else found


def came_later(earlier: OutageRegisters, later: OutageRegisters) -> bool:
    """Whether all frames of one rate have arrived before all of the next one, as far as anything has."""
    return not (earlier.first and later.first) or _silence(earlier, later) > 0


def joined(levels: Sequence[LevelArrivals], *, at_rest: bool) -> OutageRegisters:
    """The registers of a stream that is sent in steps, in whose numbers they are.

    Args:
        levels: Its rates so far, in their order.
        at_rest: Whether no frame leaves any more. Until then the levels were not read at one instant, so what
            is missing from one to the next is not known.
    """
    found = levels[0].in_stream
    for before, level in pairwise(levels):
        if level.registers.first:
            around = (before.sent - before.following, *level.missing_first) if at_rest else (0, 0, 0)
            found = _followed(found, around, level)
    return found


def _followed(
    earlier: OutageRegisters, around: tuple[int, int, int], level: LevelArrivals
) -> OutageRegisters:
    """The registers after one more rate. Frames missing around its begin are an outage of no rate's own.

    How many frames are missing before its first arrival is not known where it has outages of its own, but at
    most; whether there was an outage, neither, if none are missing at the end of the rate before.

    Args:
        earlier: The registers of the rates before it.
        around: Frames missing at their end, and the fewest and the most before its first arrival.
        level: The rate, of which frames have arrived.
    """
    later = level.in_stream
    if not earlier.first:
        return later  # nothing has arrived before it
    missing_last, least, most = around
    last = later.before if later.frames else level.begins + most if most or missing_last else earlier.before
    longest = max(earlier, later, key=lambda each: (each.frames > 0, each.length))
    silence = max(0, _silence(earlier, later))
    length, since, frames, doubt = longest.length, longest.since, longest.frames, longest.doubt
    if missing_last + least and (silence > length or not frames):
        length, since, frames, doubt = silence, earlier.last, missing_last + least, 0
    elif missing_last + most and silence > length:  # either this, or none
        doubt = -(-(silence - length) // 2)
        length += doubt
    return OutageRegisters(earlier.first, later.last, length, since, frames, last, doubt)


def _silence(earlier: OutageRegisters, later: OutageRegisters) -> int:
    """The time from the last arrival of one rate to the first of the next one; below 0 if they overlap."""
    half = 1 << 31
    return (later.first - earlier.last + half) % (1 << 32) - half


@dataclass
class LongestOutage:
    """The longest outage of a stream, whose begin is told from the wraps of times when it is first seen."""

    _seen: OutageRegisters = field(default_factory=OutageRegisters)
    _start_ns: int = 0

    def counters(
        self,
        found: OutageRegisters,
        first_ns: int,
        now_ns: int,
        missing: int,
        rate: Fraction,
        wrap_ns: int = WRAP_NS,
    ) -> OutageCounters | None:
        """The counters of the registers that were read now; None where a wrap may have hidden an outage.

        Args:
            found: The registers.
            first_ns: When the first frame arrived, on the driver's clock.
            now_ns: That clock now.
            missing: The most frames that have not arrived, though later ones have.
            rate: Frames that are sent each second.
            wrap_ns: As long an outage is not known from a short one.
        """
        if (missing + 1) * 10**9 / rate + _STEP_NS >= wrap_ns:
            return None
        if not found.frames:
            return OutageCounters(None, None, None, within_ns=_STEP_NS)
        length_ns = found.length * _UNIT_NS
        if (found.length, found.since) != (self._seen.length, self._seen.since):
            start_ns = first_ns + (found.since - found.first) % (1 << 32) * _UNIT_NS
            wraps = max(0, now_ns - length_ns - start_ns) // WRAP_NS
            self._seen, self._start_ns = found, start_ns + wraps * WRAP_NS
        return OutageCounters(
            count=None,
            total_ns=None,
            lost=None,
            longest_ns=max(1, length_ns),
            longest_start_ns=self._start_ns,
            longest_lost=found.frames,
            last_sequence=found.before,
            within_ns=_STEP_NS + found.doubt * _UNIT_NS,
        )
