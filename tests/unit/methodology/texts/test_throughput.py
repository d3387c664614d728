# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.methodology.verdicts.judging import throughput_above
from TesterLibrary.model.units.units import Rate, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved
from tests.unit.methodology.simulated import SimulatedMeasurer
from tests.unit.reporting.simulated import SimulatedBench

from .samples import LATE, SECOND, TENTH, half_dead, said, trial


def throughputs() -> Iterator[Verdict]:
    for bound in ("10 %", "100 kpps", "100 Mbps", "100 Mbps L1"):
        yield throughput_above(trial("20 %"), Rate.parse(bound))
    yield throughput_above(trial("100 %"), Rate.parse("50 %"))
    yield throughput_above(trial("20 %"), Rate.parse("50 %"))
    yield throughput_above(trial(objections=LATE), Rate.parse("5 %"))
    search = ThroughputSearch(resolution=TENTH, trial_duration=SECOND, scout_duration=SECOND)
    for tester in (SimulatedBench(64), SimulatedBench(1518), SimulatedBench(64, capacity=0)):
        found = find_throughput(tester, search)
        for bound in ("5 %", "21.5 %", "90 %", "100 %"):
            yield found.verdict_above(Rate.parse(bound))
    limited = find_throughput(SimulatedBench(64, capacity=10**9, tester_limit=700_000), search)
    yield limited.verdict_above(Rate.parse("5 %"))
    yield limited.verdict_above(Rate.parse("90 %"))
    capped = find_throughput(SimulatedBench(1518), replace(search, highest=Ratio(Fraction(1, 2))))
    yield capped.verdict_above(Rate.parse("90 %"))
    repeated = find_throughput(SimulatedMeasurer(Fraction(6, 10)), search, repeat=5)
    for bound in ("60 %", "65 %", "70 %"):
        yield repeated.verdict_above(Rate.parse(bound))
    calibrated = replace(search, highest=Ratio(Fraction(1, 2)), calibrated=True)
    yield find_throughput(SimulatedBench(1518), calibrated).verdict_above(Rate.parse("90 %"))
    tolerant = find_throughput(SimulatedBench(1518), replace(search, loss=Ratio(Fraction(9, 10))))
    one_dead = replace(tolerant, trials=tuple(map(half_dead, tolerant.trials)))
    yield one_dead.verdict_above(Rate.parse("90 %"))
    unstable = find_throughput(SimulatedMeasurer(random_loss=0.01), replace(search, stability=TENTH))
    yield unstable.verdict_above(Rate.parse("5 %"))


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("throughput", said(throughputs))
