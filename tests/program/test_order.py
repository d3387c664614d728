# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames overtake each other, get lost and come again: the fake chip and the program count the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from random import Random
from typing import Any

import pytest

from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.job import Job
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Tap, Twins

_GAP_NS = 10_000
_DELAYS = (0, 0, 0, 0, 0, 3 * _GAP_NS, 40 * _GAP_NS, 300 * _GAP_NS)  # the last one: late
_TIMES = (0, 1, 1, 1, 1, 1, 1, 2)


class Disorder(Tap):
    """A bridge that delays frames at random, repeats some and loses some."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._draw = Random(seed)

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        for at_ns, other, octets in super().forward(port, frame, now_ns, others):
            for _ in range(self._draw.choice(_TIMES)):
                yield at_ns + self._draw.choice(_DELAYS), other, octets


@pytest.mark.parametrize("seed", range(2))
def test_disorder_is_the_same_on_both(program: P4Program, seed: int) -> None:
    flows = Editor(FieldPath.parse("UDP.dport"), Sweep("80", count=7))
    rate = Rate.parse(f"{10**9 // _GAP_NS} pps")
    north = Stream("north", "p1", "p2", FrameSize(128), rate, editors=(flows,), count_flows=True)
    south = Stream("south", "p2", "p1", FrameSize(128), rate)
    twins = Twins(program, tap=lambda: Disorder(seed))

    def run(rig: SwitchRig) -> Any:
        rig.load(compile_job(Job("job", (north, south)), ports=rig.ports, gateways={}, max_streams=9))
        rig.target.start(["job"], packets=500)
        rig.pass_time(0.02)
        return rig.target.snapshot(["job"])

    twins.both(run)
    for counted in twins.rigs[0].target.snapshot(["job"]).streams:
        order = counted.order
        assert min(order.late, order.duplicated, counted.rx_out_of_order) > 0
