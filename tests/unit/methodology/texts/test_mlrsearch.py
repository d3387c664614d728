# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from TesterLibrary.methodology.mlrsearch.controller import find_goals
from TesterLibrary.methodology.mlrsearch.result import MultipleLossRatioResult
from TesterLibrary.methodology.mlrsearch.search import MultipleLossRatioSearch
from TesterLibrary.model.units.units import Rate, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from ..mlrsearch.laws import LossLaw, goal, rising
from ..simulated import SimulatedMeasurer
from .samples import said


def goals() -> Iterator[Verdict]:
    def found(device: SimulatedMeasurer, highest: str = "100 %") -> MultipleLossRatioResult:
        both = (goal(), goal("PDR", "0.5 %"))
        return find_goals(device, MultipleLossRatioSearch(both, highest=Ratio.parse(highest)))

    regular = found(LossLaw(law=rising(Fraction(612, 1000), Fraction(1, 10))))
    for bound in ("60 %", "61.2 %", "62 %", "900 kpps", "400 Mbps L1"):
        yield regular.verdict_above("NDR", Rate.parse(bound))
    for bound in ("65 %", "66.1 %", "70 %"):
        yield regular.verdict_above("PDR", Rate.parse(bound))
    at_line = found(SimulatedMeasurer())
    yield at_line.verdict_above("NDR", Rate.parse("100 %"))
    yield found(SimulatedMeasurer(), "50 %").verdict_above("NDR", Rate.parse("60 %"))
    yield found(SimulatedMeasurer(capacity=Fraction(0))).verdict_above("PDR", Rate.parse("5 %"))
    limited = found(SimulatedMeasurer(tester_limit=Fraction(4, 10)))
    yield limited.verdict_above("NDR", Rate.parse("30 %"))
    yield limited.verdict_above("NDR", Rate.parse("90 %"))
    yield found(SimulatedMeasurer(broken_trials=range(1, 99))).verdict_above("NDR", Rate.parse("5 %"))


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("mlrsearch", said(goals))
