# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clocks that are compared over connections which take time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest

from TesterLibrary.errors import TargetError
from TesterLibrary.targets.fake import FakeTarget, fake_port
from TesterLibrary.targets.joined.common_time import MeasuredTime
from TesterLibrary.targets.joined.members import Members

_SECOND = 10**9


class _World:
    """The time of this machine, and connections to testers that take some of it."""

    def __init__(self, seed: int) -> None:
        self.now = _SECOND
        self.trip_ns = 20_000  # at least
        self._numbers = Random(seed)

    def now_ns(self) -> int:
        return self.now

    def pass_trip(self) -> None:
        self.now += self.trip_ns + self._numbers.randint(0, 100_000)


class _Reading:
    def __init__(self, tester: _Tester) -> None:
        self.read_ns = tester.read_ns

    def start(self, jobs: Sequence[str], **_: object) -> None:
        raise AssertionError(jobs)


class _Tester(FakeTarget):
    """A tester whose clock is ahead, drifts and steps."""

    def __init__(self, world: _World, port: str, ahead_ns: int, drift_ppm: int = 0) -> None:
        super().__init__([fake_port(port)])
        self._world, self.ahead_ns, self._drift = world, ahead_ns, drift_ppm
        self.instants = _Reading(self)

    def true_ahead_ns(self) -> int:
        return self.ahead_ns + self._world.now * self._drift // 10**6

    def read_ns(self) -> int:
        self._world.pass_trip()
        read = self._world.now + self.true_ahead_ns()
        self._world.pass_trip()
        return read


def _compared(seed: int, drift_ppm: int = 0) -> tuple[_World, dict[str, _Tester], Members, MeasuredTime]:
    world = _World(seed)
    testers = {"left": _Tester(world, "p1", 5 * _SECOND), "right": _Tester(world, "p2", -_SECOND, drift_ppm)}
    members = Members.of(testers)
    return world, testers, members, MeasuredTime(members, world.now_ns)


@pytest.mark.parametrize("seed", range(100))
def test_a_drift_of_50_ppm_stays_within_the_bound_that_is_said(seed: int) -> None:
    world, testers, members, time = _compared(seed, 50 if seed % 2 else -50)
    left, right = members
    for _ in range(10):
        world.now += _SECOND
        time.refresh()
        clock = time.ahead(right, left)
        truth = testers["right"].true_ahead_ns() - testers["left"].true_ahead_ns()
        assert abs(clock.ahead_ns - truth) <= clock.within_ns < _SECOND // 1000
    line = time.line(right)
    drift = Fraction(50 if seed % 2 else -50, 10**6)
    assert abs(line.drift - drift) <= line.drift_within + Fraction(1, 10**9) < Fraction(50, 10**6)


@pytest.mark.parametrize("seed", range(100))
def test_a_step_of_a_millisecond_is_named_once(seed: int) -> None:
    world, testers, members, time = _compared(seed)
    left, right = members
    for _ in range(8):
        world.now += _SECOND // 4
        time.refresh()
    testers["right"].ahead_ns += 10**6 if seed % 2 else -(10**6)
    with pytest.raises(TargetError, match="tester 'right': its clock has stepped"):
        time.refresh()
    clock = time.ahead(right, left)  # the next trial runs with the clock as it is now
    truth = testers["right"].true_ahead_ns() - testers["left"].true_ahead_ns()
    assert abs(clock.ahead_ns - truth) <= clock.within_ns


def test_a_way_that_is_too_slow_is_named() -> None:
    world, testers, _, time = _compared(1)
    world.trip_ns = 6_000_000
    time.refresh()  # the round trips before still tell where the clock is
    with pytest.raises(TargetError, match=r"tester 'left': its clock is known within .* \(at most 5 ms\)"):
        MeasuredTime(Members.of(testers), world.now_ns)


def test_all_testers_get_the_same_instant() -> None:
    world, testers, members, time = _compared(1)
    instants = time.instants(list(members))
    real = {name: instants[name] - tester.true_ahead_ns() for name, tester in testers.items()}
    error_ns = sum(time.line(member).within_ns for member in members)
    assert abs(real["left"] - real["right"]) <= error_ns
    first = min(real.values()) - world.now
    assert first > 10**7
    time.postpone()
    later = time.instants(list(members))
    assert later["left"] - instants["left"] > 2 * first


def test_the_lead_follows_the_time_that_orders_take() -> None:
    world, _, members, time = _compared(2)
    for _ in range(10):
        time.instants(list(members))
        world.now += 10**6  # an order
        world.now += 200 * 10**6  # nobody has to wait for the instant then
        time.pass_instant()
    before = world.now
    slow = time.instants(list(members))["left"] - 5 * _SECOND - before
    for _ in range(10):
        time.instants(list(members))
        world.now += 30 * 10**6
        world.now += 10**9
        time.pass_instant()
    assert slow == pytest.approx(4 * 201 * 10**6, rel=0.01)
    assert time.instants(list(members))["left"] - 5 * _SECOND - world.now > slow
