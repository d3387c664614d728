# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.snapshot import LatencyCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.groups.multicast_latency import measure_multicast_latency
from TesterLibrary.methodology.verdicts.judging import latency_below
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Outcome
from tests.counted import stream_counters

from ..measured import SECOND, trial

US = 1000


def at(member: str) -> Trial:
    """The second member gets its frames later."""
    delay = {"p2": 20 * US, "p3": 50 * US}[member]
    return trial(
        stream_counters(
            id=1,
            tx_packets=10,
            rx_packets=10,
            latency=LatencyCounters(10, 10 * delay, delay, delay, {index_of(delay): 10}),
        )
    )


def test_each_member_has_its_own_latency() -> None:
    result = measure_multicast_latency(at, "video", ["p2", "p3"], SECOND)
    assert {member: latency.mean for member, latency in result.latencies.items()} == {
        "p2": 20 * US,
        "p3": 50 * US,
    }
    assert (result.latency.min, result.latency.max) == (20 * US, 50 * US)
    assert str(result) == "video: mean latency by member: p2 20 us, p3 50 us"
    assert result.shortened == ("trials of 1 s: RFC 2544 §26.2 asks for at least 120 s",)
    assert latency_below(result.trials, Duration(60 * US), 100).outcome is Outcome.PASS
    assert latency_below(result.trials, Duration(30 * US), 100).outcome is Outcome.FAIL


def test_no_time_is_refused() -> None:
    with pytest.raises(PlanError, match="a duration of 0 ns is too short"):
        measure_multicast_latency(at, "video", ["p2"], Duration(0))
