# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.methodology.groups.group_capacity import find_group_capacity
from TesterLibrary.methodology.groups.group_delay import GroupDelay, measure_group_delays
from TesterLibrary.methodology.groups.group_forwarding import GroupMatrix, sweep_group_matrix
from TesterLibrary.methodology.groups.group_leak import no_leak
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from ..multicast import GroupDevice, GroupForwarder, GroupTable
from .samples import said

_DEVICES = (
    GroupDevice(),
    GroupDevice(gap_ns=10_000_000),
    GroupDevice(join_ns=None),
    GroupDevice(leave_ns=None),
    GroupDevice(floods=True),
    GroupDevice(leaks=17),
    GroupDevice(busy=True),
)


def delays() -> Iterator[Verdict]:
    for device in _DEVICES:
        result = measure_group_delays(device, "video at p2", 2)
        for delay, bound in (
            (GroupDelay.JOIN, "2 ms"),
            (GroupDelay.JOIN, "500 us"),
            (GroupDelay.LEAVE, "1.1 s"),
            (GroupDelay.LEAVE, "100 ms"),
            (GroupDelay.LEAVE, "12 s"),
        ):
            yield result.verdict_below(delay, Duration.parse(bound))


def burdened() -> Iterator[Verdict]:
    """RFC 3918 §8.2."""
    device = GroupDevice()
    result = measure_group_delays(device, "video at p2", 2)
    for objections in ((), ("a worker did not run for 90 ms",)):
        burden = tuple(replace(trial, objections=objections) for trial in result.trials)
        yield replace(result, burden=burden).verdict_below(GroupDelay.JOIN, Duration.parse("2 ms"))


def leaks() -> Iterator[Verdict]:
    for device in _DEVICES:
        result = measure_group_delays(device, "video at p2", 2)
        yield no_leak(result.trials, early=result.early)


def capacities() -> Iterator[Verdict]:
    always = frozenset(range(1, 99))
    for table in (
        GroupTable(100),
        GroupTable(100, floods=True, recovers=False),
        GroupTable(100, lossy=always),
        GroupTable(100, counts=False),
        GroupTable(1000),
    ):
        result = find_group_capacity(
            table, "groups", lowest=16, highest=512, resolution=Ratio(Fraction(1, 20))
        )
        for bound in (64, 100, 120, 200, 600):
            yield result.verdict_above(bound)


def forwarding_rates() -> Iterator[Verdict]:
    matrix = GroupMatrix((1, 100), duration=Duration(10**9))
    for device in (
        GroupForwarder(8000, 30),
        GroupForwarder(12_000),
        GroupForwarder(0),
        GroupForwarder(8000, limit=Fraction(1, 2)),
        GroupForwarder(8000, counts=False),
    ):
        result = sweep_group_matrix(device, "groups", matrix)
        for bound in ("5 kpps", "6 kpps", "11 kpps", "50 %"):
            yield result.verdict_above(Rate.parse(bound))


def test_texts_of_multicast(approved: Approved) -> None:
    approved("multicast", said(delays, burdened, leaks, capacities, forwarding_rates))
