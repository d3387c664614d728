# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.measurer import Step
from TesterLibrary.methodology.system_recovery import RecoveryMeasurement, measure_system_recovery
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome

from ...examples import examples
from .steps import RATE, Steps

MS, SECOND = 10**6, Duration(10**9)
MEASUREMENT = RecoveryMeasurement(
    Ratio.parse("80 %"), overload_duration=SECOND, relief_duration=Duration(2 * 10**9)
)


def test_the_loads_are_those_of_the_rfc() -> None:
    device = Steps(recovery_ns=0)
    measure_system_recovery(device, replace(MEASUREMENT, repetitions=2))
    eighty_eight = Fraction(88, 100)
    assert device.asked == [Step(eighty_eight, SECOND, eighty_eight / 2, Duration(2 * 10**9))] * 2
    assert device.alone == [(eighty_eight / 2, Duration(2 * 10**9))]
    assert replace(MEASUREMENT, throughput=Ratio.parse("95 %")).load == 1


@settings(deadline=None, max_examples=examples(150))
@given(
    recovery=st.integers(0, 1700 * MS),
    late=st.integers(0, 2 * MS),
    bound=st.integers(0, 2500 * MS),
    load=st.integers(10, 90).map(lambda n: Ratio(Fraction(n, 100))),
)
def test_the_truth_lies_within_the_error(recovery: int, late: int, bound: int, load: Ratio) -> None:
    device = Steps(recovery_ns=recovery, late_ns=late)
    result = measure_system_recovery(device, replace(MEASUREMENT, throughput=load))
    assert result.bounds_ns is not None
    least, most = result.bounds_ns
    gap_ns = result.stepped[0].gap_ns
    assert least <= recovery <= most
    assert most - least <= 2 * late + gap_ns + 1
    verdict = result.verdict_below(Duration(bound))
    if verdict.outcome is Outcome.PASS:
        assert recovery <= bound
    if verdict.outcome is Outcome.FAIL:
        assert recovery + late + gap_ns >= bound
    if abs(bound - recovery) > 2 * late + 2 * gap_ns:
        assert verdict.outcome is (Outcome.PASS if bound > recovery else Outcome.FAIL)


def test_repetitions_are_averaged() -> None:
    class Growing(Steps):
        def step(self, step: Step):  # type: ignore[no-untyped-def]
            self.recovery_ns = (len(self.asked) + 1) * 100 * MS
            return super().step(step)

    result = measure_system_recovery(Growing(), replace(MEASUREMENT, repetitions=3))
    assert result.recovery_ns == pytest.approx(200 * MS, abs=3 * MS)


def test_loss_in_the_overload_alone_is_no_recovery() -> None:
    lost = frozenset(range(100, 880, 11))  # one in eleven, all that is beyond the throughput
    result = measure_system_recovery(Steps(lost=lost), MEASUREMENT)
    assert (result.recovery_ns, result.bounds_ns) == (0, (0, 0))
    assert result.verdict_below(Duration(0)).outcome is Outcome.PASS


def test_a_recovery_of_nothing_has_the_error_of_the_first_frame_that_arrived() -> None:
    lost = frozenset(range(100, 880, 11))
    result = measure_system_recovery(Steps(lost=lost, late_ns=30_000), MEASUREMENT)
    assert result.bounds_ns == (0, 30_000)
    assert "system recovery 15 us ± 15 us, " in str(result)
    assert result.verdict_below(Duration(10_000)).outcome is Outcome.INCONCLUSIVE
    assert result.verdict_below(Duration(MS)).outcome is Outcome.PASS
    assert "system recovery 0 ns ± 0 ns, " in str(measure_system_recovery(Steps(lost=lost), MEASUREMENT))


def test_a_device_that_goes_on_losing_has_not_recovered() -> None:
    every_tenth = Steps(lost=frozenset(range(0, 3000, 10)))
    for device in (every_tenth, Steps(recovery_ns=3000 * MS)):
        result = measure_system_recovery(device, MEASUREMENT)
        assert result.recovery_ns is None
        assert "not over when the traffic ended" in str(result)
        assert result.verdict_below(SECOND).outcome is Outcome.FAIL
        assert result.verdict_below(Duration(3600 * SECOND.ns)).outcome is Outcome.INCONCLUSIVE


def test_a_device_that_loses_frames_anyway_is_not_judged() -> None:
    device = Steps(recovery_ns=100 * MS, always=3)
    result = measure_system_recovery(device, replace(MEASUREMENT, repetitions=2))
    assert (device.asked, result.repetitions, result.recovery_ns) == ([], (), None)
    for bound in (SECOND, Duration(0)):
        verdict = result.verdict_below(bound)
        assert (verdict.outcome, verdict.reason) == (
            Outcome.INCONCLUSIVE,
            "without any overload, at 44 % of line rate, the device lost 3 (0.3409 %); so its last loss says "
            "nothing of a recovery",
        )


def test_a_tester_that_fell_short_at_the_lower_load_overloads_nothing() -> None:
    device = Steps(recovery_ns=100 * MS, unfit=("slept",))
    verdict = measure_system_recovery(device, MEASUREMENT).verdict_below(SECOND)
    assert (device.asked, verdict.outcome, verdict.reason) == ([], Outcome.INCONCLUSIVE, "slept")


def test_a_device_that_lost_frames_early_only_was_not_overloaded_at_the_end() -> None:
    for lost in (frozenset({100, 700}), frozenset(range(RATE // 10))):
        result = measure_system_recovery(Steps(lost=lost), MEASUREMENT)
        verdict = result.verdict_below(SECOND)
        assert (verdict.outcome, verdict.reason) == (
            Outcome.INCONCLUSIVE,
            "the device lost nothing in the last 10 % of the overload, so it was not overloaded when that "
            "ended",
        )


@pytest.mark.parametrize("missing", [870, 880, 1100])
def test_frames_before_the_first_arrival_are_missing_though_no_number_was_skipped(missing: int) -> None:
    result = measure_system_recovery(Steps(lost=frozenset(range(missing))), MEASUREMENT)
    assert result.bounds_ns is not None
    least, most = result.bounds_ns
    gap_ns = result.stepped[0].gap_ns
    assert least - 1 <= max(0, missing - 1 - 880) * gap_ns <= most <= least + gap_ns + 1
    assert result.verdict_below(SECOND).outcome is Outcome.PASS
    outcome = result.verdict_below(Duration(400 * MS)).outcome
    assert outcome is (Outcome.FAIL if missing == 1100 else Outcome.PASS)


def test_a_device_that_lost_a_frame_by_chance_was_not_overloaded() -> None:
    """One that forwards 110 % of what was found, but for a hiccup at the end of the overload."""
    result = measure_system_recovery(Steps(lost=frozenset({100, 870})), MEASUREMENT)
    verdict = result.verdict_below(Duration(0))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "lost 2 of 880 frames at 88 % of line rate, where one that forwards 80 %" in str(verdict)
    late = measure_system_recovery(Steps(lost=frozenset({100, 870, 1000})), MEASUREMENT)
    assert late.verdict_below(Duration(0)).outcome is Outcome.FAIL  # whatever it was, it went on


def test_a_device_that_lost_nothing_was_not_overloaded() -> None:
    verdict = measure_system_recovery(Steps(), MEASUREMENT).verdict_below(SECOND)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "the device lost nothing at 88 % of line rate for 1 s, so it was not overloaded"


def test_what_the_tester_does_not_tell_is_not_judged() -> None:
    for device, why in (
        (Steps(recovery_ns=MS, objections=("slept",)), "slept"),
        (Steps(recovery_ns=MS, counts=False), "this tester does not count outages"),
    ):
        verdict = measure_system_recovery(device, MEASUREMENT).verdict_below(SECOND)
        assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, why)


@pytest.mark.parametrize(("reordered", "behind"), [(3, 0), (None, 3)])
def test_frames_out_of_order_leave_the_time_open_downwards(reordered: int | None, behind: int) -> None:
    """More were lost than there are before the last tenth of the overload, but not all up to the last gap."""
    lost = frozenset(range(40, 870)) | {1100}
    result = measure_system_recovery(Steps(lost=lost, reordered=reordered, behind=behind), MEASUREMENT)
    assert result.bounds_ns is not None
    assert result.bounds_ns[0] == 0
    assert result.verdict_below(Duration(600 * MS)).outcome is Outcome.PASS
    assert result.verdict_below(Duration(400 * MS)).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(("reordered", "behind"), [(1, 0), (None, 1)])
@pytest.mark.parametrize("overtaken", [870, 900, 1700])
def test_a_frame_that_was_overtaken_is_no_sign_of_an_overload(
    overtaken: int, reordered: int | None, behind: int
) -> None:
    """The device loses frames early in the overload, and none afterwards."""
    device = Steps(
        lost=frozenset(range(100, 300)),
        overtaken=frozenset({overtaken}),
        reordered=reordered,
        behind=behind,
    )
    result = measure_system_recovery(device, MEASUREMENT)
    assert result.recovery_ns is None
    for bound in (Duration(0), SECOND, Duration(3600 * SECOND.ns)):
        verdict = result.verdict_below(bound)
        assert (verdict.outcome, verdict.reason) == (
            Outcome.INCONCLUSIVE,
            "frames arrived out of order or again, so nobody knows whether the device lost one in the last "
            "10 % of the overload or later",
        )


def test_an_overload_that_is_not_sure_is_no_excuse_for_a_slow_recovery() -> None:
    """In the first repetition it loses frames to the very end; in the second one it may lose none late."""

    class Changing(Steps):
        def step(self, step: Step):  # type: ignore[no-untyped-def]
            if self.asked:
                self.recovery_ns, self.reordered = None, 1
                self.lost, self.overtaken = frozenset(range(100, 300)), frozenset({870})
            return super().step(step)

    result = measure_system_recovery(Changing(recovery_ns=3000 * MS), replace(MEASUREMENT, repetitions=2))
    assert result.verdict_below(Duration(900 * MS)).outcome is Outcome.FAIL
    assert result.verdict_below(SECOND).outcome is Outcome.INCONCLUSIVE


def test_a_frame_that_was_overtaken_at_the_end_is_no_loss_for_certain() -> None:
    """The device loses its last frame with the step; the gap in the last tenth is filled later."""
    lost = frozenset(range(100, 880, 11))
    overtaken = Steps(lost=lost, reordered=1, overtaken=frozenset({1700}))
    result = measure_system_recovery(overtaken, MEASUREMENT)
    assert (result.bounds_ns, result.recovery_ns) == ((0, inf), None)
    for bound in (Duration(100 * MS), Duration(3600 * SECOND.ns)):
        verdict = result.verdict_below(bound)
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert "is at least 0 ns, perhaps not over when the traffic ended" in str(verdict)
        assert "(frames arrived out of order or again, so " in str(verdict)


def test_frames_that_are_missing_at_the_very_end_are_lost_in_whatever_order_the_others_came() -> None:
    device = Steps(recovery_ns=3000 * MS, reordered=1, overtaken=frozenset({1}))
    verdict = measure_system_recovery(device, MEASUREMENT).verdict_below(SECOND)
    assert verdict.outcome is Outcome.FAIL
    assert "not over when the traffic ended" in str(verdict)


def test_where_no_number_came_late_the_time_is_known_though_the_order_is_not() -> None:
    known, unknown = (
        measure_system_recovery(Steps(recovery_ns=500 * MS, reordered=reordered), MEASUREMENT)
        for reordered in (0, None)
    )
    assert known.bounds_ns == unknown.bounds_ns
    assert known.bounds_ns
    assert known.bounds_ns[0] > 0


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"throughput": Ratio(Fraction(0))}, "no throughput was found"),
        ({"relief": Ratio(Fraction(1))}, "relief must be above 0 and below 100 %"),
        (
            {"throughput": Ratio.parse("20 %"), "overload": Ratio.parse("100 %")},
            "after the overload 50 % of line rate would be sent, more than the throughput; give a smaller",
        ),
        ({"overload_duration": Duration(0)}, "duration of the overload must be above 0"),
        ({"relief_duration": Duration(0)}, "duration of the relief must be above 0"),
        ({"repetitions": 0}, "repetitions must be at least 1"),
    ],
)
def test_a_measurement_without_sense_is_refused(changes: dict[str, object], complaint: str) -> None:
    device = Steps()
    with pytest.raises(PlanError, match=complaint):
        measure_system_recovery(device, replace(MEASUREMENT, **changes))  # type: ignore[arg-type]
    assert (device.asked, device.alone) == ([], [])


def test_short_overloads_are_said() -> None:
    assert measure_system_recovery(Steps(), MEASUREMENT).shortened == (
        "overloads of 1 s: RFC 2544 §26.5 asks for at least 60 s",
    )
