# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.measurement import remarks
from TesterLibrary.measurement.evidence import Evidence
from TesterLibrary.measurement.snapshot import LatencyCounters, Snapshot
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.reporting.pages.render import trials_html
from tests.counted import port_counters, stream_counters

EVIDENCE = Evidence(2000, 2000, Fraction(0), 0, 0, 0, 0, 0, Fraction(0))


def stream(name: str, sent: int, received: int, size: int = 64) -> StreamResult:
    counters = stream_counters(
        id=1, tx_packets=sent, tx_bytes=sent * size, rx_packets=received, rx_bytes=received * size
    )
    return StreamResult(name, "p1", "p2", size, Fraction(1000), counters)


def trial(*streams: StreamResult) -> Trial:
    return Trial(Fraction(1, 2), 2 * 10**9, streams, EVIDENCE)


def test_counts_first_ratios_from_them() -> None:
    result = trial(stream("north", 1000, 997), stream("south", 1000, 1000, 128))
    assert (result.sent, result.received, result.lost) == (2000, 1997, 3)
    assert result.loss == Fraction(3, 2000)
    assert result.loss_ratio == 0.0015
    assert (result.offered_rate, result.received_rate) == (1000, 998.5)
    assert result.throughput_bps == (997 * 64 + 1000 * 128) * 8 / 2
    assert str(result) == (
        "north + south, 64/128 bytes: 50.00 % for 2 s, sent 2,000, lost 3 (0.1500 %), 998 pps"
    )


def test_the_order_of_frames_is_worked_out_once() -> None:
    north = stream("north", 1000, 997)
    assert north.order is north.order
    assert north.broadcast is north.broadcast
    assert replace(north, copies=("p3",)).order is not north.order


def test_rates_are_over_the_time_that_the_frames_really_took() -> None:
    """A tester that was six times too slow did not offer what it was to, even if it sent every frame."""
    late = stream("north", 1000, 1000)
    counters = replace(late.counters, first_tx_ns=1, last_tx_ns=1 + 12 * 10**9)
    result = trial(replace(late, counters=counters))
    assert result.sending_ns == 12 * 10**9
    assert (result.offered_rate, result.received_rate) == (1000 / 12, 1000 / 12)
    assert result.throughput_bps == 1000 * 64 * 8 / 12


def test_one_frame_has_no_rate() -> None:
    for result in (trial(stream("north", 1, 1)), trial(stream("north", 1, 0), stream("south", 1, 1))):
        assert result.offered_rate is result.received_rate is result.throughput_bps is None
        assert remarks.no_rate(result) == "no stream has sent two frames, and fewer have no rate"
        assert f", {remarks.no_rate(result)}" in str(result)
        assert '<td align="right">–</td>' in trials_html([result])
    for result in (trial(stream("north", 0, 0)), trial(stream("north", 1, 1), stream("south", 2, 2))):
        assert result.offered_rate == result.sent / 2
        assert remarks.no_rate(result) == ""


def test_few_frames_are_sent_in_as_many_gaps() -> None:
    """Seven frames that are due in 2 s at 3 pps take 2.33 s: until the eighth one would be due."""
    few = replace(stream("north", 7, 7), sending_ns=7 * 10**9 // 3)
    assert trial(few).offered_rate == pytest.approx(3)


def test_what_one_stream_gets_twice_does_not_hide_what_another_loses() -> None:
    assert trial(stream("a", 100, 110), stream("b", 100, 95)).lost == 5


def test_nothing_sent_is_nothing_lost() -> None:
    assert trial(stream("a", 0, 0)).loss == 0


def test_what_arrived_at_another_port_is_told_with_the_place() -> None:
    def astray(name: str, count: int, *ports: str) -> StreamResult:
        result = stream(name, 10, 10 - count)
        counted = replace(result.counters, rx_misrouted=count, rx_misrouted_ports=ports)
        return replace(result, counters=counted)

    result = trial(astray("a", 3, "p3"), astray("b", 0), astray("c", 2, "p3", "p4"), astray("d", 1))
    assert remarks.misrouted(result) == (
        "3 frames of a arrived at p3, expected at p2; 2 frames of c arrived at p3, p4, expected at p2; "
        "1 frames of d arrived at another port, expected at p2"
    )
    assert str(result).endswith(f"; {remarks.misrouted(result)}")
    assert result.lost == 6
    assert loss_below([result], Ratio(Fraction(0))).measured.endswith(f"{remarks.misrouted(result)})")
    assert trial(astray("b", 0)).misrouted == ""


def test_an_invalid_trial_says_so() -> None:
    result = replace(trial(stream("a", 10, 10)), objections=("the tester slept",))
    assert not result.valid
    assert str(result).endswith("INVALID: the tester slept")
    assert trial(stream("a", 10, 10)).valid


def test_latency_is_over_all_streams() -> None:
    def with_latency(name: str, value: int) -> StreamResult:
        counted = replace(
            stream(name, 1, 1).counters, latency=LatencyCounters(1, value, value, value, {value: 1})
        )
        return replace(stream(name, 1, 1), counters=counted)

    latency = trial(with_latency("a", 100), with_latency("b", 300)).latency
    assert (latency.count, latency.min, latency.mean, latency.max) == (2, 100, 200, 300)


def test_what_is_not_there_is_named() -> None:
    result = trial(stream("north", 1, 1), stream("south", 1, 1))
    assert result.stream("south").name == "south"
    with pytest.raises(KeyError, match="no stream 'east'; it has north, south"):
        result.stream("east")
    snapshot = Snapshot(0, (port_counters("p1"),), (stream_counters(7),))
    assert (snapshot.port("p1").name, snapshot.stream(7).id) == ("p1", 7)
    with pytest.raises(KeyError, match="no port 'p2' in the snapshot"):
        snapshot.port("p2")
    with pytest.raises(KeyError, match="no stream 8 in the snapshot"):
        snapshot.stream(8)
