# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whole jobs in a switch, and that its sizes are those of the program in p4/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.job import load_job
from TesterLibrary.files.paths import data_root
from TesterLibrary.planning.switch.chip import CHIPS
from TesterLibrary.planning.switch.editor import LIST_VALUES
from TesterLibrary.planning.switch.match_action import match_action
from TesterLibrary.planning.switch.multicast import MulticastGroups
from TesterLibrary.planning.switch.plan import Copies, SwitchPlan, switch_plan
from TesterLibrary.planning.switch.resources import (
    COPIES,
    FLOWS,
    QUANTILES,
    QUEUE_ARRAY,
    QUEUES,
    ROWS,
    TEMPLATES,
)
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.targets.tofino.entries.editor import EDITORS

PORTS = """
version: 1
name: job
ports:
  - {name: p1, speed: 10 Gbps, address: 198.18.1.2/16}
  - {name: p2, speed: 10 Gbps, address: 198.19.1.2/16}
"""
RESPONDERS = """
responders:
  - {name: first, port: p1, protocol: http-get, servers: "198.18.1.10:80"}
  - {name: second, port: p2, protocol: http-get, servers: "198.19.1.10:80"}
"""


def streams(count: int, more: str = "") -> str:
    lines = (f"  - {{name: s{n}, tx: p1, rx: p2, rate: 1 kpps{more}}}\n" for n in range(count))
    return "streams:\n" + "".join(lines)


def planned(folder: Path, text: str) -> SwitchPlan:
    path = folder / "job.yaml"
    path.write_text(PORTS + text)
    return switch_plan(load_job(str(path)))


@pytest.mark.parametrize("profile", ["tofino", "tofino2"])
def test_sizes_are_those_of_the_compiled_program(profile: str) -> None:
    path = data_root() / "p4" / "build" / profile / "bf-rt.json"
    tables = json.loads(path.read_text())["tables"]
    sizes = {table["name"].removeprefix("internal.InternalIngress."): table["size"] for table in tables}
    assert sizes["template_loop.templates"] == TEMPLATES
    assert sizes["replicator.groups"] == COPIES
    assert sizes["responder.efsm.rows"] == ROWS
    assert sizes["responder.states"] == FLOWS
    assert (sizes["queues.lengths"], sizes["queues.seqs"]) == (QUEUES, QUEUE_ARRAY)
    editors = {unit: control.removeprefix("InternalIngress.") for unit, control in EDITORS.items()}
    fields = [name for unit in editors if (name := f"{editors[unit]}.{unit}_field") + ".values" in sizes]
    assert len(fields) == CHIPS[profile].edited_fields
    for name in fields:
        assert sizes[f"{name}.values"] == LIST_VALUES
        assert sizes[f"{name}.quantiles"] == QUANTILES


def test_streams_have_templates_and_leave_by_their_ports(tmp_path: Path) -> None:
    plan = planned(tmp_path, streams(2) + "  - {name: back, tx: p2, rx: p1, rate: 1 kpps}\n")
    assert plan.templates == {"s0": 0, "s1": 1, "back": 2}
    assert [(group.number, group.ports) for group in plan.groups] == [(1, ("p1",)), (2, ("p2",))]
    assert plan.copies == (Copies(0, None, 1), Copies(1, None, 1), Copies(2, None, 2))


def test_ends_of_a_protocol_share_its_templates_and_answer_by_their_own_ports(tmp_path: Path) -> None:
    plan = planned(tmp_path, streams(1) + RESPONDERS)
    assert plan.templates == {
        "s0": 0,
        "http-get.syn_ack": 1,
        "http-get.content": 2,
        "http-get.more": 3,
        "http-get.fin_ack": 4,
        "http-get.acknowledge": 5,
        "http-get.reset": 6,
    }
    content = [copy for copy in plan.copies if copy.template == 2]
    assert content == [Copies(2, "first", 1), Copies(2, "second", 2)]
    assert [len({loop.place.pipeline for loop in end.loops}) for end in plan.ends] == [1, 1]
    used = {excess.resource: excess.needed for excess in plan.capacity}
    assert (used["queues of templates"], used["flows"]) == (6, 131_072)
    assert used["rows of protocols"] == 2 * len(match_action(load_protocol("http-get")).entries)


def test_a_set_of_ports_has_one_group_whatever_its_order() -> None:
    groups = MulticastGroups()
    assert [groups.number(ports) for ports in (["a", "b"], ["a"], ["b", "a"], ["b"])] == [1, 2, 1, 3]
    assert [group.ports for group in groups.all()] == [("a", "b"), ("a",), ("b",)]
    with pytest.raises(PlanError, match="a multicast group has no port"):
        groups.number([])


def test_parameters_of_a_job_are_in_the_entries() -> None:
    given = {"first": 0x0A000001, "last": 0x0A000001}
    entries = match_action(load_protocol("arp"), given).entries
    assert {ternary.value for entry in entries for ternary in entry.match if ternary.key == "ARP.pdst"} == {
        0x0A000001
    }


def test_entries_say_which_counters_they_add_to() -> None:
    entries = match_action(load_protocol("http-get")).entries
    asked = [entry for entry in entries if entry.sends == ("content",)]
    assert {(entry.match[0].value, entry.counts) for entry in asked} == {(1, ("served",)), (2, ())}


def test_payloads_are_measured_by_frames_but_where_these_are_padded() -> None:
    """A frame of 64 bytes may have 0 to 6 bytes behind a header of TCP."""
    entries = match_action(load_protocol("http-get-client")).entries
    found = [entry for entry in entries if entry.measures and not entry.payload]
    assert {entry.measures for entry in found} == {("bytes_received",)}
    by_length = [
        [(match.value, match.mask) for match in entry.match if match.key == "payload.length"]
        for entry in found
    ]
    exact = [[(length, 0xFFFF)] for entry in found if (length := entry.octets) is not None]
    assert [one for one in by_length if one and one[0][1] == 0xFFFF] == exact
    assert sorted({one[0][0] for one in exact}) == [0, 1, 2, 3, 4, 5]


def test_a_prefix_needs_no_test_of_the_length_that_it_is_found_in() -> None:
    entries = match_action(load_protocol("http-get-client")).entries
    assert [
        match for entry in entries if entry.payload for match in entry.match if match.key == "payload.length"
    ] == []


_VALUES = ", ".join(map(str, range(2100)))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (streams(257), r"templates: 257 needed, 256 there, 1 too many \(.*\); use fewer streams"),
        (
            RESPONDERS.replace("http-get,", "http-get, flows: 200000,"),
            r"flows: 400,000 needed, 262,144 there, 137,856 too many .*; give responders a smaller",
        ),
        (
            streams(2, f", edit: [{{field: UDP.dport, values: [{_VALUES}]}}], headers: Ether / IP / UDP"),
            r"values in lists of the first editor: 4,200 needed, 4,096 there, 104 too many .*shorter lists",
        ),
        (
            "responders:\n  - {name: a, port: p1, protocol: tcp-server}\n",
            r"not on tofino: timers: 2 needed, 1 there",
        ),
        (
            "clients:\n  - {name: c, port: p1, protocol: http-get-client, target: 198.18.1.9:80, "
            "rate: 1000/s, sources: 198.18.2.0-198.18.2.2, connections: 150000}\n",
            r"flows with more than a state: \d+,\d+ needed, 65,536 there, .*http-get-client.*open fewer",
        ),
        (
            "clients:\n  - {name: c, port: p1, protocol: %s, target: 198.18.1.9:80}\n",
            r"'c': a switch opens connections at a rate, and none is given; give rate=",
        ),
    ],
)
def test_what_runs_out_is_named_with_how_much_and_what_to_change(
    tmp_path: Path, text: str, problem: str
) -> None:
    if "%s" in text:
        path = tmp_path / "opens.yaml"
        path.write_text(_OPENS)
        text %= path
    with pytest.raises(PlanError, match=problem):
        planned(tmp_path, text)


_OPENS = """
version: 1
name: opens
description: Opens, and forgets
headers: Ether / IP / TCP
flow:
  - [IP.src, IP.dst]
  - [TCP.sport, TCP.dport]
counters: [other]
templates:
  syn:
    headers: Ether / IP / TCP(flags=S)
states: [only]
table:
  - {in: only, on: start, do: [send: syn]}
  - {in: only, on: packet, do: [count: other]}
"""


def test_starts_of_clients_have_a_template_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "opens.yaml"
    path.write_text(_OPENS)
    text = "clients:\n  - {name: c, port: p1, protocol: %s, target: 198.18.1.9:80, rate: 1000/s}\n"
    assert planned(tmp_path, text % path).templates == {"opens.syn": 0, "c.start": 1}
