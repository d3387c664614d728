# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job after planning: exact frames and exact rates, ready for any target. Mirrors `plan.proto`."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from ..expected_field import ExpectedField, FieldRelation
from ..ports import Address
from ..units.units import FCS_LENGTH
from .edit import Checksum, Coverage, PlannedEditor
from .law import Departures, Script
from .match import Match
from .planned_end import PlannedEnd
from .planned_path import PlannedPath
from .planned_stamps import PlannedStamps


@dataclass(frozen=True)
class Version:
    """The bit of a frame that says in which of two versions of the counters it belongs; 0 in `frames`."""

    bit_offset: int  # from the begin of the frame
    coverage: tuple[Coverage, ...] = ()


def bits_of(frame: bytes, offset: int, bits: int) -> int:
    """The number in so many bits of a frame, from its first bit on, the highest one first."""
    return int.from_bytes(frame, "big") >> 8 * len(frame) - offset - bits & (1 << bits) - 1


@dataclass(frozen=True)
class PlannedField:
    """A header field that has to arrive in a certain way, in each frame that arrives whole."""

    expected: ExpectedField  # as its author wrote it, which is the name of its counts
    bit_offset: int  # from the begin of the frame as it is sent
    bits: int
    relation: FieldRelation

    @property
    def name(self) -> str:
        """The name of its counts."""
        return str(self.expected)

    def value(self, frame: bytes) -> int:
        """Its value in a frame as it is sent."""
        return bits_of(frame, self.bit_offset, self.bits)

    def overlaps(self, bit_offset: int, bits: int) -> bool:
        """Whether it has one of these bits."""
        return self.bit_offset < bit_offset + bits and bit_offset < self.bit_offset + self.bits


@dataclass(frozen=True)
class SenderClock:
    """The clock of another tester, which stamps the signatures of a stream that it sends."""

    ahead_ns: int  # of the clock of the tester that receives the stream
    within_ns: int  # by how much that may be wrong


@dataclass(frozen=True)
class PlannedStream:
    """A stream with its bytes. Frame k is a function of k: `planning/flows.py`."""

    id: int  # 1 to 65535, in the signature of every frame
    name: str
    tx_port: str  # empty: a port of another tester, of a stream that only arrives here
    rx_port: str  # empty: a port of another tester
    frames: tuple[bytes, ...]  # without FCS, with right checksums; none if it replays a file
    signature: bool
    departures: Departures
    rate_error: Fraction = Fraction(0)  # (rate - asked) / asked
    order: tuple[int, ...] = ()  # frame k is frames[order[k mod n]]; empty: one after the other
    editors: tuple[PlannedEditor, ...] = ()
    checksums: tuple[Checksum, ...] = ()  # checksums that change with the edited fields
    flows: int = 0  # frame k is of flow k mod flows, and flows are counted one by one; 0: not
    matches: tuple[Match, ...] = ()  # how frames without a signature are known where they arrive
    version: Version | None = None
    payload_offset: int = 0  # from here to the signature, arrivals are compared with sent frames; 0: not
    kept_headers: bytes = b""  # a mask of the header bits that arrive as they were sent; empty: no one knows
    expected_fields: tuple[PlannedField, ...] = ()
    header_size: int = 0  # bytes before the payload of the first of `frames`; 0 where nobody knows
    sender_clock: SenderClock | None = None  # of a stream without tx_port

    @property
    def frame(self) -> bytes:
        """The first frame."""
        return self.frames[self.order[0] if self.order else 0]

    @property
    def sizes(self) -> frozenset[int]:
        """Bytes on the wire, FCS included, of its frames."""
        return frozenset(self._sizes)

    @cached_property
    def _runs(self) -> tuple[tuple[int, int], ...]:
        """(frames after each other, index of each in `frames`) of one period."""
        law = self.departures.law
        if isinstance(law, Script):
            return tuple((message.packets, message.frame) for message in law.messages)
        return tuple((1, index) for index in self.order or range(len(self.frames)))

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(frame) + FCS_LENGTH for frame in self.frames)

    def template(self, number: int) -> bytes:
        """Frame `number`, from 0, before editors change it."""
        index = bisect_right(self._before, number % self._before[-1]) - 1
        return self.frames[self._runs[index][1]]

    @cached_property
    def mix(self) -> Mapping[int, int]:
        """Frames of each size in one period; empty where all are of one size."""
        counts: Counter[int] = Counter()
        for frames, index in self._runs:
            counts[self._sizes[index]] += frames
        return {size: counts[size] for size in sorted(counts)} if len(counts) > 1 else {}

    @property
    def frame_size(self) -> Fraction:
        """The average of the bytes on the wire, FCS included; 0 where only the tester knows it."""
        return Fraction(self._octets[-1], max(1, self._before[-1]))

    def octets(self, frames: int) -> int:
        """Bytes on the wire, FCS included, of the first so many frames; 0 of those of a file."""
        periods, rest = divmod(frames, max(1, self._before[-1]))
        if not rest or not self._runs:
            return periods * self._octets[-1]
        index = bisect_right(self._before, rest) - 1
        within = (rest - self._before[index]) * self._sizes[self._runs[index][1]]
        return periods * self._octets[-1] + self._octets[index] + within

    @cached_property
    def _before(self) -> list[int]:
        return list(accumulate((frames for frames, _ in self._runs), initial=0))

    @cached_property
    def _octets(self) -> list[int]:
        return list(accumulate((frames * self._sizes[index] for frames, index in self._runs), initial=0))

    @property
    def measured(self) -> bool:
        """Whether its frames are recognized where they arrive."""
        return self.signature or bool(self.matches)

    @property
    def rate(self) -> Fraction:
        """The average in frames each nanosecond; 0 where only the tester knows it."""
        return self.departures.rate

    @property
    def frames_per_second(self) -> Fraction:
        """The average rate in frames each second."""
        return self.rate * 10**9

    def frames_due(self, duration_ns: int) -> int:
        """Frames due in [0, duration): the first one is due at 0, unless the law says otherwise."""
        return self.departures.count(duration_ns)


@dataclass(frozen=True)
class PlannedNeighbour:
    """An address for which the tester answers ARP or neighbour discovery on a port."""

    port: str
    address: Address
    mac: bytes


@dataclass(frozen=True)
class LearningFrame:
    """A frame sent once before a trial, so that the device knows where the tester's addresses are."""

    port: str
    frame: bytes


@dataclass(frozen=True)
class Plan:
    """Everything that a target loads as one job. Equal jobs, ports and seeds give equal plans."""

    job: str
    seed: int
    streams: tuple[PlannedStream, ...]
    neighbours: tuple[PlannedNeighbour, ...] = ()
    learning: tuple[LearningFrame, ...] = ()
    ends: tuple[PlannedEnd, ...] = ()
    paths: tuple[PlannedPath, ...] = ()
    stamps: tuple[PlannedStamps, ...] = ()
    remarks: tuple[str, ...] = ()  # sentences for the log: what is planned otherwise than one may expect
