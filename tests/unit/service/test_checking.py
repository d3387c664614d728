# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The checks before a tester is granted: its ports, what it still has, and frames over its cables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from TesterLibrary.errors import TargetError
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.service import checking
from TesterLibrary.service.config import shipped_places
from TesterLibrary.targets.fake import FakeTarget, fake_port
from TesterLibrary.targets.fake.device import FakeDevice, FakePath
from TesterLibrary.testbeds import load_testbed
from tests.contract.rig import Rig

TESTBED = load_testbed("embedded/loopback")
CABLES = [("p1", "p2")]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_ARRIVE_S", 0.0)


def test_a_good_tester_has_no_problem_and_nothing_is_left_in_it() -> None:
    target = FakeTarget()
    assert checking.look_at(target, TESTBED, CABLES) == ""
    assert target.snapshot().jobs == ()


def test_a_port_that_is_not_there() -> None:
    target = FakeTarget([fake_port("p1"), fake_port("x")])
    assert checking.look_at(target, TESTBED, ()) == "the tester has no port p2; it has p1, x"


def test_a_link_that_is_down() -> None:
    target = FakeTarget([fake_port("p1"), replace(fake_port("p2"), link_up=False)])
    assert checking.look_at(target, TESTBED, ()) == "the link of p2 is down"


def test_what_somebody_has_left() -> None:
    target = FakeTarget()
    rig = Rig(target)
    rig.load(rig.plan("old"))
    assert checking.look_at(target, TESTBED, ()) == "the tester still has job 'old' of somebody"


def test_a_cable_that_loses_frames() -> None:
    target = FakeTarget(device=FakeDevice(paths={("p2", "p1"): FakePath(loss=Ratio.parse("1 %"))}))
    assert checking.look_at(target, TESTBED, CABLES) == "p2 to p1: 990 of 1000 frames arrived"
    assert target.snapshot().jobs == ()


def test_a_tester_that_dies_meanwhile() -> None:
    target = FakeTarget(dies_after=Duration(10**7 * 3))
    with pytest.raises(TargetError, match="the fake tester died"):
        checking.look_at(target, TESTBED, CABLES)


def test_a_simulated_tester_is_opened_for_it() -> None:
    place = next(place for place in shipped_places().places if place.file == "simulated/queue")
    assert checking.problem_of(place) == ""
    assert "there is no testbed 'nowhere'" in checking.problem_of(replace(place, file="nowhere"))
