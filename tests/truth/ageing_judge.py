# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on the time after which addresses are forgotten."""

from __future__ import annotations

import random

from TesterLibrary.methodology.ageing import measure_ageing
from TesterLibrary.model.units.units import Duration
from tests.unit.methodology.test_ageing import SECOND, SimulatedTable

from .case import Case, judge


@judge
def ageing(draw: random.Random) -> Case:
    """A table that forgets each address after another time, some of them never within the timeout."""
    cycles, gap_ns, way_ns = draw.randint(1, 4), draw.choice([10**6, 10**7, 10**8]), draw.randint(0, 10**6)
    times = [draw.randint(1, 20 * SECOND) for _ in range(cycles)]
    fault, learns = draw.random() < 0.08, draw.random() < 0.9
    objections = ("a worker did not run for 90 ms",) if fault else ()
    table = SimulatedTable(times, gap_ns, way_ns, learns, objections)
    timeout = draw.choice([15, 30]) * SECOND
    result = measure_ageing(table, "at p1", cycles=cycles, timeout=Duration(timeout))
    above = draw.random() < 0.5
    worst = min(times) if above else max(times)
    bound = max(1, worst + draw.choice([0, 1, -1, gap_ns, -gap_ns, SECOND, -SECOND, 20 * SECOND]))
    verdict = (result.verdict_above if above else result.verdict_below)(Duration(bound))
    excuse = "the tester" if fault else "" if learns else "it was not learned"
    if abs(bound - worst) <= 3 * gap_ns + way_ns:
        excuse = excuse or "within the gap between two frames"
    if max(worst, bound) > timeout - 3 * gap_ns:
        excuse = excuse or "it was not watched for so long"
    truth = (worst >= bound if above else worst <= bound) if learns else None
    about = f"{'above' if above else 'below'} {bound} ns; {times=} {gap_ns=} {way_ns=} {timeout=}"
    return Case("ageing_time", truth, verdict, excuse, about)
