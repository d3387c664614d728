# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from pathlib import Path

import pytest

from TesterLibrary import planning
from TesterLibrary._generated.tester.v1 import protocol_pb2
from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import names
from TesterLibrary.model.protocol import ASIDE_BITS, STATE_BITS
from TesterLibrary.planning.engine.register_layout import registers
from TesterLibrary.planning.engine.table import flat_table
from TesterLibrary.planning.prediction import lower, targets
from TesterLibrary.planning.switch.match_action import match_action
from TesterLibrary.planning.switch.resources import excesses
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.name_check import events


@pytest.mark.parametrize("name", names("protocols"))
def test_all_that_is_shipped_fits_what_an_engine_keeps(name: str) -> None:
    used = 0
    protocol = load_protocol(name)
    aside = {(table, name) for table, layer in enumerate(protocol.layers) for name in layer.aside}
    for register in registers(protocol):
        bits = ((1 << register.bits) - 1) << register.offset
        assert not used & bits
        if (register.table, register.name) in aside:
            assert 448 <= register.offset <= 448 + ASIDE_BITS - register.bits
        else:
            assert register.offset + register.bits <= STATE_BITS
        assert (
            register.offset // 64 == (register.offset + register.bits - 1) // 64 or register.offset % 64 == 0
        )
        used |= bits


@pytest.mark.parametrize("name", names("protocols"))
def test_flat_arrays_refer_only_to_what_is_there_and_say_what_the_table_says(name: str) -> None:
    protocol = load_protocol(name)
    plan = json.loads(json.dumps(flat_table(protocol).record()))
    lines = [line for table in plan["names"] for line in table["lines"]]
    for table, layer in zip(plan["tables"], protocol.layers, strict=True):
        assert table["states"] == len(layer.states)
        for number, (first, count) in enumerate(zip(table["first"], table["count"], strict=True)):
            state = layer.states[number // table["events"]]
            event = events(layer)[number % table["events"]]
            rows = table["order"][first : first + count]
            assert [lines[row] for row in rows] == [row.line for row in layer.rows_for(state, event)]
    for row in plan["rows"]:
        assert row["first_test"] + row["tests"] <= len(plan["tests"])
        assert row["first_action"] + row["actions"] <= len(plan["actions"])
    for expression in plan["expressions"]:
        assert all(term["operand"] < len(plan["operands"]) for term in expression["terms"])


@pytest.mark.parametrize("name", names("protocols"))
def test_flat_arrays_are_a_message_of_the_control_protocol(name: str) -> None:
    flat = flat_table(load_protocol(name))
    message = protocol_pb2.Protocol(**flat.message)
    assert message.ByteSize() < 65_536
    assert [counter for table in message.tables for counter in table.counters] == [
        n for _, n in flat.counters
    ]


def test_failures_are_counters_of_any_table() -> None:
    flat = flat_table(load_protocol("http-client"))
    failing = [flat.counters[index] for index in flat.failures]
    assert {("tcp", "timed_out"), ("http-client", "lost")} <= {*failing}
    assert ("tcp", "closed") not in failing


def test_parameters_are_numbers() -> None:
    default, set_to_5 = (
        flat_table(load_protocol("udp-echo"), parameters).message for parameters in ({}, {"port": 5})
    )
    assert {"number": b"\x07"} in default["operands"]
    assert {"number": b"\x05"} in set_to_5["operands"]
    with pytest.raises(PlanError, match="udp-echo: port: 65536 does not fit 16 bits"):
        flat_table(load_protocol("udp-echo"), {"port": 65_536})


def test_known_answers_for_a_switch() -> None:
    """The HTTP server of norma: four states (table 2), a queue a kind of template, and two passes (§4.2)."""
    plan = match_action(load_protocol("http-get"))
    assert plan.registers == (("state", 8),)
    assert plan.passes == 2
    assert [queue.name for queue in plan.queues] == [
        "syn_ack",
        "content",
        "more",
        "fin_ack",
        "acknowledge",
        "reset",
    ]
    # §4.3: of a register array of 256 the lower four bits are the queue, the higher four the offset.
    assert plan.queues[1].index(0) == 0x01
    assert plan.queues[3].index(2) == 0x23
    assert plan.queues[3].index(16) == 0x03
    content = next(entry for entry in plan.entries if entry.payload == b"GET ")
    assert [(ternary.key, ternary.value, ternary.mask) for ternary in content.match[:2]] == [
        ("state", 1, 0x7F),  # the highest bit is for a timer
        ("TCP.flags", 0x10, 0x17),
    ]
    assert (content.next_state, content.sends, content.bypass) == (2, ("content",), False)


@pytest.mark.parametrize("name", ["arp", "icmp-echo", "udp-echo", "nd", "gtpu-echo", "syn-reset"])
def test_what_keeps_nothing_passes_by_the_state(name: str) -> None:
    """§4.2: UDP and ARP replies, and RST for SYN, need no state."""
    plan = match_action(load_protocol(name))
    assert plan.passes == 1
    assert plan.registers == ()
    assert all(entry.bypass for entry in plan.entries)


def test_a_range_of_addresses_becomes_entries_by_prefix() -> None:
    entries = match_action(load_protocol("arp")).entries
    ranges = [ternary for entry in entries for ternary in entry.match if ternary.key == "ARP.pdst"]
    covered = sum((~range_.mask & 0xFFFFFFFF) + 1 for range_ in ranges)
    assert covered == 0xC612FFFE - 0xC6120002 + 1


def test_what_a_switch_lacks_is_named_with_how_much_and_what_to_change() -> None:
    with pytest.raises(PlanError) as error:
        lower(load_protocol("http-server"), "tofino")
    said = str(error.value)
    assert (
        "timers: 2 needed, 1 there, 1 too many (rto, ack; looks at flows of clients in turn there); leave"
        in said
    )
    assert "tables over one another: 2 needed, 1 there" in said
    assert "bytes of payload: 8,192 needed, 16 there, 8,176 too many (1 scanner" in said
    assert "bits of state: 804 needed, 168 there, 636 too many" in said
    assert "window arithmetic: " in said


@pytest.mark.parametrize(
    ("name", "resources"),
    [
        ("dns", ["bytes of payload"]),
        ("http-get", []),
        ("syn-flood", []),
        (
            "tcp",
            [
                "timers",
                "window arithmetic",
                "bytes of payload",
                "bits of state",
                "queues of templates",
                "histograms",
                "stages",
            ],
        ),
    ],
)  # fmt: skip
def test_only_what_is_lacking_is_named(name: str, resources: list[str]) -> None:
    assert [excess.resource for excess in excesses(load_protocol(name))] == resources


def test_a_refusal_is_of_the_chip_that_was_asked_for() -> None:
    """A Tofino 2 has 20 stages, of which tcp.yaml takes 18."""
    for target, stages in (("tofino", "stages: 18 needed, 12 there"), ("tofino2", "")):
        with pytest.raises(PlanError) as error:
            lower(load_protocol("tcp"), target)
        assert all(f": not on {target}: " in line for line in str(error.value).splitlines())
        assert stages in str(error.value)
        assert bool(stages) is ("stages: " in str(error.value))
    for target in ("tofino", "tofino2"):
        plan = lower(load_protocol("arp"), target)
        assert plan.summary().startswith(f"arp on {target}: ")
        assert plan.record()["target"] == target


REFUSED = [
    *("dns", "dns-client", "http-server", "iperf3-server", "private-tunnel", "tcp"),
    *("roce-requester", "roce-responder"),
]


def test_a_check_behind_the_payload_is_none_of_a_switch_s() -> None:
    with pytest.raises(PlanError) as error:
        lower(load_protocol("roce-responder"), "tofino")
    assert "checks: 9 needed, 0 there, 9 too many (behind the payload of BTH); a switch" in str(error.value)
    assert "bodies: 4 needed, 0 there, 4 too many (response_first, response_middle" in str(error.value)


@pytest.mark.parametrize("name", REFUSED)
def test_every_refusal_of_a_switch_names_file_and_line(name: str) -> None:
    """The line is one of the table's file, and says what is lacking where the text names it."""
    protocol = load_protocol(name)
    texts = {
        str(layer.path): layer.path.read_text(encoding="utf-8").splitlines() for layer in protocol.layers
    }
    lacking = excesses(protocol)
    assert lacking
    for excess in lacking:
        path, _, line = excess.where.rpartition(": line ")
        text = texts[path][int(line) - 1]
        said = {"timers": "start", "bits of a register": excess.why, "tables over one another": "over: "}
        assert said.get(excess.resource, "") in text, (excess, text)
        assert int(line) > 1


def test_each_room_below_planning_has_kinds_of_testers() -> None:
    rooms = {path.parent.name for path in Path(planning.__path__[0]).glob("*/prediction.py")}
    assert rooms == {"engine", "switch"}
    assert set(targets()) == {"engine", "tofino", "tofino2"}
