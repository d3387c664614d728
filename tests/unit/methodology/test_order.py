# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

from TesterLibrary.measurement.order import Order
from TesterLibrary.methodology.order import measure_order, reordering_below
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import order_counters, stream_counters

from .measured import SECOND, OneTrial, trial

MIXED_UP = stream_counters(
    1,
    tx_packets=1000,
    rx_packets=1000,
    rx_out_of_order=10,
    rx_misrouted=1,
    rx_corrupted=2,
    order=order_counters(next_sequence=1000, duplicated=5, late=1, extent_max=3),
)


def test_all_that_became_of_the_frames() -> None:
    result = measure_order(OneTrial(trial(MIXED_UP)), Fraction(1), SECOND)
    assert result.order == Order(1000, 1000, 5, 10, 3, 1, 2, 1)
    assert str(result) == (
        "stream1, 64 bytes: 5 to 6 lost, 5 duplicated, 10 reordered, 1 late, 2 corrupted, 1 misrouted "
        "of 1,000 frames, the worst overtaken by 3"
    )


def test_reordering_is_judged_by_what_arrived() -> None:
    trials = [trial(MIXED_UP)]
    # 10 of 995 first arrivals, or 9 if the one that came late was a copy.
    assert reordering_below(trials, Ratio.parse("1.01 %")).outcome is Outcome.PASS
    assert reordering_below(trials, Ratio.parse("1 %")).outcome is Outcome.INCONCLUSIVE
    assert reordering_below(trials, Ratio.parse("0.9 %")).outcome is Outcome.FAIL
    assert reordering_below([trial(MIXED_UP, objections=("slept",))], Ratio.parse("1 %")).reason == "slept"
    assert (
        reordering_below([trial(stream_counters(1))], Ratio.parse(0)).reason
        == "no frame of stream1 was received"
    )
