# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job after planning: exact frames and exact rates, ready for any target. Mirrors `plan.proto`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from .edit import Checksum, PlannedEditor
from .ports import Address
from .units import FCS_LENGTH


@dataclass(frozen=True)
class PlannedStream:
    """A stream with its bytes. Frame k is a function of k: `planning/flows.py`."""

    id: int  # 1 to 65535, in the signature of every frame
    name: str
    tx_port: str
    rx_port: str
    frames: tuple[bytes, ...]  # without FCS, with right checksums
    signature: bool
    rate: Fraction  # frames each nanosecond; numerator and denominator fit 64 bits
    rate_error: Fraction = Fraction(0)  # (rate - asked) / asked: what fitting it in costs
    order: tuple[int, ...] = ()  # frame k is frames[order[k mod n]]; empty: one after the other
    editors: tuple[PlannedEditor, ...] = ()
    checksums: tuple[Checksum, ...] = ()  # that follow the editors
    flows: int = 0  # frame k is of flow k mod flows, each is counted by itself; 0: none is

    @property
    def frame(self) -> bytes:
        """The first frame."""
        return self.frames[self.order[0] if self.order else 0]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Bytes on the wire, FCS included, of the frames of one period."""
        own = [len(frame) + FCS_LENGTH for frame in self.frames]
        return tuple(own[index] for index in self.order) if self.order else tuple(own)

    @property
    def frame_size(self) -> Fraction:
        """The average of the bytes on the wire, FCS included."""
        return Fraction(self._octets[-1], len(self.sizes))

    @property
    def mix(self) -> Mapping[int, int]:
        """Frames of each size in one period; empty where all are of one size."""
        counts = Counter(self.sizes)
        return {size: counts[size] for size in sorted(counts)} if len(counts) > 1 else {}

    def octets(self, frames: int) -> int:
        """Bytes on the wire, FCS included, of the first so many frames."""
        periods, rest = divmod(frames, len(self.sizes))
        return periods * self._octets[-1] + self._octets[rest]

    @cached_property
    def _octets(self) -> tuple[int, ...]:
        return tuple(accumulate(self.sizes, initial=0))

    @property
    def frames_per_second(self) -> Fraction:
        """The rate in frames each second."""
        return self.rate * 10**9

    def frames_due(self, duration_ns: int) -> int:
        """Frames due in [0, duration): the first one is due at 0."""
        return -(-(duration_ns * self.rate.numerator) // self.rate.denominator)


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
    """What a target loads as one job. Equal jobs, ports and seeds give equal plans."""

    job: str
    seed: int
    streams: tuple[PlannedStream, ...]
    neighbours: tuple[PlannedNeighbour, ...] = ()
    learning: tuple[LearningFrame, ...] = ()
