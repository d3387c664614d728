# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import Inconclusive, PlanError, TestbedError, TesterLibraryError, VerdictFailed
from TesterLibrary.measurement.counter import Counter
from TesterLibrary.methodology.groups.group_capacity import GroupCapacityResult
from TesterLibrary.methodology.groups.group_forwarding import GroupMatrixResult
from TesterLibrary.methodology.groups.multicast_latency import MulticastLatencyResult
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.reporting.record.records import read
from TesterLibrary.targets.fake import FakeTarget, fake_port

from ..fake_library import library_on_fake

SECOND = Duration(10**9)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TesterLibrary:
    """A simulated device forwards 100,000 frames/s to the first member, whatever it has joined."""
    ports = [fake_port(f"p{number}", link_speed_bps=10**9) for number in range(1, 5)]
    library = library_on_fake(monkeypatch, tmp_path, ports=ports, capacity=100_000)
    library.open_tester()
    library.suite.recorder = library.suite.tester.recorder  # of results, where trials are
    return library


def without(library: TesterLibrary, *counters: Counter) -> None:
    """Takes counters from the tester."""
    tester = library.suite.tester
    tester.capabilities = replace(tester.capabilities, counts=tester.capabilities.counts - {*counters})


def test_a_device_without_a_limit_has_none(library: TesterLibrary, tmp_path: Path) -> None:
    result = library.find_multicast_group_capacity("p1", "p2", lowest=4, highest=9)
    assert (result.capacity, result.failed, [check.groups for check in result.checks]) == (9, None, [4, 8, 9])
    library.verify_multicast_group_capacity_above(9)
    assert _back(tmp_path, GroupCapacityResult) == result


def test_a_member_that_gets_nothing_is_no_capacity(library: TesterLibrary) -> None:
    result = library.find_multicast_group_capacity("p1", "p2", "p3", lowest=1, highest=2)
    assert (result.capacity, result.checks[-1].missing) == (0, 2)
    with pytest.raises(VerdictFailed, match=r"multicast group capacity of .* is 0 groups, required >= 1"):
        library.verify_multicast_group_capacity_above(1)


def test_frames_without_a_signature_at_another_port_may_be_leaked(library: TesterLibrary) -> None:
    """A device that sends part of a group to p4, too, with another payload."""
    target = library.suite.tester.target
    assert isinstance(target, FakeTarget)
    start = target.start

    def leaking(*given: Any, **more: Any) -> None:
        target.bench.past["p4"].add(rx_foreign=500)
        start(*given, **more)

    target.start = leaking  # type: ignore[method-assign]
    result = library.find_multicast_group_capacity("p1", "p2", lowest=4, highest=8)
    assert (result.capacity, {check.silent for check in result.checks}) == (0, {0})
    with pytest.raises(Inconclusive, match=r"500 frames without a signature at p4: the device may have"):
        library.verify_multicast_group_capacity_above(4)


def test_the_matrix_has_a_rate_for_each_number(library: TesterLibrary, tmp_path: Path) -> None:
    result = library.sweep_group_forwarding("p1", "p2", groups=[1, 4], duration=SECOND)
    assert {groups: round(rate or 0, -3) for groups, rate in result.rates.items()} == {1: 100_000, 4: 100_000}
    library.verify_group_forwarding_rate_above(Rate.parse("99 kpps"))
    with pytest.raises(
        VerdictFailed, match=r"group forwarding rate of .* with . groups?, required >= 110 kpps"
    ):
        library.verify_group_forwarding_rate_above(Rate.parse("110 kpps"))
    assert _back(tmp_path, GroupMatrixResult) == result


def test_latency_is_that_of_every_member(library: TesterLibrary, tmp_path: Path) -> None:
    library.create_multicast_stream("video", "p1", "p2", "p3", frame_size=FrameSize(512))
    for port in ("p2", "p3"):
        library.join_group(port, AddressRange.parse("239.1.1.1"))
    result = library.measure_multicast_latency("video", Rate.parse("1 %"), SECOND)
    assert (result.members, [trial.streams[0].rx_port for trial in result.trials]) == (
        ("p2", "p3"),
        ["p2", "p3"],
    )
    assert set(result.latencies) == {"p2", "p3"}
    library.verify_latency_below(SECOND, result)
    assert _back(tmp_path, MulticastLatencyResult) == result


def test_a_burden_is_sent_beside_each_trial_and_not_judged(library: TesterLibrary, tmp_path: Path) -> None:
    """RFC 3918 §8.1."""
    library.create_multicast_stream("video", "p1", "p2", "p3", frame_size=FrameSize(512))
    library.create_stream("north", tx="p4", rx="p2", frame_size=FrameSize(512), rate=Rate.parse("10 %"))
    for port in ("p2", "p3"):
        library.join_group(port, AddressRange.parse("239.1.1.1"), robustness=1)
    result = library.measure_multicast_latency("video", Rate.parse("1 %"), SECOND, burden="north")
    assert [len(trial.streams) for trial in (*result.trials, *result.burden)] == [1] * 4
    sent = [trial.streams[0].counters.tx_packets for trial in result.burden]
    assert all(packets > 2_000 for packets in sent), "for as long as the trials"
    assert " beside north, 512 bytes: mean latency" in str(result)
    verdict = library.verify_latency_below(SECOND, result)
    assert "latency of video, 512 bytes beside north, 512 bytes" in str(verdict)
    assert _back(tmp_path, MulticastLatencyResult) == result
    assert library.suite.tester.air.runs == []


@pytest.mark.parametrize(
    ("burden", "message"),
    [
        ("video", "burden=video: 'video' is measured itself; give other streams"),
        ("north,south", "there is no stream 'north'; there are video"),
    ],
)
def test_a_burden_is_another_stream(library: TesterLibrary, burden: str, message: str) -> None:
    library.create_multicast_stream("video", "p1", "p2")
    with pytest.raises(TesterLibraryError, match=message):
        library.measure_multicast_latency("video", Rate.parse("1 %"), SECOND, burden=burden)


def test_a_tester_that_does_not_count_what_is_needed_refuses(library: TesterLibrary) -> None:
    library.create_multicast_stream("video", "p1", "p2")
    without(library, Counter.FLOWS)
    with pytest.raises(
        PlanError, match=r"group capacity cannot be measured: this tester does not count flows"
    ):
        library.find_multicast_group_capacity("p1", "p2")
    without(library, Counter.MISROUTED, Counter.LATENCY)
    with pytest.raises(PlanError, match=r"several members cannot be measured: .* misrouted frames; give one"):
        library.sweep_group_forwarding("p1", "p2", "p3", groups=[1])
    with pytest.raises(PlanError, match=r"multicast latency cannot be measured: .* does not count latency"):
        library.measure_multicast_latency("video")


def test_ports_and_groups_have_to_be_there(library: TesterLibrary) -> None:
    group = AddressRange.parse("239.1.1.1")
    with pytest.raises(PlanError, match=r"'p9' is no port of this tester; it has p1, p2, p3, p4"):
        library.find_multicast_group_capacity("p1", "p9")
    with pytest.raises(PlanError, match=r"groups go from one port to others; given was p1, p1"):
        library.sweep_group_forwarding("p1", "p1", groups=[1])
    with pytest.raises(PlanError, match=r"numbers of groups must rise; groups is 5, 1"):
        library.sweep_group_forwarding("p1", "p2", groups=[5, 1])
    library.join_group("p2", group)
    with pytest.raises(PlanError, match=r"port 'p2' has joined 239.1.1.1 already; call Leave Group first"):
        library.find_multicast_group_capacity("p1", "p2")
    with pytest.raises(PlanError, match=r"stream 'north' is sent to no group; see Create Multicast Stream"):
        library.measure_multicast_latency(library.create_stream("north"))


def test_what_was_not_measured_is_not_judged(library: TesterLibrary) -> None:
    trial = library.measure_loss(library.create_stream("north", rate=Rate.parse("1 %")), duration=SECOND)
    with pytest.raises(TesterLibraryError, match=r"this is no result of Find Multicast Group Capacity"):
        library.verify_multicast_group_capacity_above(1, trial)
    with pytest.raises(TesterLibraryError, match=r"this is no result of Sweep Group Forwarding"):
        library.verify_group_forwarding_rate_above(Rate.parse("1 pps"), trial, within=Ratio.parse("5 %"))


def test_a_device_is_emptied_by_the_hook_of_its_testbed(
    library: TesterLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    emptied: list[int] = []

    class Emptying:
        def run(self) -> None:
            emptied.append(1)

    monkeypatch.setattr("TesterLibrary.keywords.rfc.groups.groups_hook", lambda _: Emptying())
    library.find_multicast_group_capacity("p1", "p2", lowest=4, highest=8, empty=True)
    assert len(emptied) == 2


def test_a_testbed_without_the_hook_is_named(library: TesterLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> None:
        raise TestbedError("testbed 'fake' has no hook that empties the table of multicast groups")

    monkeypatch.setattr("TesterLibrary.keywords.rfc.groups.groups_hook", missing)
    with pytest.raises(TestbedError, match=r"has no hook that empties the table of multicast groups"):
        library.find_multicast_group_capacity("p1", "p2", empty=True)


def _back(folder: Path, kind: type) -> object:
    """The last result of this kind, as the records have it."""
    found = [record.result for record in read(folder).results]
    return next(result for result in reversed(found) if isinstance(result, kind))
