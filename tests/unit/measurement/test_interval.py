# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.measurement.interval import (
    BY_VERSION,
    ON_THE_WAY,
    Interval,
    StreamInterval,
    misattributed,
)
from TesterLibrary.measurement.snapshot import VersionCounters
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.methodology.verdicts.interval_series import IntervalStatistic, each_as_expected, exactly
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.reporting.live.notes import facts_of
from TesterLibrary.verdict import Outcome
from tests.counted import stream_counters

SECOND = 10**9
NOTHING = VersionCounters()


def north(received: int = 1000) -> StreamInterval:
    before = VersionCounters(500, 32_000, 7_000, 500, 32_000, 9_000)
    after = VersionCounters(
        tx_packets=1500,
        tx_bytes=96_000,
        tx_time_ns=7_000 + 1000 * SECOND,
        rx_packets=500 + received,
        rx_bytes=32_000 + 64 * received,
        rx_time_ns=9_000 + received * (SECOND + 2000),
    )
    return StreamInterval.between("north", before, after, SECOND)


def interval(*streams: StreamInterval) -> Interval:
    return Interval(3, 10 * SECOND, 11 * SECOND, 5_000_000, streams)


def test_it_is_what_came_between_two_readings() -> None:
    found = interval(north())
    assert (found.sent, found.received, found.lost, found.loss) == (1000, 1000, 0, 0)
    assert (found.received_rate, found.throughput_bps) == (1000, 512_000)
    assert (found.delay_ns, found.delay_bound_ns) == (2000, 0)
    assert str(found) == "interval 3, 1 s: sent 1,000, lost 0 (0.0000 %), 1,000 pps, delay 2 us ± 0 ns"


def test_loss_that_copies_may_hide_is_printed_as_its_bounds() -> None:
    found = interval(replace(north(), again=5))
    assert (found.lost, found.most_lost) == (0, 5)
    assert str(found).startswith(
        "interval 3, 1 s: sent 1,000, lost 0 to 5 (0.0000 % to 0.5000 %, as frames may have arrived twice), "
    )
    assert exactly(found, IntervalStatistic.LOST) is exactly(found, IntervalStatistic.LOSS) is None
    assert exactly(found, IntervalStatistic.SENT) == 1000
    facts = facts_of(found)
    assert (facts["lost"], facts["streams"][0]["lost"]) == (None, None)
    assert exactly(interval(north()), IntervalStatistic.LOST) == 0
    series = MonitoringResult("north", (), SECOND, Method.VERSION, "", (found,))
    assert str(series) == "north: 1 intervals of 1 s, sent 1,000, lost 0 to 5"


def test_loss_goes_into_the_bound_of_the_delay() -> None:
    found = interval(north(990))
    assert (found.lost, found.loss) == (10, Fraction(1, 100))
    assert found.delay_bound_ns == 10_000_000


def test_each_stream_loses_for_itself() -> None:
    twice = StreamInterval.between("twice", NOTHING, VersionCounters(tx_packets=10, rx_packets=20), SECOND)
    assert interval(north(995), twice).lost == 5


def test_an_interval_in_which_nothing_arrives() -> None:
    dark = interval(StreamInterval.between("dark", NOTHING, VersionCounters(tx_packets=10), SECOND))
    assert (dark.lost, dark.delay_ns, dark.received_rate) == (10, None, 0)
    assert str(dark) == "interval 3, 1 s: sent 10, lost 10 (100.0000 %), 0 pps"
    assert interval(StreamInterval.between("idle", NOTHING, NOTHING, SECOND)).loss == 0


def test_intervals_miss_no_more_frames_than_are_missing_in_all() -> None:
    """A device changes the version bit of frames both ways: all arrive, one in the wrong version."""
    intervals = [interval(north(999)), interval(north(1001))]
    told = misattributed("north", intervals, stream_counters(1, tx_packets=2000, rx_packets=2000))
    assert told == (
        "1 frames of 'north' are missing in intervals, and 0 in all: the device writes over their version, "
        "or sends copies"
    )
    assert not misattributed("north", intervals, stream_counters(1, tx_packets=2000, rx_packets=1999))
    assert not misattributed("south", intervals, stream_counters(1, tx_packets=2000, rx_packets=2000))


@pytest.mark.parametrize(
    ("unsigned", "bound", "outcome"),
    [
        ((), "5 %", Outcome.FAIL),  # frames with a signature are known to be of their interval
        (("north",), "5 %", Outcome.INCONCLUSIVE),  # each may have lost 4 %
        (("north",), "3.9 %", Outcome.FAIL),  # one of them lost 4 % or more
        (("north",), "0 %", Outcome.FAIL),
        (("north",), "8 %", Outcome.PASS),
        (("south",), "5 %", Outcome.FAIL),
    ],
)
def test_loss_that_versions_moved_between_intervals_is_not_known(
    unsigned: tuple[str, ...], bound: str, outcome: Outcome
) -> None:
    """Each interval lost 40 of 1,000; the device wrote over the version of 40 more frames of the first."""
    intervals = (interval(north(920)), interval(north(1000)))
    series = MonitoringResult("north", (), SECOND, Method.VERSION, "", intervals, unsigned=unsigned)
    verdict = series.verdict_below(Ratio.parse(bound))
    assert verdict.outcome is outcome, verdict
    if outcome is Outcome.INCONCLUSIVE:
        assert "8 %, 4 % at least by all intervals together," in verdict.measured


@pytest.mark.parametrize(
    ("unsigned", "arrived", "outcome"),
    [
        ((), (920, 1000), Outcome.FAIL),
        (("north",), (920, 1000), Outcome.INCONCLUSIVE),  # both may have lost 40
        (("north",), (920,), Outcome.FAIL),  # in no other interval
        (("north",), (1000, 1000), Outcome.INCONCLUSIVE),  # copies may hide it
    ],
)
def test_what_one_interval_lost_is_open_without_a_signature(
    unsigned: tuple[str, ...], arrived: tuple[int, ...], outcome: Outcome
) -> None:
    again = None if unsigned else 0
    intervals = tuple(interval(replace(north(count), again=again)) for count in arrived)
    series = MonitoringResult("north", (), SECOND, Method.VERSION, "", intervals, unsigned=unsigned)
    for statistic, bound in ((IntervalStatistic.LOST, 50), (IntervalStatistic.LOSS, 0.05)):
        verdict = each_as_expected(series, statistic, AssertionOperator["<="], bound, f"<= {bound}")
        assert verdict.outcome is outcome, verdict


_COPIED = replace(north(), again=100)  # 900 to 1,000 frames of 64 bytes
_MOVED = replace(north(990), open=BY_VERSION)  # 990 to 1,000


@pytest.mark.parametrize(
    ("stream", "statistic", "operator", "bound", "outcome"),
    [
        (_COPIED, IntervalStatistic.RECEIVED, ">=", 900, Outcome.PASS),
        (_COPIED, IntervalStatistic.RECEIVED, ">=", 901, Outcome.INCONCLUSIVE),
        (_COPIED, IntervalStatistic.RECEIVED, "<=", 899, Outcome.FAIL),
        (_COPIED, IntervalStatistic.RECEIVED_RATE, ">=", 950, Outcome.INCONCLUSIVE),
        (_COPIED, IntervalStatistic.RECEIVED_RATE, ">", 1000, Outcome.FAIL),
        (_COPIED, IntervalStatistic.THROUGHPUT, ">=", 900 * 512, Outcome.PASS),
        (_COPIED, IntervalStatistic.THROUGHPUT, ">=", 512_000, Outcome.INCONCLUSIVE),
        (_COPIED, IntervalStatistic.THROUGHPUT, "<=", 512_000, Outcome.PASS),
        (_MOVED, IntervalStatistic.RECEIVED, ">=", 990, Outcome.PASS),
        (_MOVED, IntervalStatistic.RECEIVED, ">=", 995, Outcome.INCONCLUSIVE),
        (_MOVED, IntervalStatistic.THROUGHPUT, ">=", 990 * 512, Outcome.PASS),
        (_MOVED, IntervalStatistic.THROUGHPUT, "<=", 512_000, Outcome.INCONCLUSIVE),  # of any size
    ],
)
def test_what_arrived_of_an_interval_is_known_as_well_as_what_was_lost(
    stream: StreamInterval, statistic: IntervalStatistic, operator: str, bound: float, outcome: Outcome
) -> None:
    unsigned = ("north",) if stream.open else ()
    beside = (interval(north()),) if stream.open else ()
    series = MonitoringResult(
        "north", (), SECOND, Method.VERSION, "", (interval(stream), *beside), unsigned=unsigned
    )
    verdict = each_as_expected(series, statistic, AssertionOperator[operator], bound, f"{operator} {bound}")
    assert verdict.outcome is outcome, verdict
    assert exactly(interval(stream), statistic) is None


def test_an_interval_without_signatures_prints_bounds() -> None:
    line = str(interval(replace(north(920), open=BY_VERSION, again=None)))
    assert "lost 0 to 1,000 (0.0000 % to 100.0000 %, as the device may write over the versions of" in line
    assert ", 0 to 1,000 pps, delay" in line


def test_frames_that_may_be_on_their_way_are_not_lost() -> None:
    late = interval(replace(north(999), open=ON_THE_WAY))
    series = MonitoringResult("north", (), SECOND, Method.VERSION, "", (interval(north(1000)), late))
    assert series.verdict_below(Ratio.parse("0")).outcome is Outcome.INCONCLUSIVE
    assert exactly(late, IntervalStatistic.LOST) is None
    assert series.verdict_below(Ratio.parse("0.1 %")).outcome is Outcome.PASS
