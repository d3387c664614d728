# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every target finds exactly what a device is known to do to frames, or names what it cannot count.

A table of defects and targets, in which no cell is empty. The engine has a forwarder of ours between its
ports, in a namespace; the fakes have devices of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.measurement.counter import Counter
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.outage import outage_below, outages_of
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.suite import Suite
from TesterLibrary.running.tester import Tester
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget
from TesterLibrary.targets.fake.damage import FakeDamage
from TesterLibrary.testbeds.privilege import is_privileged
from tests.acceptance.defects import attempt, device_that
from tests.acceptance.opened import opened
from tests.unit.running.testers import fake_tester

from .planted import Planted
from .rig import SwitchRig

pytestmark = pytest.mark.alone

FRAMES = 410
ATTEMPTS = 3
EVERY = 20
MANY = 20  # frames, each 20th
THOSE = range(EVERY - 1, FRAMES, EVERY)
PART = Ratio(Fraction(MANY, FRAMES))
GAP_NS = 500_000
NORTH = Stream("north", "p1", "p2", FrameSize(128), Rate.parse("2 kpps"))


@dataclass(frozen=True)
class Defect:
    """How often it is planted, and where it is found."""

    planted: int
    found: Callable[[Trial], int | None]
    counter: Counter | None = None  # a counter that a target may lack; None: all find it
    fate: str = ""  # its name in `Get Frame Order`


def outage(trial: Trial) -> int | None:
    """Frames lost in the longest one."""
    if trial.streams[0].outages is None:
        return None
    return outages_of([trial])[0].lost


def looping(trial: Trial) -> int:
    return sum("(a loop in the device?)" in finding for finding in trial.findings)


def paused(trial: Trial) -> int | None:
    return next(port.rx_pause for port in trial.evidence.ports if port.name == "p1")


DEFECTS = {
    "loss": Defect(MANY, lambda trial: trial.lost, fate="lost"),
    "duplicate": Defect(MANY, lambda trial: trial.order.duplicated, Counter.DUPLICATED, "duplicated"),
    "reordering": Defect(MANY, lambda trial: trial.order.reordered, Counter.REORDERED, "reordered"),
    "corruption": Defect(MANY, lambda trial: trial.order.corrupted, Counter.CORRUPTED, "corrupted"),
    "outage": Defect(MANY, outage, Counter.OUTAGES),
    "misrouting": Defect(MANY, lambda trial: trial.order.misrouted, Counter.MISROUTED, "misrouted"),
    "loop": Defect(1, looping),
    "PAUSE": Defect(7, paused),
}

# How each defect is planted on each target, by what the device there is told.
BY_FORWARDER: Mapping[str, Mapping[str, object]] = {
    "loss": {"lose_every": EVERY},
    "duplicate": {"duplicate_every": EVERY},
    "reordering": {"hold_every": EVERY, "overtaken_by": 1},
    "corruption": {"corrupt_every": EVERY},
    "outage": {"lose": [100, MANY]},
    "misrouting": {"misroute_every": EVERY},
    "loop": {"loop": 5, "lose": [9, 1]},  # a trial that misses no frame does not wait for more
    "PAUSE": {"pause": 7},
}
BY_BRIDGE: Mapping[str, Mapping[str, Any]] = {
    "loss": {"copies": dict.fromkeys(THOSE, 0)},
    "duplicate": {"copies": dict.fromkeys(THOSE, 2)},
    "reordering": {"delayed_ns": dict.fromkeys(THOSE, GAP_NS * 3 // 2)},
    "corruption": {"damaged": frozenset(THOSE)},
    "outage": {"copies": dict.fromkeys(range(100, 100 + MANY), 0)},
    "misrouting": {"returned": frozenset(THOSE)},
    "loop": {"loops": {5: 2000}},
    "PAUSE": {},  # a MAC meets it, no bridge
}
BY_PATH: Mapping[str, FakePath] = {
    "loss": FakePath(loss=PART),
    "duplicate": FakePath(damage=FakeDamage(duplicated=PART)),
    "reordering": FakePath(damage=FakeDamage(overtaken=PART)),
    "corruption": FakePath(damage=FakeDamage(corrupted=PART)),
    "outage": FakePath(),  # it stops forwarding meanwhile
    "misrouting": FakePath(out="p1"),  # all of a path
    "loop": FakePath(damage=FakeDamage(loops=True)),
    "PAUSE": FakePath(),  # the port meets it
}
TARGETS = {"fake": BY_PATH, "engine": BY_FORWARDER, "tofino": BY_BRIDGE}


def by_fake(defect: str, folder: Path) -> tuple[Tester, Trial]:
    target = FakeTarget(device=FakeDevice(BY_PATH[defect]))
    made = replace(
        fake_tester(folder),
        target=target,
        clock=Clock.of(target),
    )

    def meanwhile() -> None:
        if defect == "outage":
            target.advance(Duration(100 * GAP_NS))
            target.set_forwarding(on=False)
            target.advance(Duration(MANY * GAP_NS))
            target.set_forwarding(on=True)
        elif defect == "PAUSE":
            target.meet_pause("p1", DEFECTS[defect].planted)

    return made, attempt(made, NORTH, FRAMES, meanwhile)


def by_engine(defect: str, folder: Path) -> tuple[Tester, Trial]:
    """A trial in which the machine disturbed the tester is repeated."""
    if not is_privileged():
        pytest.skip("needs root for a network namespace")
    for number in range(ATTEMPTS):
        with (
            closing(opened("embedded/l2-bridge", folder / str(number))) as bed,
            device_that(bed, **BY_FORWARDER[defect]),
        ):
            trial = attempt(bed.tester, NORTH, FRAMES)
        if trial.valid:
            break
    return bed.tester, trial


def by_tofino(defect: str, folder: Path) -> tuple[Tester, Trial]:
    rig = SwitchRig(Planted(**BY_BRIDGE[defect]))
    made = replace(
        fake_tester(folder),
        target=rig.target,
        capabilities=rig.target.capabilities(),
        ports=rig.ports,
        clock=rig.clock,
    )

    def meanwhile() -> None:
        if defect == "PAUSE":
            rig.meet("p1", "$FramesReceivedoftypePAUSE", DEFECTS[defect].planted)

    return made, attempt(made, NORTH, FRAMES, meanwhile)


MEASURE = {"fake": by_fake, "engine": by_engine, "tofino": by_tofino}


@pytest.fixture(params=sorted(TARGETS))
def measured(request: pytest.FixtureRequest, defect: str, tmp_path: Path) -> tuple[Tester, Trial]:
    if request.param == "engine":
        request.getfixturevalue("engine")  # skips, or fails, where there is none
    return MEASURE[request.param](defect, tmp_path)


def test_no_cell_of_the_table_is_empty() -> None:
    assert {name: set(DEFECTS) ^ set(planted) for name, planted in TARGETS.items()} == {
        "fake": set(),
        "engine": set(),
        "tofino": set(),
    }


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_planted_defect_is_found_exactly_or_absent_by_name(
    defect: str, measured: tuple[Tester, Trial]
) -> None:
    made, trial = measured
    assert trial.valid, trial.objections
    planted, found = DEFECTS[defect], DEFECTS[defect].found(trial)
    counts = planted.counter is None or planted.counter in made.capabilities.counts
    if not counts:
        assert found is None
        with pytest.raises(Inconclusive, match="this tester does not count"):
            judge(defect, made, trial)
        return
    whole_path = defect == "misrouting" and made.capabilities.target == "fake"
    assert found == (FRAMES if whole_path else planted.planted)
    if defect == "loop":
        assert "(a loop in the device?)" in str(trial)
        lost = bool(trial.lost)  # a loss is a FAIL in spite of a doubt
        with pytest.raises(VerdictFailed if lost else Inconclusive, match=None if lost else "a loop in the"):
            judge(defect, made, trial)
    elif defect == "PAUSE":
        judge(defect, made, trial)  # no frame was lost because of it
        assert "7 PAUSE frames arrived at port p1, which does not obey them" in str(trial)
    else:
        with pytest.raises(Inconclusive if whole_path else VerdictFailed):
            judge(defect, made, trial)


def judge(defect: str, made: Tester, trial: Trial) -> None:
    """Judges the trial like a suite that tolerates no such defect."""
    if defect == "outage":
        outage_below([trial], Duration(1)).enforce()
    elif fate := DEFECTS[defect].fate:
        session = Suite("planted", 1, made.recorder, made.progress, scopes=made.scopes)
        session.scopes.enter(["s1", "s1-t1"])
        session.remember(trial)
        Getter(session).order(fate, AssertionOperator["=="], 0, None)
    else:
        loss_below([trial], Ratio(Fraction(0))).enforce()
