# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RFC 3918: group delays, leaks, group capacity and forwarding rates by numbers of groups."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.methodology.groups.group_capacity import find_group_capacity
from TesterLibrary.methodology.groups.group_delay import GroupDelay, measure_group_delays
from TesterLibrary.methodology.groups.group_forwarding import GroupMatrix, sweep_group_matrix
from TesterLibrary.methodology.groups.group_leak import no_leak
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from tests.unit.methodology.multicast import LINE_PPS, GroupDevice, GroupForwarder, GroupTable

from .case import Case, judge

_SECOND_NS = 10**9


@judge
def group_delay(draw: random.Random) -> Case:
    """The truth is when the device begins to forward, and when it ceases."""
    delay = draw.choice([*GroupDelay])
    gap = draw.choice([10_000, 100_000, 1_000_000])
    device = GroupDevice(
        join_ns=draw.choice([None, *(draw.randint(0, 3 * _SECOND_NS) for _ in range(9))]),
        leave_ns=draw.choice([None, *(draw.randint(0, 3 * _SECOND_NS) for _ in range(9))]),
        gap_ns=gap,
        phase_ns=draw.randrange(gap),
        floods=draw.random() < 0.05,
        busy=draw.random() < 0.05,
    )
    result = measure_group_delays(device, "video at p2", draw.randint(1, 3))
    burden = draw.choice([(), ("a worker did not run for 90 ms",)]) if draw.random() < 0.1 else None
    if burden is not None:  # RFC 3918 §8.2
        result = replace(result, burden=tuple(replace(trial, objections=burden) for trial in result.trials))
    found = device.join_ns if delay is GroupDelay.JOIN else device.leave_ns
    bound = max(
        1, (found or _SECOND_NS) + draw.choice([-_SECOND_NS, -2 * gap, -1, 0, 1, 2 * gap, _SECOND_NS])
    )
    excuse = "it was busy" if device.busy else "it floods" if device.floods else ""
    excuse = excuse or ("the burden was not as intended" if burden else "")
    if device.join_ns is None:
        excuse = excuse or "it never forwards"
    elif found is not None and abs(found - bound) <= gap:
        excuse = excuse or "within the resolution"
    truth = None if device.join_ns is None or device.floods else found is not None and found <= bound
    return Case(delay.value, truth, result.verdict_below(delay, Duration(bound)), excuse, f"{device} {bound}")


@judge
def group_leak(draw: random.Random) -> Case:
    """The truth is whether a frame arrived at a port that is no member, or at one before it joined."""
    device = GroupDevice(
        join_ns=draw.choice([None, 1_000_000, 1_000_000]),
        floods=draw.random() < 0.2,
        leaks=draw.choice([0, 0, 1, 1000]),
        busy=draw.random() < 0.1,
    )
    result = measure_group_delays(device, "video at p2", draw.randint(1, 3))
    leaks = bool(device.leaks or device.floods)
    silent = device.join_ns is None and not device.floods
    excuse = "" if leaks else "it was busy" if device.busy else "nothing arrives" if silent else ""
    truth = None if silent and not leaks else not leaks
    verdict = no_leak(result.trials, early=result.early)
    return Case("multicast leak", truth, verdict, excuse, f"{device}")


@judge
def group_capacity(draw: random.Random) -> Case:
    """The truth is the number of entries of the table."""
    checks = draw.choice([frozenset[int](), frozenset({draw.randint(1, 9)}), frozenset(range(1, 99))])
    table = GroupTable(
        draw.randint(1, 600),
        floods=draw.random() < 0.5,
        recovers=draw.random() < 0.8,
        lossy=checks,
        counts=draw.random() < 0.95,
        cold=0 if checks else draw.choice([0, 0, 0, 1, 2]),
    )
    resolution = Ratio(draw.choice([Fraction(0), Fraction(0), Fraction(1, 10)]))
    lowest = draw.choice([1, 16])
    result = find_group_capacity(table, "groups", lowest=lowest, highest=512, resolution=resolution)
    bound = max(1, table.entries + draw.choice([-50, -1, 0, 1, 2, 50]))
    excuse = "the tester was disturbed" if checks else "" if table.counts else "leaks are not counted"
    if bound > result.capacity and result.failed is None:
        excuse = excuse or "more than were tried"
    elif result.capacity < bound < (result.failed or 0):
        excuse = excuse or "between the bounds of the search"
    elif table.floods and not table.recovers:
        excuse = excuse or "it did not recover"
    about = f"{table} {lowest} {resolution} {bound}"
    truth: bool | None = table.entries >= bound
    if table.cold:
        excuse = excuse or "the first checks failed"
        if table.counts and table.entries >= lowest:
            truth = None  # the lowest number failed, and a later check passed it
    return Case("multicast group capacity", truth, result.verdict_above(bound), excuse, about)


@judge
def group_forwarding(draw: random.Random) -> Case:
    """The truth is what members receive with the number of groups that is worst for the device."""
    device = GroupForwarder(
        draw.randint(1, 12_000),
        draw.choice([0, 0, draw.randint(0, 100)]),
        limit=draw.choice([Fraction(1), Fraction(1), Fraction(draw.randint(1, 99), 100)]),
        counts=draw.random() < 0.95,
        deaf=draw.random() < 0.1,
    )
    percent = draw.randint(1, 100)
    matrix = GroupMatrix((1, 10, 50), Ratio(Fraction(percent, 100)), Duration(_SECOND_NS))
    result = sweep_group_matrix(device, "groups", matrix)
    offered = LINE_PPS * percent // 100
    truth = 0 if device.deaf else min(device.forwarded(50), offered)
    bound = Rate(Fraction(max(1, truth + draw.choice([-500, -1, 0, 1, 500]))), RateUnit.PPS)
    excuse = "the tester's limit" if device.limit < 1 else "" if device.counts else "others are not counted"
    if bound.value > offered:
        excuse = excuse or "more than was offered"
    verdict = result.verdict_above(bound)
    return Case("group forwarding rate", truth >= bound.value, verdict, excuse, f"{device} {matrix} {bound}")
