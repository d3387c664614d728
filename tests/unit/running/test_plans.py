# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams are planned once, and again only when something that the plan depends on has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.pattern import pattern
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.port_pattern import PortPattern
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.running.suite import Suite
from TesterLibrary.targets.fake import FakeTarget, fake_port

from .testers import opened, stream

Compilations = Callable[[], int]


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> Compilations:
    """The number of compilations since it was asked for last."""
    plans: list[Plan] = []

    def compiled(*arguments: Any, **options: Any) -> Plan:
        plans.append(compile_job(*arguments, **options))
        return plans[-1]

    def count() -> int:
        number = len(plans)
        plans.clear()
        return number

    monkeypatch.setattr("TesterLibrary.running.plans.compile_job", compiled)
    return count


def meshed(directory: Path) -> Suite:
    """A suite with a mesh of four ports."""
    names = [f"p{number}" for number in range(1, 5)]
    suite = opened(directory, target=FakeTarget([fake_port(name) for name in names]))
    suite.put_over_ports(stream("mesh", rate="10 %"), PortPattern.MESH, names)
    return suite


def test_a_mesh_is_planned_once(tmp_path: Path, compilations: Compilations) -> None:
    suite = meshed(tmp_path)
    assert (len(suite.streams), compilations()) == (12, 1)
    suite.traffic.start(suite.chosen([]))
    assert compilations() == 0


def test_each_job_has_ids_of_its_own(tmp_path: Path) -> None:
    suite = meshed(tmp_path)
    streams = suite.chosen([])
    suite.tester.check(streams)
    first, second = (suite.tester.plan(name, streams) for name in ("one", "two"))
    assert (first.job, second.job) == ("one", "two")
    assert [planned.id for planned in second.streams] == [planned.id + 12 for planned in first.streams]


@pytest.mark.parametrize("sends", [False, True])
def test_a_burst_pattern_is_planned_once(sends: bool, tmp_path: Path, compilations: Compilations) -> None:
    suite = opened(tmp_path)
    suite.put(stream(rate="1 kpps"))
    if sends:
        suite.traffic.start(suite.chosen([]))
    compilations()
    suite.shape("north", lambda: pattern(packets=4, peak="2.5x"))
    assert compilations() == 1


def test_what_a_plan_depends_on_is_planned_again(tmp_path: Path, compilations: Compilations) -> None:
    suite = opened(tmp_path)
    suite.put(stream())
    suite.tester.seed += 1
    suite.tester.check(suite.chosen([]))
    name, port = next(iter(suite.tester.ports.items()))
    suite.tester.ports = {**suite.tester.ports, name: replace(port, mac=bytes(6))}
    suite.tester.check(suite.chosen([]))
    assert compilations() == 3


def test_what_the_tester_would_never_load_is_refused_when_it_is_described(tmp_path: Path) -> None:
    class Narrow(FakeTarget):
        @property
        def planner(self) -> Narrow:  # type: ignore[override]
            return self

        def check(self, plan: Plan) -> None:
            if len(plan.streams) > 2:
                raise PlanError("no room for three")

    suite = opened(tmp_path, target=Narrow())
    suite.put(stream())
    three = [stream(name, rate="1 %") for name in "abc"]
    with pytest.raises(PlanError, match="no room for three"):
        suite.put_together(three)
    assert list(suite.streams) == ["north"]
