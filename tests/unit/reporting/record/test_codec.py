# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Nothing is lost or rounded on the way to a file and back."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.port_evidence import PortEvidence
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.measurement.snapshot import DurationCounters, LatencyCounters, StreamCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.maximum import Limit, MaximumResult, MaximumSearch, Quantity
from TesterLibrary.methodology.throughput import LimitedBy, ThroughputSearch
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.record.codec import decode, encode, parse
from TesterLibrary.testbeds.testbed import DutSpec
from tests.counted import session_statistics

from ..simulated import SimulatedBench

SECOND = Duration(10**9)
COUNT = st.integers(0, 2**64 - 1)
LATENCY = st.builds(
    LatencyCounters, count=COUNT, sum_ns=COUNT, buckets=st.dictionaries(st.integers(0, 30_000), COUNT)
)
STREAM = st.builds(
    StreamResult,
    name=st.text(),
    tx_port=st.just("p1"),
    rx_port=st.just("p2"),
    frame_size=st.integers(64, 16128),
    intended_rate=st.fractions(min_value=0),
    counters=st.builds(StreamCounters, id=st.integers(1, 65535), tx_packets=COUNT, latency=LATENCY),
)


@given(
    streams=st.lists(STREAM, min_size=1, max_size=3), load=st.fractions(0, 1), objections=st.lists(st.text())
)
def test_a_trial_comes_back_as_it_was(
    streams: list[StreamResult], load: Fraction, objections: list[str]
) -> None:
    evidence = SimulatedBench().measure(Fraction(1, 3), SECOND).evidence
    trial = Trial(load, 10**9, tuple(streams), evidence, tuple(objections), number=7, attempt=2)

    assert decode(Trial, json.loads(json.dumps(encode(trial)))) == trial


def test_fractions_are_texts_and_histograms_steps_and_counts() -> None:
    assert encode(Fraction(1, 3)) == "1/3"
    assert encode({5: 0, 3: 1, 9: 4}) == [3, 1, 2, 0, 4, 4]
    assert encode({3: "x"}) == [[3, "x"]]
    assert encode(LimitedBy.TESTER) == "tester"
    assert encode(b"\x02\x00\x01") == "02:00:01"


def test_no_entries_are_an_object_unless_keys_are_numbers() -> None:
    assert encode({}) == {}
    assert encode({"facts": {}}) == {"facts": {}}
    nothing = encode(LatencyCounters(count=0, sum_ns=0, buckets={}))
    assert nothing["buckets"] == []
    assert decode(LatencyCounters, nothing).buckets == {}
    assert encode(PortEvidence("p1", rx_sizes={}))["rx_sizes"] == []
    assert encode(DutSpec("bridge"))["options"] == {}


@pytest.mark.parametrize("buckets", [[[3, 1], [5, 2]], [3, 1, 2, 2]])
def test_histograms_of_pairs_are_read_too(buckets: object) -> None:
    nothing = encode(LatencyCounters(count=0, sum_ns=0, buckets={}))
    assert decode(LatencyCounters, {**nothing, "buckets": buckets}).buckets == {3: 1, 5: 2}


def test_a_histogram_that_ends_in_a_step_is_refused() -> None:
    nothing = encode(LatencyCounters(count=0, sum_ns=0, buckets={}))
    with pytest.raises(ValueError, match="zip"):
        decode(LatencyCounters, {**nothing, "buckets": [3, 1, 2]})


def test_units_come_back() -> None:
    search = ThroughputSearch()
    assert decode(ThroughputSearch, json.loads(json.dumps(encode(search)))) == search


def test_a_missing_field_is_named() -> None:
    with pytest.raises(KeyError, match="StreamCounters needs 'id'"):
        decode(StreamCounters, {"tx_packets": 1})


def test_a_field_of_a_later_version_is_left_out() -> None:
    assert decode(StreamCounters, {"id": 1, "colour": "red"}) == StreamCounters(id=1)


def test_a_result_about_connections_comes_back_as_it_was() -> None:
    times = {"tcp.time_to_open": DurationCounters(2, 30, 10, 20, {10: 1, 20: 1})}
    statistics = session_statistics("users", 10**9, {"tcp.reset": 3}, times, openings=5)
    trial = SessionTrial(statistics, Fraction(7, 2), ("late",), "2026-01-01T00:00:00.000+00:00")
    search = MaximumSearch(Quantity.RATE, 1, 100, SECOND)
    result = MaximumResult("users", (), search, 50, None, Limit.SEARCH, (50, 100), (trial, trial))
    assert decode(MaximumResult, json.loads(json.dumps(encode(result)))) == result


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999"])
def test_a_number_that_is_not_finite_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        parse(text)
    assert parse("[1e300, -1]") == [1e300, -1]
