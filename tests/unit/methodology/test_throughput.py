# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import Inconclusive, PlanError
from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.throughput import (
    LimitedBy,
    ThroughputResult,
    ThroughputSearch,
    find_throughput,
)
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Outcome

from ...examples import examples
from .measured import with_late_copies
from .simulated import LINE, SimulatedMeasurer

SECOND = Duration(10**9)
SCOUT = Duration(10**8)
SEARCH = ThroughputSearch(trial_duration=SECOND, scout_duration=SCOUT)

parts = st.integers(0, 1000).map(lambda n: Fraction(n, 1000))


def percent(text: str) -> Ratio:
    return Ratio.parse(text)


def full_trials(result: ThroughputResult) -> list[Trial]:
    return [t for t in result.trials if t.duration_ns == result.search.trial_duration.ns]


def test_a_device_at_line_rate_costs_one_scout_and_one_trial() -> None:
    result = find_throughput(SimulatedMeasurer(), SEARCH)
    assert (result.load, result.failed_load, result.limited_by) == (1, None, LimitedBy.LINE)
    assert [t.duration_ns for t in result.trials] == [SCOUT.ns, SECOND.ns]
    assert result.rate == pytest.approx(float(LINE))
    assert result.offered == Rate.parse("100 %")
    assert result.part("80 %") == Rate.parse("80 %")
    assert result.throughput_bps == pytest.approx(float(LINE) * 512)


def test_an_ideal_device_costs_few_scouts_and_two_trials() -> None:
    result = find_throughput(SimulatedMeasurer(capacity=Fraction(612, 1000)), SEARCH)
    assert (result.load, result.failed_load) == (Fraction(61, 100), Fraction(615, 1000))
    assert result.limited_by is LimitedBy.DEVICE
    assert len(full_trials(result)) == 2
    assert len(result.trials) <= 6


def test_a_deep_buffer_fools_scouts_but_not_the_result() -> None:
    bucket = int(LINE / 100) + 1  # absorbs 10 % of line rate for the 0.1 s of a scout, 1 % in a second
    result = find_throughput(SimulatedMeasurer(capacity=Fraction(1, 2), bucket=bucket), SEARCH)
    assert result.load == Fraction(51, 100)
    assert result.limited_by is LimitedBy.DEVICE


def test_a_device_that_always_loses_has_no_throughput() -> None:
    result = find_throughput(SimulatedMeasurer(random_loss=0.01), SEARCH)
    assert (result.load, result.rate, result.throughput_bps, result.judged) == (None, None, None, ())
    assert (result.limited_by, result.failed_load) == (LimitedBy.DEVICE, SEARCH.lowest.value)
    assert str(result).startswith(
        "north, 64 bytes: throughput below 1 % of line rate, 14.881 kpps, 7.61905 Mbps, limited by the device"
    )
    for wanted in (lambda: result.offered, lambda: result.part("80 %")):
        with pytest.raises(Inconclusive, match="no throughput to be offered"):
            wanted()


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ("70 %", "FAIL: throughput of north, 64 bytes is below 70 %, required >= 70 %"),
        ("2 Mpps", "FAIL: throughput of north, 64 bytes is below 1.04167 Mpps, required >= 2 Mpps"),
        (
            "60 %",
            "INCONCLUSIVE: throughput of north, 64 bytes is below 70 %, required >= 60 % (the device failed "
            "at 70 % of line rate, and the search went no lower)",
        ),
    ],
)
@pytest.mark.parametrize("repeat", [1, 3])
def test_a_device_below_the_search_is_below_it_and_not_at_0(bound: str, said: str, repeat: int) -> None:
    """Nobody has measured 0: its throughput is anything below the lowest load."""
    search = replace(SEARCH, lowest=percent("70 %"), scout_duration=SECOND)
    result = find_throughput(SimulatedMeasurer(capacity=Fraction(65, 100)), search, repeat=repeat)
    verdict = result.verdict_above(Rate.parse(bound))
    assert str(verdict) == said
    assert (verdict.least, verdict.most) == (None, result.below(Rate.parse(bound).unit))
    assert (result.agreement, result.variation, result.interval) == (None, None, None)


def test_repetitions_of_which_some_find_nothing_have_no_mean() -> None:
    """A device that passes its lowest load every other time passes and fails nothing at it."""
    search = replace(SEARCH, lowest=percent("70 %"), scout_duration=SECOND)

    class Undecided(SimulatedMeasurer):
        def measure(self, load: Fraction, duration: Duration) -> Trial:
            self.capacity = Fraction(70, 100) if len(self.asked) in range(2, 30) else Fraction(60, 100)
            return super().measure(load, duration)

    result = find_throughput(Undecided(), search, repeat=2)
    assert {repetition.load for repetition in result.repetitions} == {None, Fraction(7, 10)}
    assert result.agreement is None
    verdicts = [result.verdict_above(Rate.parse(bound)) for bound in ("70 %", "90 %", "10 %")]
    assert {verdict.outcome for verdict in verdicts} == {Outcome.INCONCLUSIVE}
    assert verdicts[0].reason == "1 of 2 repetitions found a throughput, the others none"


def test_allowed_loss_is_allowed() -> None:
    result = find_throughput(SimulatedMeasurer(random_loss=0.01), replace(SEARCH, loss=percent("2 %")))
    assert (result.load, result.limited_by) == (1, LimitedBy.LINE)


def test_the_tester_limits_from_above_and_says_so() -> None:
    result = find_throughput(SimulatedMeasurer(tester_limit=Fraction(4, 10)), SEARCH)
    assert (result.load, result.failed_load) == (Fraction(4, 10), Fraction(405, 1000))
    assert result.limited_by is LimitedBy.TESTER
    assert "the tester sent" in result.reason


def test_a_tester_that_sends_all_but_too_slowly_costs_few_trials() -> None:
    result = find_throughput(SimulatedMeasurer(tester_limit=Fraction(4, 10), late=True), SEARCH)
    assert (result.load, result.limited_by) == (Fraction(4, 10), LimitedBy.TESTER)
    assert len(result.trials) <= 5


def test_a_search_at_the_limit_of_the_tester_claims_what_left() -> None:
    """A trial is valid if it missed its rate by less than 1 %; that part is no throughput."""
    result = find_throughput(SimulatedMeasurer(tester_limit=Fraction(2385, 10_000), late=True), SEARCH)
    assert (result.load, result.limited_by) == (Fraction(24, 100), LimitedBy.TESTER)
    assert result.rate == pytest.approx(float(Fraction(2385, 10_000) * LINE))
    assert str(result).startswith("north, 64 bytes: throughput 23.85 % of line rate, 354.911 kpps")
    assert result.verdict_above(Rate.parse("23.8 %")).outcome is Outcome.PASS
    between = result.verdict_above(Rate.parse("23.9 %"))
    assert between.outcome is Outcome.INCONCLUSIVE
    assert between.reason == "limited by the tester: of 24 % only 23.85 % left"


def test_scouts_do_not_look_for_the_limit_of_a_tester_that_sends_less_the_more_is_asked() -> None:
    slow = SimulatedMeasurer(tester_limit=Fraction(4, 10), late=True, thrashing=Fraction(8, 10))
    result = find_throughput(slow, SEARCH)
    assert (result.load, result.limited_by) == (Fraction(4, 10), LimitedBy.TESTER)
    assert [t.load for t in result.trials if t.duration_ns == SCOUT.ns] == [1, Fraction(325, 1000)]


def test_a_device_slower_than_the_tester_is_still_found() -> None:
    result = find_throughput(
        SimulatedMeasurer(tester_limit=Fraction(4, 10), capacity=Fraction(3, 10)), SEARCH
    )
    assert (result.load, result.limited_by) == (Fraction(3, 10), LimitedBy.DEVICE)


def test_a_flaky_tester_never_fails_the_device() -> None:
    every_trial = range(1, 1000)
    result = find_throughput(SimulatedMeasurer(broken_trials=every_trial), SEARCH)
    assert (result.load, result.limited_by) == (None, LimitedBy.TESTER)
    assert "throughput not known, limited by the tester" in str(result)
    assert result.verdict_above(Rate.parse("10 %")).outcome is Outcome.INCONCLUSIVE


def test_without_shorter_scouts_every_trial_counts() -> None:
    search = replace(SEARCH, scout_duration=SECOND)
    result = find_throughput(SimulatedMeasurer(capacity=Fraction(1, 2)), search)
    assert (result.load, result.failed_load) == (Fraction(1, 2), Fraction(505, 1000))
    assert len(result.trials) <= 4


@settings(deadline=None, max_examples=examples(300))
@given(
    capacity=parts,
    limit=parts.filter(bool),
    bucket=st.sampled_from([0, 10, 1000, 100_000]),
    collapse=st.sampled_from([Fraction(1), Fraction(98, 100), Fraction(1, 2), Fraction(0)]),
    resolution=st.sampled_from(["0.1 %", "0.5 %", "0.7 %", "5 %"]).map(percent),
    lowest=st.sampled_from(["0.1 %", "1 %", "30 %"]).map(percent),
    broken=st.sets(st.integers(1, 30)),
    scout=st.sampled_from([SCOUT, SECOND]),
)
def test_the_result_is_true_within_the_resolution(
    capacity: Fraction,
    limit: Fraction,
    bucket: int,
    collapse: Fraction,
    resolution: Ratio,
    lowest: Ratio,
    broken: set[int],
    scout: Duration,
) -> None:
    device = SimulatedMeasurer(
        capacity=capacity, bucket=bucket, collapse=collapse, tester_limit=limit, broken_trials=broken
    )
    search = replace(SEARCH, resolution=resolution, lowest=lowest, scout_duration=scout)
    estimates: list[int] = []
    result = find_throughput(device, search, on_estimate=lambda trials, _time: estimates.append(trials))

    carried = capacity + Fraction(bucket + 2) / LINE  # what the device really carries for one second
    assert (result.load or 0) * (1 - EvidenceLimits().max_shortfall) <= carried
    if result.limited_by is LimitedBy.DEVICE:
        assert result.failed_load is not None
        assert result.failed_load >= capacity
        assert result.load is None or result.failed_load - result.load <= resolution.value
    if result.limited_by is LimitedBy.LINE:
        assert result.load == 1
    if not broken and result.limited_by is LimitedBy.TESTER:
        assert result.failed_load is not None
        assert result.failed_load > limit

    # The bounds rest on valid trials of full length, the lower of which passed.
    if result.load:
        (best,) = result.judged
        assert (best.valid, best.lost, best.duration_ns, best.load) == (True, 0, SECOND.ns, result.load)
    if result.failed_load is not None:
        failed = [t for t in full_trials(result) if t.load == result.failed_load]
        assert failed
        assert not any(search.passes(t) for t in failed)
        assert failed[-1].valid == (result.limited_by is LimitedBy.DEVICE)

    # Every estimate was an upper bound, and few trials were needed.
    for done, left in enumerate(estimates):
        assert len(result.trials) - done <= left
    assert len(result.trials) <= 4 * (search.steps + 1).bit_length()


@settings(deadline=None, max_examples=examples(200))
@given(capacity=parts, bound=st.integers(1, 1000).map(lambda n: Fraction(n, 1000)), limit=parts.filter(bool))
def test_a_verdict_never_contradicts_the_truth(capacity: Fraction, bound: Fraction, limit: Fraction) -> None:
    search = replace(SEARCH, scout_duration=SECOND)
    result = find_throughput(SimulatedMeasurer(capacity=capacity, tester_limit=limit), search)
    verdict = result.verdict_above(Rate.parse(f"{float(bound * 100):.1f} %"))
    hair = Fraction(4) / LINE  # a frame here and there decides over the last hair
    if verdict.outcome is Outcome.PASS:
        assert bound <= capacity + hair
    if verdict.outcome is Outcome.FAIL:
        assert bound > capacity - hair


def test_a_device_that_collapses_under_load_is_found_from_below() -> None:
    result = find_throughput(SimulatedMeasurer(capacity=Fraction(7, 10), collapse=Fraction(1, 10)), SEARCH)
    assert (result.load, result.failed_load) == (Fraction(7, 10), Fraction(705, 1000))
    assert len(full_trials(result)) == 2


def test_the_verdict_tells_the_limits_apart() -> None:
    device = find_throughput(SimulatedMeasurer(capacity=Fraction(612, 1000)), SEARCH)
    tester = find_throughput(SimulatedMeasurer(tester_limit=Fraction(612, 1000)), SEARCH)
    half = find_throughput(SimulatedMeasurer(), replace(SEARCH, highest=percent("50 %")))

    def outcome(result: ThroughputResult, bound: str) -> Outcome:
        return result.verdict_above(Rate.parse(bound)).outcome

    assert outcome(device, "61 %") is Outcome.PASS
    assert outcome(device, "61.3 %") is Outcome.INCONCLUSIVE
    assert outcome(device, "61.5 %") is Outcome.FAIL
    assert outcome(device, "900 kpps") is Outcome.PASS
    assert outcome(device, "464 Mbps") is Outcome.PASS
    assert outcome(device, "610 Mbps L1") is Outcome.PASS
    assert outcome(device, "1 Mpps") is Outcome.FAIL
    assert outcome(tester, "61 %") is Outcome.PASS
    assert outcome(tester, "95 %") is Outcome.INCONCLUSIVE
    assert outcome(half, "50 %") is Outcome.PASS
    assert outcome(half, "95 %") is Outcome.INCONCLUSIVE


def test_texts() -> None:
    result = find_throughput(SimulatedMeasurer(capacity=Fraction(612, 1000)), SEARCH)
    assert str(result) == (
        "north, 64 bytes: throughput 61 % of line rate, 907.738 kpps, 464.762 Mbps, limited by the device, "
        f"{len(result.trials)} trials"
    )
    assert str(result.verdict_above(Rate.parse("95 %"))) == (
        "FAIL: throughput of north, 64 bytes is 61 %, required >= 95 %"
    )


@pytest.mark.parametrize(
    ("search", "complaint"),
    [
        (replace(SEARCH, resolution=Ratio(Fraction(0))), "resolution must be above 0; resolution is 0 %"),
        (
            replace(SEARCH, lowest=percent("60 %"), highest=percent("50 %")),
            "lowest must be above 0 and at most",
        ),
        (replace(SEARCH, loss=percent("100 %")), "loss must be below 100 %"),
        (replace(SEARCH, trial_duration=Duration(0)), "durations must be above 0"),
    ],
)
def test_a_search_without_sense_is_refused_before_a_frame_is_sent(
    search: ThroughputSearch, complaint: str
) -> None:
    measurer = SimulatedMeasurer()
    with pytest.raises(PlanError, match=complaint):
        find_throughput(measurer, search)
    assert measurer.asked == []


def test_a_frame_that_comes_too_late_is_lost() -> None:
    late = replace(SEARCH, timeout=Duration(9_000))
    result = find_throughput(SimulatedMeasurer(latency_ns=10_000), late)
    assert (result.load, result.limited_by) == (None, LimitedBy.DEVICE)
    assert str(result).endswith("trials, frames later than 9 us are lost")
    verdict = result.verdict_above(Rate.parse("50 %"))
    assert verdict.outcome is Outcome.FAIL
    assert verdict.measured.startswith("below 1 %, frames later than 9 us are lost")
    in_time = find_throughput(SimulatedMeasurer(latency_ns=10_000), replace(SEARCH, timeout=Duration(10_000)))
    assert (in_time.load, in_time.limited_by) == (1, LimitedBy.LINE)
    with pytest.raises(PlanError, match="the timeout must be above 0"):
        find_throughput(SimulatedMeasurer(), replace(SEARCH, timeout=Duration(0)))


class BrokenBetween(SimulatedMeasurer):
    """A tester that fails above 8 % and below 30 %, of a device that forwards a tenth."""

    lowest_sound = Fraction(8, 100)

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        trial = super().measure(load, duration)
        if load <= self.lowest_sound or load >= Fraction(3, 10):
            return trial
        return replace(trial, objections=("a worker stood still",))


class BrokenBelow(BrokenBetween):
    """The same, failing at all loads below 30 %."""

    lowest_sound = Fraction(0)


HALF = replace(SEARCH, scout_duration=SECOND, highest=percent("50 %"))


def test_a_load_that_the_device_failed_at_stays_known_where_the_tester_fails_below() -> None:
    result = find_throughput(BrokenBelow(capacity=Fraction(1, 10)), HALF)
    assert (result.load, result.limited_by) == (None, LimitedBy.TESTER)
    assert result.device_failed_load == Fraction(1, 2)
    assert "throughput below 50 % of line rate" in str(result)
    above = result.verdict_above(Rate.parse("50 %"))
    assert (above.outcome, above.is_below) == (Outcome.FAIL, True)
    assert result.verdict_above(Rate.parse("49 %")).outcome is Outcome.INCONCLUSIVE


def test_a_bound_fails_only_from_the_load_on_that_the_device_failed_at() -> None:
    result = find_throughput(BrokenBetween(capacity=Fraction(1, 10)), HALF)
    assert (result.load, result.limited_by) == (Fraction(8, 100), LimitedBy.TESTER)
    verdicts = [result.verdict_above(Rate.parse(part)) for part in ("8 %", "8.5 %", "49 %", "50 %")]
    assert [v.outcome.value for v in verdicts] == ["PASS", "INCONCLUSIVE", "INCONCLUSIVE", "FAIL"]
    assert verdicts[1].reason == "limited by the tester at 8.5 % of line rate: a worker stood still"
    assert verdicts[3].measured == "8 %, below 50 %"


def test_repetitions_that_the_tester_limits_have_no_upper_bound_unless_the_device_failed_in_them() -> None:
    result = find_throughput(BrokenBetween(capacity=Fraction(1, 10)), HALF, repeat=3)
    assert [each.bounds[1] for each in result.repetitions] == [Fraction(1, 2), None, None]
    assert result.verdict_above(Rate.parse("50 %")).outcome is Outcome.INCONCLUSIVE


class LateCopies(SimulatedMeasurer):
    """A device that sends a copy of every 50th frame 100 ms later."""

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        return with_late_copies(super().measure(load, duration))


def test_copies_that_come_too_late_are_no_lost_frames() -> None:
    search = replace(SEARCH, timeout=Duration(20 * 10**6))
    result = find_throughput(LateCopies(), search)
    verdict = result.verdict_above(Rate.parse("50 %"))
    assert (result.limited_by, verdict.outcome) == (LimitedBy.TESTER, Outcome.INCONCLUSIVE)
    assert "of 14,881 frames were later than 20 ms: delays are known as well" in verdict.reason
    fails = find_throughput(LateCopies(random_loss=0.5), search).verdict_above(Rate.parse("50 %"))
    assert fails.outcome is Outcome.FAIL  # what is lost is lost, whatever was late


class UntrustedDelays(SimulatedMeasurer):
    """A tester that was calibrated long ago."""

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        return replace(super().measure(load, duration), delay_objections=("the tester was calibrated",))


def test_delays_in_doubt_lose_no_frames() -> None:
    search = replace(SEARCH, timeout=Duration(9_000))
    verdict = find_throughput(UntrustedDelays(), search).verdict_above(Rate.parse("50 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "the tester was calibrated" in verdict.reason
    lossy = find_throughput(UntrustedDelays(random_loss=0.5), search).verdict_above(Rate.parse("50 %"))
    assert lossy.outcome is Outcome.FAIL


class CountsCopiesTogether(SimulatedMeasurer):
    """A broadcast to three ports: frames at two of them are counted, and nobody knows at which."""

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        trial = super().measure(load, duration)
        (stream,) = trial.streams
        counters = replace(
            stream.counters, rx_misrouted=2 * stream.counters.rx_packets, rx_misrouted_ports=("p3", "p4")
        )
        return replace(trial, streams=(replace(stream, counters=counters, copies=("p3", "p4")),))


def test_a_loss_that_nobody_counts_fails_no_device() -> None:
    result = find_throughput(CountsCopiesTogether(), ThroughputSearch())
    assert result.limited_by is LimitedBy.TESTER
    verdict = result.verdict_above(Rate.parse("50 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "copies at other ports are counted together" in verdict.reason
    lossy = find_throughput(CountsCopiesTogether(Fraction(1, 4)), ThroughputSearch())
    assert lossy.load is None  # what passes is not known at any load
    assert lossy.verdict_above(Rate.parse("50 %")).outcome is not Outcome.PASS


def test_a_resolution_finer_than_a_frame_is_refused() -> None:
    """1,000 frames/s for a second: 0.1 % is one frame."""
    replace(SEARCH, resolution=percent("0.1 %")).refuse_finer_than_a_frame(Fraction(1000))
    with pytest.raises(
        PlanError, match=r"0[.]09 % is finer than one frame: a trial of 1 s at line rate has 1,000;"
    ):
        replace(SEARCH, resolution=percent("0.09 %")).refuse_finer_than_a_frame(Fraction(1000))
