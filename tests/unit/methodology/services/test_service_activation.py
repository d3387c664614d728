# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from TesterLibrary.errors import PlanError, TesterLibraryError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.services import service_activation
from TesterLibrary.methodology.services.availability import ServiceSeconds
from TesterLibrary.methodology.services.service import Purpose, Service, loads_of
from TesterLibrary.methodology.services.service_activation import (
    Acceptance,
    accepted,
    measure_configuration,
    measure_performance,
)
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Outcome, Verdict

from ..coloured import GREEN, YELLOW, ColouredServices
from ..policed_services import PolicedServices
from ..shaped import ShapedService

SECOND = Duration(10**9)
NO_LOSS, MARGIN = Acceptance(), Ratio.parse("2 %")
VIDEO = Service("video", Rate.parse("4 Mbps"), Rate.parse("2 Mbps"))


def test_the_loads_are_those_of_the_recommendation() -> None:
    assert [(load.title, str(load.green)) for load in loads_of(VIDEO)] == [
        ("25 % of its CIR", "1 Mbps"),
        ("50 % of its CIR", "2 Mbps"),
        ("75 % of its CIR", "3 Mbps"),
        ("100 % of its CIR", "4 Mbps"),
        ("CIR + EIR", "6 Mbps"),
        ("CIR + 125 % of EIR", "6.5 Mbps"),
    ]
    assert [load.title for load in loads_of(VIDEO, policing=False)][-1] == "CIR + EIR"
    voice = loads_of(Service("voice", Rate.parse("2 Mbps")))
    assert [(load.title, str(load.green)) for load in voice[4:]] == [("125 % of CIR", "2.5 Mbps")]
    small = loads_of(Service("video", Rate.parse("10 Mbps"), Rate.parse("1 Mbps")))
    assert [(load.title, str(load.green)) for load in small[4:]] == [
        ("CIR + EIR", "11 Mbps"),
        ("125 % of CIR + EIR", "13.5 Mbps"),
    ]


def test_with_colours_the_excess_is_yellow() -> None:
    data = Service("data", Rate.parse("4 Mbps"), Rate.parse("2 Mbps"), "yellow")
    *committed, excess, policing = loads_of(data)
    assert all(set(load.of(data)) == {"data"} for load in committed)
    assert {name: str(rate) for name, rate in excess.of(data).items()} == {
        "data": "4 Mbps",
        "yellow": "2 Mbps",
    }
    assert str(policing.of(data)["yellow"]) == "2.5 Mbps"
    assert policing.purpose is Purpose.POLICING


def test_green_frames_that_left_late_and_all_arrived_fail_no_device() -> None:
    data = Service(GREEN, Rate.parse("4 Mbps"), Rate.parse("2 Mbps"), YELLOW)
    device = ColouredServices(4_000_000, 5_120, 2_000_000, 5_120, late_ns=8_000_000)
    verdict = measure_configuration(device, data, SECOND).verdict(
        Acceptance(yellow_loss=Ratio.parse("5 %")), Ratio.parse("5 %")
    )
    assert verdict.outcome is Outcome.INCONCLUSIVE, verdict
    assert "the device delivered all that it was offered" in str(verdict)


@pytest.mark.parametrize("paints", ["", YELLOW])
def test_colours_of_which_some_may_be_missing_pass_and_fail_no_device(paints: str) -> None:
    data = Service(GREEN, Rate.parse("4 Mbps"), Rate.parse("2 Mbps"), YELLOW)
    device = ColouredServices(4_000_000, 5_120, 2_000_000, 5_120, paints=paints, unread="3 packets had tags")
    verdict = measure_configuration(device, data, SECOND).verdict(
        Acceptance(yellow_loss=Ratio.parse("5 %")), Ratio.parse("5 %")
    )
    assert verdict.outcome is Outcome.INCONCLUSIVE, verdict
    assert "3 packets had tags" in str(verdict)


@pytest.mark.parametrize(
    ("rates", "outcome", "text"),
    [
        ({"video": 6_000_000}, Outcome.PASS, "configuration of service video, 512 bytes is within 7 of 7"),
        ({"video": 6_300_000}, Outcome.FAIL, "information rate of video, 512 bytes at CIR + 125 % of EIR is"),
        ({}, Outcome.FAIL, "is 6.500352 Mbps, required <= 6.12 Mbps, CIR and EIR with a margin of 2 %"),
        ({"video": 3_500_000}, Outcome.FAIL, "frame loss of video, 512 bytes at 100 % of its CIR is"),
        ({"video": 1_500_000}, Outcome.FAIL, "frame loss of video, 512 bytes at 50 % of its CIR is"),
        ({"video": 4_000_000}, Outcome.PASS, "within 7 of 7"),  # nothing is promised of the excess
    ],
)
def test_a_policer_is_told_from_one_that_is_not_as_promised(
    rates: dict[str, int], outcome: Outcome, text: str
) -> None:
    result = measure_configuration(PolicedServices(rates), VIDEO, SECOND)
    verdict = result.verdict(NO_LOSS, MARGIN)
    assert verdict.outcome is outcome
    assert text in str(verdict)


def test_excess_that_arrives_changed_was_not_policed() -> None:
    result = measure_configuration(PolicedServices({"video": 6_000_000}), VIDEO, SECOND)
    *others, trial = result.trials
    (stream,) = trial.streams
    lost = stream.counters.tx_packets - stream.counters.rx_packets
    counters = replace(stream.counters, rx_wrong_headers=lost, rx_wrong_header_parts=("TTL or hop limit",))
    marked = replace(trial, streams=(replace(stream, counters=counters),))
    verdict = replace(result, trials=(*others, marked)).verdict(NO_LOSS, MARGIN)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "with the frames that arrived otherwise than they were sent it may be 6.5" in str(verdict)


def test_green_frames_are_kept_beside_yellow_ones() -> None:
    data = Service("data", Rate.parse("4 Mbps"), Rate.parse("2 Mbps"), "yellow")
    right = PolicedServices({"data": 4_000_000, "yellow": 2_000_000})
    assert measure_configuration(right, data, SECOND).verdict(NO_LOSS, MARGIN).outcome is Outcome.PASS
    generous = PolicedServices({"data": 4_000_000})
    verdict = measure_configuration(generous, data, SECOND).verdict(NO_LOSS, MARGIN)
    assert "information rate of data + yellow, 512 bytes at CIR + 125 % of EIR is" in str(verdict)
    assert verdict.outcome is Outcome.FAIL


def test_delay_and_its_variation_are_judged_at_each_load() -> None:
    slow = PolicedServices({"video": 6_000_000}, delay_ns=3_000_000, slow_ns=2_000_000)
    result = measure_configuration(slow, VIDEO, SECOND)
    for acceptance, text in (
        (Acceptance(delay=Duration(2_500_000)), "mean delay of video, 512 bytes at 25 % of its CIR is 3."),
        (Acceptance(variation=Duration(10**6)), "delay variation of video, 512 bytes at 25 % of its CIR is"),
    ):
        verdict = result.verdict(acceptance, MARGIN)
        assert (verdict.outcome, text in str(verdict)) == (Outcome.FAIL, True), str(verdict)
    enough = Acceptance(delay=Duration(4_000_000), variation=Duration(3_000_000))
    assert result.verdict(enough, MARGIN).outcome is Outcome.PASS


def test_a_busy_tester_concludes_nothing() -> None:
    busy = PolicedServices({}, busy=True)
    verdict = measure_configuration(busy, VIDEO, SECOND).verdict(NO_LOSS, MARGIN)
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, "the tester was busy")


def test_a_margin_as_great_as_the_overload_tells_nothing_about_policing() -> None:
    result = measure_configuration(PolicedServices({"video": 6_000_000}), VIDEO, SECOND)
    verdict = result.verdict(NO_LOSS, Ratio.parse("10 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "no more than 6.5 Mbps was offered; give a smaller margin"


def test_what_makes_no_sense_is_refused() -> None:
    device = PolicedServices({})
    for service, message in (
        (Service("data", Rate.parse("4 Mbps"), None, "yellow"), "'data': yellow frames are those of the exc"),
        (Service("data", Rate.parse("4 Mbps"), Rate.parse("1 Mbps"), "data"), "a stream of their own"),
    ):
        with pytest.raises(PlanError, match=message):
            measure_configuration(device, service, SECOND)
    with pytest.raises(PlanError, match="a performance test of 500 ms has no interval of 1 s"):
        measure_performance(device, {"video": VIDEO.cir}, Duration(5 * 10**8))
    assert not device.asked
    result = measure_configuration(device, VIDEO, SECOND)
    with pytest.raises(TesterLibraryError, match="availability takes a performance test"):
        result.verdict(Acceptance(availability=Ratio.parse("99 %")), MARGIN)


@pytest.mark.parametrize(
    ("shaped", "outcome", "text"),
    [
        ("4 Mbps", Outcome.PASS, "within"),
        ("3.4 Mbps", Outcome.FAIL, "is 3.4"),
        ("4.6 Mbps", Outcome.FAIL, "information rate of video, 512 bytes at 125 % of CIR is 4.6"),
    ],
)
@pytest.mark.parametrize("room", [20, 300, 10**6])
def test_frames_that_a_shaper_holds_until_later_are_no_information_rate(
    shaped: str, outcome: Outcome, text: str, room: int
) -> None:
    """A queue delivers afterwards what the shaper did not let pass, or loses it if it is short."""
    service = Service("video", Rate.parse("4 Mbps"))
    device = ShapedService(int(Rate.parse(shaped).value), room=room)
    verdict = measure_configuration(device, service, SECOND).verdict(NO_LOSS, MARGIN)
    assert verdict.outcome is outcome
    if room > 20:
        assert text in str(verdict)


def test_a_lossless_queue_that_only_grows_does_not_carry_the_committed_rate() -> None:
    service = Service("video", Rate.parse("4 Mbps"))
    result = measure_configuration(ShapedService(3_400_000), service, SECOND, policing=False)
    assert [trial.lost for trial in result.trials] == [0] * 4
    verdict = result.verdict(NO_LOSS, MARGIN)
    assert verdict.outcome is Outcome.FAIL
    assert "not sustained: the delay grew" in str(verdict)


def test_each_service_of_a_performance_test_is_judged() -> None:
    device = PolicedServices({"voice": 1_500_000})
    rates = {"video": VIDEO.cir, "voice": Rate.parse("2 Mbps")}
    result = measure_performance(device, rates, Duration(2 * 10**9))
    assert result.verdict(["video"], NO_LOSS).outcome is Outcome.PASS
    verdict = result.verdict([], NO_LOSS)
    assert (verdict.outcome, "frame loss of voice" in str(verdict)) == (Outcome.FAIL, True)
    assert result.shortened == ("a performance test of 2 s: ITU-T Y.1564 asks for at least 900 s",)
    with pytest.raises(TesterLibraryError, match="'fax' was not measured; measured were video, voice"):
        result.verdict(["fax"], NO_LOSS)


def test_what_a_pause_of_the_tester_may_have_cost_fails_no_service() -> None:
    device = PolicedServices({"voice": 1_000_000}, lost_every=100, pause_ns=50 * 10**6)
    rates = {"video": VIDEO.cir, "voice": Rate.parse("2 Mbps")}
    result = measure_performance(device, rates, SECOND)
    verdict = result.verdict(["video"], NO_LOSS)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "frames of video lost, and pauses of the tester of up to 50.0 ms put up to" in verdict.reason
    assert result.verdict(["voice"], NO_LOSS).outcome is Outcome.FAIL


def test_a_service_is_not_available_from_ten_bad_seconds_on() -> None:
    device = PolicedServices({}, severe=range(20, 32))
    result = measure_performance(device, {"video": VIDEO.cir}, Duration(60 * 10**9))
    for bound, outcome in (("80 %", Outcome.PASS), ("80.1 %", Outcome.FAIL)):
        verdict = result.verdict([], Acceptance(Ratio.parse("100 %"), availability=Ratio.parse(bound)))
        assert verdict.outcome is outcome
    assert "availability of video is 80 % (12 of 60 intervals lost more than half)" in str(verdict)


def test_availability_that_copies_leave_open_is_told_by_both_bounds() -> None:
    """Twelve bad seconds, and twelve that may be."""
    device = PolicedServices({}, severe=range(20, 32))
    result = measure_performance(device, {"video": VIDEO.cir}, Duration(60 * 10**9))
    seconds = ServiceSeconds("video", (*[True] * 12, *[None] * 12, *[False] * 36))
    open_ = type(result)(result.title, result.trials, result.duration, (seconds,), "")
    verdict = open_.verdict([], Acceptance(Ratio.parse("100 %"), availability=Ratio.parse("90 %")))
    assert verdict.outcome is Outcome.FAIL
    assert "availability of video is 60 % to 80 % (12 of 60 intervals" in str(verdict)


def test_where_nobody_sees_intervals_there_is_no_availability() -> None:
    device = PolicedServices({})
    result = measure_performance(device, {"video": VIDEO.cir}, SECOND)
    blind = type(result)(result.title, result.trials, SECOND, (), "the device writes over the version")
    verdict = blind.verdict([], Acceptance(availability=Ratio.parse("99 %")))
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, "the device writes over the version")


def test_the_kind_of_a_criterion_is_in_its_verdict_and_not_in_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def worded_otherwise(trials: Sequence[Trial], bound: Ratio) -> Verdict:
        return replace(loss_below(trials, bound), subject="what went missing")

    monkeypatch.setattr(service_activation, "loss_below", worded_otherwise)
    rates = {"video": VIDEO.cir, "voice": Rate.parse("1 Mbps")}
    result = measure_performance(PolicedServices({}), rates, SECOND)
    measured = result.verdict([], Acceptance(delay=Duration(10**6))).measured
    assert re.fullmatch(r"within 4 of 4 criteria: frame loss 0 % \(.*\), mean delay \S+ us", measured)


def test_a_pass_has_the_worst_value_of_each_criterion() -> None:
    device = PolicedServices({"voice": 900_000}, severe=range(5, 7), slow_ns=50_000)
    rates = {"video": VIDEO.cir, "voice": Rate.parse("1 Mbps")}
    acceptance = Acceptance(
        Ratio.parse("20 %"), Duration(10**6), Duration(10**6), availability=Ratio.parse("90 %")
    )
    result = measure_performance(device, rates, Duration(20 * 10**9))
    passed = result.verdict([], acceptance)
    assert passed.outcome is Outcome.PASS
    lost = result.trials[0].stream("voice")
    assert lost.counters.rx_packets < lost.counters.tx_packets
    (trial,) = accepted(result.trials[0], "voice", Acceptance(Ratio.parse("20 %")))
    assert f"within 8 of 8 criteria: frame loss {trial.measured}, mean delay 100." in passed.measured
    assert "delay variation 49.888 us, " in passed.measured
    assert "availability 100 % (2 of 20 intervals lost more than half)" in passed.measured
