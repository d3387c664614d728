# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job after planning: exact frames and exact rates, ready for any target. Mirrors `plan.proto`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .ports import Address
from .units import FCS_LENGTH


@dataclass(frozen=True)
class PlannedStream:
    """A stream with its bytes. `frame` excludes the FCS and holds right checksums."""

    id: int  # 1 to 65535, in the signature of every frame
    name: str
    tx_port: str
    rx_port: str
    frame: bytes
    signature: bool
    rate: Fraction  # frames each nanosecond; numerator and denominator fit 64 bits
    rate_error: Fraction = Fraction(0)  # (rate - asked) / asked: what fitting it in costs

    @property
    def frame_size(self) -> int:
        """Bytes on the wire, FCS included."""
        return len(self.frame) + FCS_LENGTH

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
