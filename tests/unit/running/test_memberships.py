# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Ports that join and leave groups, on a fake that counts what they send and has them answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.membership import GroupProtocol, Membership
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.memberships import JoinManner, Memberships
from TesterLibrary.targets.fake import FakeTarget, fake_port

from .testers import fake_tester

if TYPE_CHECKING:
    from TesterLibrary.model.plan.plan import Plan
    from TesterLibrary.running.tester import Tester

GROUP = AddressRange.parse("239.1.1.1")
IPV6_GROUP = AddressRange.parse("ff0e::1")
FAST = Frequency.parse("1 k/s")
ONCE = JoinManner(FAST, robustness=1)


def on_ports(directory: Path, *names: str) -> Tester:
    target = FakeTarget([fake_port(name) for name in names])
    capabilities = target.capabilities()
    ports = {p.name: Port(p.name, Bandwidth(10**9), p.mac, p.max_frame_size) for p in capabilities.ports}

    clock = Clock.of(target)
    return replace(fake_tester(directory), target=target, capabilities=capabilities, ports=ports, clock=clock)


def hosts(tester: Tester) -> list[str]:
    """The ends that answer queries."""
    return [end.name for end in tester.target.snapshot().ends if end.answering]


def sent(tester: Tester) -> list[int]:
    """Frames of each run that is loaded."""
    return [tester.target.snapshot([run.name]).streams[0].tx_packets for run in tester.air.runs]


@pytest.mark.parametrize("protocol", [*GroupProtocol])
def test_a_member_answers_until_it_leaves(protocol: GroupProtocol, tmp_path: Path) -> None:
    tester = on_ports(tmp_path, "p1", "p2", "p3")
    memberships, groups = Memberships(tester), GROUP if protocol.ip_version == 4 else IPV6_GROUP
    for port in ("p2", "p3"):
        memberships.join(Membership(port, groups, protocol), ONCE)
    assert hosts(tester) == [f"member of {groups} at p2", f"member of {groups} at p3"]
    memberships.leave("p2", [], FAST)
    assert hosts(tester) == [f"member of {groups} at p3"], "the other one is asked then"
    memberships.leave("p3", [], FAST)
    assert hosts(tester) == []


def test_several_memberships_of_one_port_all_hear_queries(tmp_path: Path) -> None:
    tester = on_ports(tmp_path, "p1", "p2")
    memberships = Memberships(tester)
    for groups in (GROUP, AddressRange.parse("239.9.9.9"), IPV6_GROUP):
        memberships.join(Membership("p2", groups), ONCE)
    assert len(hosts(tester)) == 3


def test_reports_are_repeated_as_often_as_is_said(tmp_path: Path) -> None:
    tester = on_ports(tmp_path, "p1", "p2")
    memberships = Memberships(tester)
    groups = AddressRange.parse("239.1.1.1-239.1.1.5")
    memberships.join(Membership("p2", groups), JoinManner(FAST, robustness=3, interval=Duration(10**9)))
    for seconds, found in ((0.9, 0), (1, 5), (1.2, 10), (10, 10)):
        tester.clock.sleep(seconds)
        assert sent(tester) == [pytest.approx(found, abs=1)]
    memberships.leave("p2", [], FAST)
    assert not tester.air.runs


def test_a_membership_without_answers_is_a_report(tmp_path: Path) -> None:
    tester = on_ports(tmp_path, "p1", "p2")
    memberships = Memberships(tester)
    memberships.join(Membership("p2", GROUP), JoinManner(FAST, robustness=1, answers=False))
    assert (hosts(tester), tester.air.runs, memberships.members(GROUP)) == ([], [], ("p2",))
    memberships.leave("p2", [], FAST)


def test_a_tester_that_cannot_answer_refuses_unless_it_need_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing has been sent then."""
    tester = on_ports(tmp_path, "p1", "p2")
    load = tester.target.load

    def without_timers(plan: Plan) -> None:
        if plan.ends:
            raise PlanError("timers: 1 needed, 0 there")
        load(plan)

    monkeypatch.setattr(tester.target, "load", without_timers)
    memberships = Memberships(tester)
    with pytest.raises(
        PlanError, match=r"port 'p2' cannot answer queries for 239.1.1.1: timers: 1 .* answer=F"
    ):
        memberships.join(Membership("p2", GROUP), ONCE)
    assert (tester.air.joined, memberships.members(GROUP)) == (set(), ())
    memberships.join(Membership("p2", GROUP), JoinManner(FAST, answers=False))
    assert memberships.report(Membership("p2", IPV6_GROUP), FAST).reports == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"robustness": 0}, "robustness=0 reports nothing; give 1 or more"),
        ({"interval": Duration(0)}, "an interval of 0 ns between reports is too short"),
    ],
)
def test_a_manner_without_reports_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        JoinManner(FAST, **given)
