# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The device under test of the fake, whose forwarding, loss and delay are known exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...model.plan.plan import PlannedStream
from ...model.ports import Address
from ...model.units.units import Duration, Ratio
from .changes import FakeChange
from .damage import NO_DAMAGE, FakeDamage
from .nat import FakeNat
from .stream import FakeStream, Pace

_NO_LOSS = Ratio(Fraction(0))
_TEN_MICROSECONDS = Duration(10_000)


@dataclass(frozen=True)
class FakePath:
    """The treatment of frames from one port to another. Streams on a path share its capacity."""

    capacity: int | None = None  # the most frames/s that it forwards
    loss: Ratio = _NO_LOSS  # the part of the frames that is lost, evenly spread
    delay: Duration = _TEN_MICROSECONDS  # the delay of every frame
    damage: FakeDamage = NO_DAMAGE  # the damage to frames of streams
    changes: tuple[FakeChange, ...] = ()  # header fields of streams that arrive otherwise
    erases_version: bool = False  # whether it sets a frame's version bit to 0
    out: str = ""  # the tester's port at which frames of streams arrive; empty: the expected one


@dataclass(frozen=True)
class FakeDevice:
    """A device whose behaviour is known exactly."""

    path: FakePath = field(default_factory=FakePath)  # between any two ports of the tester
    # Paths that differ from `path`, by sending and receiving port.
    paths: Mapping[tuple[str, str], FakePath] = field(default_factory=dict)
    neighbours: Mapping[Address, bytes] = field(default_factory=dict)  # MAC addresses it resolves
    nat: FakeNat | None = None  # of clients and responders; None: it does not translate

    def path_of(self, stream: PlannedStream) -> FakePath:
        """The path that a stream takes."""
        return self.paths.get((stream.tx_port, stream.rx_port), self.path)


def set_pace(
    streams: Sequence[FakeStream],
    device: FakeDevice,
    tester_limit: int | None,
    now_ns: int,
    unlinked: Collection[str] = (),
) -> None:
    """Shares ports and paths among the streams that are sending, in proportion to their rates.

    `tester_limit` is the most frames/s that a port of the tester sends. Frames that leave or would arrive by
    a port without a link, one of `unlinked`, are lost.
    """
    asked: dict[str, Fraction] = defaultdict(Fraction)
    offered: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for stream in streams:
        asked[stream.planned.tx_port] += stream.planned.rate
    reached = [_share(tester_limit, asked[s.planned.tx_port]) for s in streams]
    for stream, part in zip(streams, reached, strict=True):
        offered[stream.planned.tx_port, stream.planned.rx_port] += stream.planned.rate * part
    for stream, part in zip(streams, reached, strict=True):
        path = device.path_of(stream.planned)
        forwarded = _share(path.capacity, offered[stream.planned.tx_port, stream.planned.rx_port])
        if stream.planned.tx_port in unlinked or stream.out in unlinked:
            forwarded = Fraction(0)
        passed = forwarded * (1 - path.loss.value)
        stream.follow(now_ns, Pace(part, 1 - passed * (1 - path.damage.part), passed))


def _share(limit: int | None, asked: Fraction) -> Fraction:
    """The part of `asked`, in frames each nanosecond, that a limit in frames/s allows."""
    return Fraction(1) if limit is None else min(Fraction(1), Fraction(limit, 10**9) / asked)
