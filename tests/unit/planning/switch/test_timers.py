# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Timers of clients on a switch: rows that looks find, their rate, and tables that it does not keep."""

from __future__ import annotations

from pathlib import Path

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Dot1Q, Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import resource
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.planning.switch.match_action import match_action
from TesterLibrary.planning.switch.streams import SwitchEnd, place
from TesterLibrary.planning.switch.timers import LOOKED_AT, STATE, check_timers
from TesterLibrary.protocols.checker import load_protocol

from .test_starts import PORTS, plan

_OPENING = 1
_UNLESS = "  - {in: opening, on: silent, when: {begun: 1}, do: [count: unexpected]}\n"


def _placed(**given: object) -> SwitchEnd:
    (end,) = place(plan(**given), PORTS, {}).ends
    return end


def _changed(folder: Path, *changes: tuple[str, str]) -> str:
    text = resource("protocols", "http-get-client").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "changed.yaml").write_text(text)
    return str(folder / "changed.yaml")


def test_a_timer_wakes_flows_that_were_looked_at_and_packets_do_not_see_it() -> None:
    program = match_action(load_protocol("http-get-client"))
    assert dict(program.registers) == {"state": 8, "next": 32, "begun": 1}
    (due,) = (row for row in program.entries if row.table == "silent")
    assert (due.match[0].value, due.match[0].mask) == (_OPENING | LOOKED_AT, STATE | LOOKED_AT)
    assert (due.sends, due.counts, due.next_state) == (("syn",), ("retransmitted",), _OPENING)
    others = [row.match[0] for row in program.entries if row.table != "silent"]
    assert {match.mask for match in others} == {STATE}


@pytest.mark.parametrize(
    ("connections", "wait", "pps"), [(8, "1 s", 8), (4000, "1 s", 4000), (4000, "40 s", 100)]
)
def test_a_turn_of_looks_takes_as_long_as_the_timer(connections: int, wait: str, pps: int) -> None:
    looks = _placed(connections=connections, parameters={"wait": wait}).looks
    assert looks is not None
    assert looks.loopback is not None
    assert abs(looks.staging.rate / pps - 1) < 1e-5
    assert looks.starts.most is None


@pytest.mark.parametrize("vlan", [None, 7])
def test_a_look_is_a_start_in_a_vlan_of_its_own(vlan: int | None) -> None:
    end = _placed(vlan=vlan, total=8)
    assert end.starts is not None
    assert end.looks is not None
    start, look = (Ether(one.starts.frame) for one in (end.starts, end.looks))
    assert (Dot1Q in start, look[Dot1Q].vlan) == (vlan is not None, 4095)
    for field in ("src", "dst"):
        assert getattr(look[IP], field) == getattr(start[IP], field)
    assert (look[TCP].sport, look[TCP].dport) == (start[TCP].sport, start[TCP].dport)
    assert end.looks.starts.edits == end.starts.starts.edits
    assert end.starts.starts.most == 8


def test_clients_without_a_timer_have_no_looks() -> None:
    assert list(_placed(protocol="syn-flood", connections=1).events) == ["start"]
    assert list(_placed().events) == ["start", "silent"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"parameters": {"wait": 0}}, r"'users': timer silent: 0 us; on a switch it waits for 1 us at least"),
        (
            {"parameters": {"wait": "9 us"}},
            r"'users': 888,888 looks each second of 8 connections: the next one .* at most 800,000/s",
        ),
        (
            {
                "target": Endpoints.parse("198.18.0.3-198.18.0.5:80"),
                "sources": Endpoints.parse("198.18.0.9:1-8"),
            },
            r"8 sources, and 3 values of IP.src: .* take a multiple of 3 as connections=, or one target=",
        ),
    ],
)
def test_timers_that_a_switch_does_not_keep_are_refused(given: dict[str, object], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        _placed(**given)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            [("send: syn, start: {silent: wait}], to: opening", "send: syn], to: opening")],
            r"it leads to opening, where silent is waited for, and does not start it; .*so start silent here",
        ),
        (
            [("[count: retransmitted, send: syn, start: {silent: wait}]", "[start: {silent: 5 s}]")],
            r"silent is started with wait, 5000000; on a switch all waits of a table are one number",
        ),
        ([("{silent: wait}", "{silent: next}")], r"silent is started with next; .*or one parameter"),
        (
            [("  - {in: opening, on: silent, do:", _UNLESS + "  - {in: opening, on: silent, do:")],
            r"a row for silent tests more than parameters; on a switch a timer knows the state of its flow",
        ),
    ],
)
def test_tables_that_keep_another_timer_are_refused_by_the_line(
    tmp_path: Path, changes: list[tuple[str, str]], problem: str
) -> None:
    with pytest.raises(PlanError, match=rf"changed.yaml: line \d+: {problem}"):
        check_timers(load_protocol(_changed(tmp_path, *changes)))


def test_a_row_that_starts_the_timer_again_writes_the_state(tmp_path: Path) -> None:
    path = _changed(
        tmp_path,
        (
            "{in: opening, on: packet, do: [count: unexpected]}",
            "{in: opening, on: packet, do: [start: {silent: wait}]}",
        ),
    )
    program = match_action(load_protocol(path))
    assert sum(row.restarts for row in program.entries if row.table == "packet") == 1
    assert not any(row.restarts for row in program.entries if row.table == "silent")
