# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.path_mtu import PathMtuResult, PathMtuSearch, find_path_mtu
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Outcome

from .simulated import SimulatedMeasurer


@dataclass
class SimulatedPath:
    """Drops packets longer than its MTU, and a part of the others."""

    mtu: int
    random_loss: float = 0.0
    broken: bool = False
    asked: list[int] = field(default_factory=list)

    def probe(self, packet: int) -> Trial:
        self.asked.append(packet)
        loss = self.random_loss if packet <= self.mtu else 1.0
        measurer = SimulatedMeasurer(random_loss=loss, broken_trials=[1] if self.broken else [])
        return measurer.measure(Fraction(1, 10**4), Duration(10**8))


def found(path: SimulatedPath, lowest: int = 576, highest: int = 1500) -> PathMtuResult:
    return find_path_mtu(path, PathMtuSearch(lowest, highest))


@given(mtu=st.integers(576, 1500), loss=st.sampled_from([0.0, 0.3, 0.9]))
def test_each_mtu_is_found_exactly_whatever_else_is_lost(mtu: int, loss: float) -> None:
    path = SimulatedPath(mtu, loss)
    result = found(path)
    assert result.mtu == mtu
    assert result.failed_at == (None if mtu == 1500 else mtu + 1)
    assert len(path.asked) <= ceil(log2(1500)) + 2
    assert result.verdict_above(mtu).outcome is Outcome.PASS
    expected = Outcome.INCONCLUSIVE if mtu == 1500 else Outcome.FAIL
    assert result.verdict_above(mtu + 1).outcome is expected


def test_below_the_lowest_size_nothing_is_known() -> None:
    result = found(SimulatedPath(400))
    assert str(result) == "north: path MTU less than 576 bytes, 576 bytes do not arrive"
    assert result.verdict_above(576).outcome is Outcome.FAIL
    assert result.verdict_above(500).outcome is Outcome.INCONCLUSIVE


def test_probes_of_a_tester_that_fell_short_fail_nobody() -> None:
    verdict = found(SimulatedPath(1000, broken=True)).verdict_above(1500)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "a worker did not run" in verdict.reason


def test_a_search_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(PlanError, match="lowest must be at least 1 and at most highest; lowest is "):
        found(SimulatedPath(1500), lowest=1501)
