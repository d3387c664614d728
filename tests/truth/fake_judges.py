# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts through the fake tester, whose device does what it is told exactly; no time passes."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.methodology.verdicts.judging import latency_below, loss_below
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.tester import Tester
from TesterLibrary.targets.fake import FakeDamage, FakeDevice, FakePath, FakeTarget
from tests.unit.running.testers import SECOND, fake_tester, stream

from .case import FAKE, Case, judge_on


@contextmanager
def _tester(path: FakePath) -> Iterator[Tester]:
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        made = fake_tester(Path(folder))
        target = FakeTarget(device=FakeDevice(path))
        made.target = target
        made.clock = Clock.of(target)
        yield made


def _part(draw: random.Random) -> Ratio:
    return Ratio(draw.choice([Fraction(0), Fraction(draw.randint(1, 1000), 10_000), Fraction(1, 3)]))


@judge_on(FAKE)
def loss(draw: random.Random) -> Case:
    """Parts of the frames are lost or damaged, evenly: their number is known to within one of each kind."""
    lost, damage = _part(draw), FakeDamage(corrupted=_part(draw), duplicated=_part(draw))
    pps = draw.choice([1000, 20_000, 1_000_000])
    north = stream(rate=f"{pps} pps")
    with _tester(FakePath(loss=lost, damage=damage)) as made:
        trial = TrialMeasurer(made, [north]).measure(made.part_of_line(north), SECOND)
    part = 1 - (1 - lost.value) * (1 - damage.corrupted.value)
    beside = Fraction(4, pps)
    bound = part + draw.choice([beside, -beside, 10 * beside, -10 * beside, part, -part / 2])
    if part == 0:
        bound = draw.choice([Fraction(0), beside])
    bound = min(Fraction(1), max(Fraction(0), bound))
    if part and abs(bound - part) < beside:  # closer than whole frames tell
        bound = min(Fraction(1), part + beside)
    verdict = loss_below([trial], Ratio(bound))
    about = f"bound {bound}; {lost=} {damage} {pps} pps"
    return Case("loss_below", part <= bound, verdict, "", about, FAKE)


@judge_on(FAKE)
def search(draw: random.Random) -> Case:
    """A device with a capacity, behind a tester that may have a lower one."""
    capacity = draw.randint(10_000, 1_600_000)
    limit = draw.choice([None, None, draw.randint(10_000, 1_600_000)])
    wanted = ThroughputSearch(
        resolution=Ratio(Fraction(1, draw.choice([20, 100, 200]))),
        trial_duration=SECOND,
        scout_duration=Duration(10**8),
    )
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        made = fake_tester(Path(folder), capacity=capacity, tester_limit=limit)
        result = find_throughput(TrialMeasurer(made, [stream()]), wanted)
    line = made.ports["p1"].speed.frames_per_second(64)
    step = wanted.resolution.value * line
    bound = max(Fraction(1), capacity + draw.choice([-10, -2, -1, 1, 2, 10]) * step)
    bound = min(bound, Fraction(line))
    reached = bound <= capacity
    between = (result.load or 0) * line < bound < (result.failed_load or 0) * line
    excuse = "between two loads of the search" if between or abs(bound - capacity) < step else ""
    if bound < wanted.lowest.value * line and not result.load:
        excuse = "the search went no lower"
    if limit is not None:
        excuse = "the tester has a limit"
    verdict = result.verdict_above(Rate(bound, RateUnit.PPS))
    about = f"bound {bound}; {capacity=} {limit=}; {wanted}"
    return Case("find_throughput", reached, verdict, excuse, about, FAKE)


@judge_on(FAKE)
def latency(draw: random.Random) -> Case:
    """Each frame is delayed alike."""
    ns, percent = draw.randint(1_000, 10**8), draw.choice([50.0, 99.9, 100.0])
    north = stream(rate="1000 pps")
    with _tester(FakePath(delay=Duration(ns))) as made:
        trial = TrialMeasurer(made, [north]).measure(made.part_of_line(north), SECOND)
    margin = 0 if percent == 100 else ceil(ns / 200) + 2
    bound = draw.choice([ns + margin, ns - margin - 1, 2 * ns + 4, floor(ns / 2) - 2])
    verdict = latency_below([trial], Duration(bound), percent)
    return Case("latency_below", ns <= bound, verdict, "", f"p{percent} {bound} ns; {ns} ns", FAKE)
