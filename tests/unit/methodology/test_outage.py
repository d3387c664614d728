# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from TesterLibrary.measurement.snapshot import OutageCounters
from TesterLibrary.methodology.outage import measure_outage, outage_below
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Outcome
from tests.counted import order_counters, stream_counters

from .measured import SECOND, OneTrial, trial

MILLISECOND = 10**6
GOOD = stream_counters(1, tx_packets=1000, rx_packets=1000, order=order_counters(1000))
CUT = replace(
    GOOD, id=2, rx_packets=800, outages=OutageCounters(1, 201 * MILLISECOND, 200, 201 * MILLISECOND, 5, 200)
)
GONE = replace(GOOD, rx_packets=0, order=order_counters())


def test_the_longest_comes_first() -> None:
    shorter = replace(CUT, id=3, outages=replace(CUT.outages, longest_ns=7 * MILLISECOND, longest_lost=6))
    result = measure_outage(OneTrial(trial(GOOD, shorter, CUT)), Fraction(1), SECOND)
    assert [o.lost for o in result.outages] == [200, 6]
    assert str(result).endswith("201 ms by time, 200 ms by 200 lost frames")
    assert str(measure_outage(OneTrial(trial(GOOD)), Fraction(1), SECOND)).endswith(
        "no outage longer than 1 ms"
    )


def test_what_nobody_counted_is_not_called_no_outage() -> None:
    uncounted = trial(replace(CUT, outages=None))
    assert str(measure_outage(OneTrial(uncounted), Fraction(1), SECOND)).endswith(": not measured")
    assert str(measure_outage(OneTrial(trial(GOOD, GONE)), Fraction(1), SECOND)).endswith("traffic ended")
    invalid = trial(GOOD, objections=("slept",))
    assert str(measure_outage(OneTrial(invalid), Fraction(1), SECOND)).endswith(": not measured")


def test_of_several_streams_it_names_the_one_that_stood_longest() -> None:
    shorter = replace(CUT, id=3, outages=replace(CUT.outages, longest_ns=7 * MILLISECOND, longest_lost=6))
    several = trial(GOOD, shorter, CUT)
    names = {stream.counters.id: stream.name for stream in several.streams}
    assert f"by 200 lost frames of {names[CUT.id]}, required" in str(outage_below([several], SECOND))
    assert str(outage_below([trial(CUT)], SECOND)).count("lost frames, required") == 1


def test_a_bound_below_the_gap_between_frames_is_open() -> None:
    slow = trial(GOOD)
    slow = replace(slow, streams=(replace(slow.streams[0], intended_rate=Fraction(1, 2)),))
    verdict = outage_below([slow], Duration(100 * MILLISECOND))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.measured == "none longer than 2 s"
    assert verdict.reason == "frames of stream1 are 2 s apart; send at least 20/s for a bound of 100 ms"
    assert outage_below([slow], Duration(2 * SECOND.ns)).outcome is Outcome.PASS
    beside = replace(slow, streams=(*slow.streams, *trial(CUT).streams))
    assert outage_below([beside], Duration(100 * MILLISECOND)).outcome is Outcome.FAIL
    assert outage_below([beside], Duration(300 * MILLISECOND)).outcome is Outcome.INCONCLUSIVE
    nothing = outage_below([slow], Duration(0))
    assert nothing.reason.endswith("no rate shows an outage of 0; verify the loss in its place")


def test_it_has_to_be_over() -> None:
    assert outage_below([trial(GOOD)], Duration(MILLISECOND)).outcome is Outcome.PASS
    assert outage_below([trial(CUT)], Duration(201 * MILLISECOND)).outcome is Outcome.PASS
    assert outage_below([trial(CUT)], Duration(200 * MILLISECOND)).outcome is Outcome.FAIL
    assert outage_below([trial(GONE)], Duration(3600 * SECOND.ns)).outcome is Outcome.FAIL
    assert outage_below([trial(GONE, objections=("slept",))], SECOND).reason == "slept"


def test_bounds_that_leave_it_open_have_their_unit() -> None:
    again = replace(CUT, rx_packets=860, order=order_counters(1000, duplicated=60, behind=60))
    verdict = outage_below([trial(again)], Duration(200 * MILLISECOND))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "it is only known to lie between 200 ms and 201 ms"


def test_a_tester_that_counts_outages_of_one_size_only_says_so() -> None:
    one = trial(replace(CUT, outages=None))
    several = replace(one, streams=tuple(replace(s, sizes={64: 7, 570: 4}) for s in one.streams))
    said = "this tester does not count outages"
    assert outage_below([one], SECOND).reason == said
    (stream,) = several.streams
    assert (
        outage_below([several], SECOND).reason == f"{said} of {stream.name}, whose frames have several sizes"
    )
