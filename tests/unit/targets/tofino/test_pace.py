# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The turns that a fake switch leaves out are those that its units would skip, one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.fake.pace import UNITS, Pace
from TesterLibrary.targets.tofino.fake.streams import FakeStreamUnits
from tests.contract.rig import SwitchRig

TURNS = 200
PERIODS = st.tuples(st.integers(1, 9), st.integers(0, 9))  # passes, skips
DAEMON = SwitchRig().daemon


@given(PERIODS, PERIODS)
def test_skipped_turns_are_those_in_which_nothing_departs(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    stages = dict(zip(UNITS, (first, second), strict=False))
    pace, units = _units(stages)
    departed = [number for number in range(TURNS) if units.departs(0, 0, due=True)]
    pace, units = _units(stages)
    found, number = [], 0
    while number < TURNS:
        assert units.departs(0, 0, due=True)
        found.append(number)
        number += 1 + pace.skip(0, 0)
    assert found == departed


def _units(stages: dict[str, tuple[int, int]]) -> tuple[Pace, FakeStreamUnits]:
    store = DAEMON.running.store
    for unit, (passes, skips) in stages.items():
        control, data = (
            f"InternalIngress.rate.{unit}",
            {"stage_passes": passes, "stage_last": passes + skips - 1},
        )
        store.write([TableEntry(f"internal.{control}.stages", {"template": 0}, f"{control}.stage", data)])
    pace = Pace(store, DAEMON.chip.clock)
    for unit in UNITS:
        pace.ticks(unit).clear()
    return pace, FakeStreamUnits(store, pace, lambda: 0)
