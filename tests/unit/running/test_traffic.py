# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from ipaddress import ip_interface
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError, TesterLibraryError
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.sending import send
from TesterLibrary.running.traffic import Traffic
from TesterLibrary.targets.fake import FakeTarget

from .testers import SECOND, fake_tester, stream


def test_traffic_runs_until_it_is_stopped_by_handle_or_stream(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    traffic = Traffic(this)
    handle = traffic.start([stream("north", rate="1 kpps")])
    traffic.start([stream("south", tx="p2", rx="p1", rate="2 kpps")])
    assert isinstance(this.target, FakeTarget)
    this.target.advance(SECOND)
    (south,) = traffic.stop(["south"])
    this.target.advance(SECOND)
    (north,) = traffic.stop([handle])
    assert 2000 <= south.sent < 2300
    assert 2000 <= north.sent < 2300
    assert north.lost == south.lost == 0
    assert traffic.stop([]) == ()


def test_a_sending_stream_cannot_be_started_again(tmp_path: Path) -> None:
    traffic = Traffic(fake_tester(tmp_path))
    handle = traffic.start([stream("north", rate="1 kpps")])
    with pytest.raises(PlanError, match=f"'north' is sending as '{handle}'; call Stop Traffic first"):
        traffic.start([stream("other", rate="1 kpps"), stream("north", rate="1 kpps")])
    assert traffic.stop(["north"])


def test_a_port_is_not_asked_for_more_than_its_line_beside_what_it_sends(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    traffic = Traffic(this)
    traffic.start([stream("north", rate="60 %")])
    refused = (
        r"streams 'north' \(60 %\) \+ 'other' \(60 %\) share port 'p1' .* ask for 120.000000 % .*"
        "Call Stop Traffic for north, or ask for less"
    )
    with pytest.raises(PlanError, match=refused):
        traffic.start([stream("other", rate="60 %")])
    with pytest.raises(PlanError, match=refused):
        TrialMeasurer(this, [stream("other")]).measure(Fraction(60, 100), SECOND)
    with pytest.raises(PlanError, match="stream 'north' is sending already; call Stop Traffic first"):
        send(this, [stream("north", rate="10 %")], packets=10, timeout=SECOND)
    assert len(this.air.runs) == 1
    assert traffic.start([stream("other", rate="40 %")])
    assert traffic.start([stream("back", tx="p2", rx="p1", rate="100 %")])


def test_a_new_rate_holds_from_now_on(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    traffic = Traffic(this)
    traffic.start([stream("north", rate="1 kpps")])
    assert isinstance(this.target, FakeTarget)
    this.target.advance(SECOND)
    traffic.update(stream("north", rate="10 kpps"))
    this.target.advance(SECOND)
    (trial,) = traffic.stop([])
    assert 11_000 <= trial.sent < 12_500
    assert trial.streams[0].law == "evenly spaced, changed meanwhile"


def test_one_of_several_that_were_started_together_is_not_stopped_alone(tmp_path: Path) -> None:
    """The others would end with it, and what is measured beside them then is an idle device."""
    traffic = Traffic(fake_tester(tmp_path))
    handle = traffic.start([stream("a", rate="10 %"), stream("b", rate="10 %"), stream("c", rate="10 %")])
    refused = (
        "to stop a, b would end c, too, as they were started together; stop all of traffic-1, or start them "
        "one by one"
    )
    with pytest.raises(TesterLibraryError, match=refused):
        traffic.stop(["b", "a"])
    (trial,) = traffic.stop([handle])
    assert [each.name for each in trial.streams] == ["a", "b", "c"]
    handle = traffic.start([stream("a"), stream("b", tx="p2", rx="p1")])
    assert len(traffic.stop(["b", "a"])) == 1


def test_what_is_not_sending_cannot_be_stopped(tmp_path: Path) -> None:
    with pytest.raises(TesterLibraryError, match="there is no traffic 'east'; call Start Traffic first"):
        Traffic(fake_tester(tmp_path)).stop(["east"])
    traffic = Traffic(fake_tester(tmp_path / "other"))
    traffic.start([stream("north"), stream("south", tx="p2", rx="p1")])
    with pytest.raises(TesterLibraryError, match=r"there is traffic-1 \(north, south\)"):
        traffic.stop(["east"])


def test_a_stream_that_has_not_sent_yet_makes_a_trial_no_longer(tmp_path: Path) -> None:
    """Its first departure is 0, which is when the tester was started."""
    this = fake_tester(tmp_path)
    traffic = Traffic(this)
    assert isinstance(this.target, FakeTarget)
    this.target.advance(Duration(5000 * SECOND.ns))
    late = replace(stream("late", tx="p2", rx="p1", rate="1 kpps"), phase=Fraction(100_000))
    traffic.start([stream("north", rate="1 kpps"), late])
    this.target.advance(SECOND)
    (trial,) = traffic.stop([])
    assert [result.counters.tx_packets > 0 for result in trial.streams] == [True, False]
    assert trial.duration_ns == pytest.approx(SECOND.ns, rel=0.2)


def test_what_a_plan_remarks_is_logged_and_recorded_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tester = fake_tester(tmp_path)
    tester.ports["p1"] = replace(tester.ports["p1"], address=ip_interface("198.18.0.2/24"))  # type: ignore[index]
    headers = HeaderStack.parse('Ether / IP(src="198.18.0.255") / UDP')
    traffic = Traffic(tester)
    with caplog.at_level("INFO"):
        for _ in range(2):
            traffic.start([replace(stream(rate="1 kpps"), headers=headers)])
            traffic.stop([])
    remark = "port p1 does not answer ARP or neighbour discovery for 198.18.0.255 (broadcast address)"
    assert [record.getMessage() for record in caplog.records] == [remark]
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [event["text"] for event in events if event["event"] == "remark"] == [remark]
