# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.methodology.latency import LatencyMeasurement, measure_latency
from TesterLibrary.model.units import Duration, Ratio

from ..methodology.simulated import SimulatedMeasurer

MEASUREMENT = LatencyMeasurement(load=Ratio.parse("50 %"), trial_duration=Duration(10**8), repetitions=1)


def asked(measurer: SimulatedMeasurer) -> float:
    """Get Latency    p50    <    1 s"""
    result = measure_latency(measurer, MEASUREMENT)
    suite: Any = SimpleNamespace(
        judged=lambda: result, conclude=lambda verdict, message: verdict.enforce(message)
    )
    return Getter(suite).latency("p50", AssertionOperator["<"], "1 s", None)


def test_a_latency_that_there_is() -> None:
    assert asked(SimulatedMeasurer()) > 0


def test_no_latency_says_what_was_wrong_with_the_trial() -> None:
    with pytest.raises(Inconclusive, match=r"^INCONCLUSIVE: latency p50: no frame of north was received"):
        asked(SimulatedMeasurer(random_loss=1.0))
    with pytest.raises(Inconclusive, match=r"a worker did not run for 50\.0 ms"):
        asked(SimulatedMeasurer(random_loss=1.0, broken_trials={1}))
