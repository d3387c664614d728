# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.flows import (
    FlowMeasure,
    FlowResult,
    FlowStatistics,
    FlowSummary,
    flows_of,
    worst_flows,
)
from TesterLibrary.measurement.snapshot import FlowCounters

flows = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 10**9)), max_size=60).map(
    lambda rows: [
        FlowResult(i, sent, received, 64 * received, latency * received, latency, latency)
        for i, (sent, received, latency) in enumerate(rows)
    ]
)


def test_one_flow() -> None:
    flow = FlowResult(7, 10, 8, 512, 1600, 100, 300)
    assert (flow.lost, flow.loss, flow.latency_mean_ns) == (2, Fraction(1, 5), 200)
    assert str(flow) == "flow 7: lost 2 of 10, latency mean 200 ns max 300 ns"
    silent = FlowResult(8, 10, 0, 0)
    assert (silent.loss, silent.latency_mean_ns) == (1, None)
    assert str(silent) == "flow 8: lost 10 of 10"


@given(flows, st.integers(1, 10))
def test_the_worst_are_those_that_sorting_all_would_give(every: list[FlowResult], count: int) -> None:
    by_loss = sorted(every, key=lambda f: (-f.loss, f.index))[:count]
    assert list(worst_flows(iter(every), count)) == by_loss
    by_delay = sorted(every, key=lambda f: (-(f.latency_max_ns or 0), f.index))[:count]
    assert list(worst_flows(every, count, FlowMeasure.MAX_LATENCY)) == by_delay
    by_mean = sorted(every, key=lambda f: (-(f.latency_mean_ns or 0), f.index))[:count]
    assert list(worst_flows(every, count, FlowMeasure.MEAN_LATENCY)) == by_mean


@given(flows)
def test_statistics_are_over_all_of_them(every: list[FlowResult]) -> None:
    found = FlowStatistics.of(every)
    assert (found.flows, found.sent) == (len(every), sum(f.sent for f in every))
    assert found.lossy == sum(f.lost > 0 for f in every)
    assert found.silent == sum(f.sent > 0 and not f.received for f in every)
    received = [f.received for f in every] or [0]
    assert (found.least_received, found.most_received) == (min(received), max(received))


def test_chunks_are_put_together() -> None:
    chunks = [
        FlowCounters(0, (1, 2), (1, 1), (64, 64), (5, 7), (5, 7), (5, 7)),
        FlowCounters(2, (3,), (0,), (0,), (0,), (0,), (0,)),
    ]
    assert [(f.index, f.sent, f.received, f.latency_max_ns) for f in flows_of(chunks)] == [
        (0, 1, 1, 5),
        (1, 2, 1, 7),
        (2, 3, 0, 0),
    ]


def test_latency_that_is_not_counted_by_flow_is_none_and_orders_nothing() -> None:
    chunk = FlowCounters(0, (2, 2), (1, 2), (64, 128))
    first, second = flows_of([chunk])
    assert (first.latency_sum_ns, second.latency_mean_ns, second.latency_max_ns) == (None, None, None)
    assert str(first) == "flow 0: lost 1 of 2"
    assert [flow.index for flow in FlowSummary.of([chunk]).worst] == [0, 1]
    for by in (FlowMeasure.MEAN_LATENCY, FlowMeasure.MAX_LATENCY):
        with pytest.raises(PlanError, match="counts latency by stream, not by flow; take by=loss"):
            FlowSummary.of([chunk], by=by)


def test_a_summary_does_not_depend_on_the_chunks() -> None:
    received = [3, 0, 5, 5, 1]
    one = FlowCounters(0, [5] * 5, received, [0] * 5, received, [1] * 5, [9, 0, 2, 2, 7])
    two = [
        FlowCounters(0, [5] * 2, received[:2], [0] * 2, received[:2], [1] * 2, [9, 0]),
        FlowCounters(2, [5] * 3, received[2:], [0] * 3, received[2:], [1] * 3, [2, 2, 7]),
    ]
    for by in FlowMeasure:
        assert FlowSummary.of([one], 2, by) == FlowSummary.of(two, 2, by)
    assert [flow.index for flow in FlowSummary.of(two, 2).worst] == [1, 4]
    assert [flow.index for flow in FlowSummary.of(two, 2, FlowMeasure.MAX_LATENCY).worst] == [0, 4]
    statistics = FlowSummary.of(two).statistics
    assert (statistics.flows, statistics.silent, statistics.lossy) == (5, 1, 3)
    assert str(statistics) == "5 flows: 3 lost frames, of 1 nothing arrived; 0 to 5 frames received a flow"
