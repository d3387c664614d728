# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.planned_stamps import PlannedStamps, Tunnel
from TesterLibrary.model.stamps import LoadedPath, StampMode, Stamps
from TesterLibrary.planning.compile import compile as compile_job

from .bench import MAC1, port

PORTS = {"p1": port("p1", MAC1)}
PATHS = (LoadedPath("one", "north"), LoadedPath("other", "south"))


def planned(headers: str | None = None, **changes: Any) -> PlannedStamps:
    stack = HeaderStack.parse(headers) if headers else None
    stamps = Stamps(name=changes.pop("name", "load"), paths=PATHS, headers=stack, **changes)
    plan = compile_job(Job("job", stamps=(stamps,)), ports=PORTS, gateways={}, max_streams=1)
    return plan.stamps[0]


@pytest.mark.parametrize(
    ("headers", "tunnel"),
    [
        (None, Tunnel.NONE),
        ("IP / TCP", Tunnel.NONE),
        ("Ether / Dot1Q(vlan=5) / IPv6 / UDP", Tunnel.NONE),
        ("IP / UDP / VXLAN / Ether / IP / TCP", Tunnel.VXLAN),
        ("IP / UDP / GTP_U_Header / IP / UDP", Tunnel.GTP_U),
    ],
)
def test_a_stamp_is_where_its_headers_end(headers: str | None, tunnel: Tunnel) -> None:
    assert planned(headers).tunnel is tunnel


def test_headers_are_bytes() -> None:
    assert [(match.offset, match.value) for match in planned("IP / TCP(dport=80)").matches] == [
        (match.offset, match.value) for match in planned("Ether / IP / TCP(dport=80)").matches
    ]
    assert planned().matches == ()


def test_packets_are_known_by_a_sum_of_bits() -> None:
    assert planned().kept == 0
    assert planned(mode=StampMode.MATCH).kept == 255


@pytest.mark.parametrize(
    ("headers", "changes", "refusal"),
    [
        ("IP / ICMP", {}, "ICMP has no room for a stamp; give headers with TCP or UDP, or mode=match"),
        ("IP / UDP / VXLAN / Ether / ARP", {}, "ARP has no room for a stamp"),
        ("IP / UDP / VXLAN / Ether / IP / UDP / VXLAN / Ether / IP", {}, "has 2 tunnels"),
        ("IP / Nonsense", {}, "stamps 'load': .*Nonsense"),
        (None, {"name": "x" * 129}, "its name has 129 characters"),
    ],
)
def test_what_cannot_be_stamped_is_refused(
    headers: str | None, changes: dict[str, Any], refusal: str
) -> None:
    with pytest.raises(PlanError, match=refusal):
        planned(headers, **changes)


def test_what_cannot_be_stamped_can_be_matched() -> None:
    assert planned("IP / ICMP", mode=StampMode.MATCH).kept == 255
