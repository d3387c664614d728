# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The fake chip's arithmetic on rounds and turns is what the program comes to, round by round."""

from __future__ import annotations

import pytest

from TesterLibrary.model.job import Job
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.switch.resources import GAP_QUANTILES
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.fake.pace import Pace
from TesterLibrary.targets.tofino.fake.pipelines import TEMPLATE, Inside
from tests.contract.rig import SwitchRig

from .pipelines import DRAWN, Octets, ProgramPipelines
from .program import P4Program

_CORRECTION, _PATTERN = "InternalIngress.rate.correction", "InternalIngress.rate.pattern"
_TEMPLATES = "internal.InternalIngress.template_loop.templates"
_LOOPBACK = 128
_PIPE = 1


class Loop:
    """A template in its loop, whose first two units pass and skip."""

    def __init__(self, program: P4Program, passes: int, last: int, *, one_of: int = 1) -> None:
        """The second unit passes one of so many."""
        rig = SwitchRig()
        streams = (Stream("north", "p1", "p2", FrameSize(128), Rate.parse("1 kpps")),)
        rig.load(compile_job(Job("job", streams), ports=rig.ports, gateways={}, max_streams=9))
        running = rig.daemon.running
        self.store, self.pace = running.store, Pace(running.store, rig.daemon.chip.clock)
        stages = {_CORRECTION: (passes, last), _PATTERN: (1, one_of - 1)}
        for unit, (first, end) in stages.items():
            stage = {"stage_passes": first, "stage_last": end}
            table = f"internal.{unit}.stages"
            self.store.write([TableEntry(table, {"template": 0}, f"{unit}.stage", stage)])
        self._pipelines = ProgramPipelines(program, self.store, running.digests, lambda: DRAWN)
        self._pipelines.changed([f"internal.{unit}.stages" for unit in stages])

    def space(self, gap_ns: int) -> None:
        """Gives the template a law of this gap alone."""
        gaps = "InternalIngress.rate.gaps"
        key = {"template": 0, "number": DRAWN % GAP_QUANTILES}
        self.store.write([TableEntry(f"internal.{gaps}.quantiles", key, f"{gaps}.draw", {"own": gap_ns})])
        self._pipelines.changed([f"internal.{gaps}.quantiles"])

    @property
    def ticks(self) -> int:
        """How far the first unit is."""
        return self.pace.ticks("correction").get((_PIPE, 0), 0)

    def end(self) -> None:
        """Ends the job of the template."""
        self.store.clear(_TEMPLATES)
        self._pipelines.changed([_TEMPLATES])

    def round(self, now_ns: int = 0) -> Inside[Octets]:
        """The template after a round that the meter calls green."""
        packet = Octets(bytes([TEMPLATE, 0, 0]) + bytes(61))
        return self._pipelines.inside(packet, _LOOPBACK, now_ns)

    def turn(self, now_ns: int = 0) -> bool:
        """Whether the template departs in such a round."""
        return self.round(now_ns).copy is not None


@pytest.mark.parametrize("one_of", [1, 3])
@pytest.mark.parametrize(("passes", "last"), [(1, 0), (1, 1), (3, 4), (5, 11)])
def test_turns_that_a_unit_skips_are_those_that_the_arithmetic_leaves_out(
    program: P4Program, passes: int, last: int, one_of: int
) -> None:
    whole, skipping = (Loop(program, passes, last, one_of=one_of) for _ in range(2))
    departed = [number for number in range(40) if whole.turn()]
    number, found = 0, []
    while number < 40:
        if skipping.turn():
            found.append(number)
        number += 1 + skipping.pace.skip(_PIPE, 0)
    assert found == departed == [n for n in range(40) if n % (last + 1) < passes][::one_of]


def test_a_held_template_counts_its_rounds(program: P4Program) -> None:
    counted, waited = (Loop(program, 0, (1 << 32) - 1) for _ in range(2))
    assert not any(counted.turn() for _ in range(30))
    waited.pace.wait(_PIPE, 0, rounds=30, time_ns=30_000)
    assert counted.ticks == waited.ticks == 30
    assert counted.pace.over(_PIPE, 0)


def test_turns_before_a_random_gap_is_over_do_not_depart(program: P4Program) -> None:
    loop = Loop(program, 1, 0)
    assert loop.turn(1000)  # until now it has no law
    loop.space(300)
    departed = [now_ns for now_ns in range(1100, 3000, 100) if loop.turn(now_ns)]
    assert departed == [1100, *range(1300, 3000, 300)]  # the first one was late


def test_a_template_without_an_entry_falls_out_of_its_loop(program: P4Program) -> None:
    loop = Loop(program, 0, 0)
    assert loop.round().again is not None
    loop.end()
    assert loop.round() == Inside()
