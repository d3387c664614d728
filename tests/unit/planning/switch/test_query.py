# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries as entries of a switch's table: each packet that is meant hits the row of its keys, no other."""

from __future__ import annotations

import re
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet

from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import data_root
from TesterLibrary.model.capture import Direction
from TesterLibrary.model.query import Function
from TesterLibrary.model.units.units import Duration
from TesterLibrary.p4.build import shipped
from TesterLibrary.planning.query import _HEADERS as QUERIED
from TesterLibrary.planning.switch.match_action import Ternary
from TesterLibrary.planning.switch.query import COMPARED, RECEIVED_ONLY, Counts, QueryEntry, query_entries
from TesterLibrary.planning.switch.query_keys import KEYS
from TesterLibrary.planning.switch.resources import QUERY_ROWS
from TesterLibrary.targets.tofino.entries.queries import TABLES
from TesterLibrary.targets.tofino.fake.external import query_key
from TesterLibrary.targets.tofino.fake.packet import Packet as Parsed
from TesterLibrary.targets.tofino.session.schema import Schema
from TesterLibrary.wire.header_catalog import Catalog

from ..test_query import planned

DEVICE_PORTS = {"p1": 128, "p2": 132}
ORDER = ("p2", "p1")
LINK = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")


def entries(keys: str = "", filter: str = "", **more: Any) -> tuple[QueryEntry, ...]:  # noqa: A002
    return query_entries(planned(keys, filter, **more), DEVICE_PORTS, ORDER)


def found(
    asked: tuple[QueryEntry, ...], packet: Packet, port: str = "p2", stream: int | None = None
) -> QueryEntry:
    """The entry that a packet hits; each has one, because all others of the port are counted too."""
    parsed = Parsed.parse(bytes(packet).ljust(60, b"\0"))
    known = {
        "ingress_port": DEVICE_PORTS[port],
        "measured": int(stream is not None),
        "stream": stream or 0,
    }
    return next(
        entry
        for entry in sorted(asked, key=lambda entry: entry.counts.value)
        if all(
            (known[match.key] if match.key in known else query_key(parsed, match.key)) & match.mask
            == match.value
            for match in entry.match
        )
    )


def row(*asked: Any, **more: Any) -> bytes | None:
    """The keys of the row that a packet is counted in; None: in none."""
    entry = found(*asked, **more)
    return entry.keys if entry.counts is Counts.ROW else None


def test_a_key_has_an_entry_for_each_value_that_the_filter_leaves() -> None:
    asked = entries("IP.src", "TCP.flags == SA and IP.src == 10.0.0.3-10.0.0.9", port="p2")
    assert [entry.keys[-1] for entry in asked if entry.counts is Counts.ROW] == [*range(3, 10)]
    for last, wanted in ((2, None), (3, 3), (9, 9), (10, None)):
        keys = row(asked, LINK / IP(src=f"10.0.0.{last}") / TCP(flags="SA"))
        assert keys == (None if wanted is None else bytes([10, 0, 0, wanted]))
    assert row(asked, LINK / IP(src="10.0.0.3") / TCP(flags="S")) is None
    assert row(asked, LINK / IP(src="10.0.0.3") / UDP()) is None


@pytest.mark.parametrize(
    ("filter", "meant", "others"),
    [
        ("IP.ttl != 5", (0, 4, 6, 255), (5,)),
        ("IP.ttl < 5", (0, 4), (5, 6)),
        ("IP.ttl <= 5", (5,), (6,)),
        ("IP.ttl > 5 and IP.ttl != 9", (6, 8, 10, 255), (5, 9)),
        ("IP.ttl >= 250", (250, 255), (249,)),
    ],
)
def test_relations_are_covered_by_entries(
    filter: str,  # noqa: A002
    meant: tuple[int, ...],
    others: tuple[int, ...],
) -> None:
    asked = entries("", filter, port="p2")
    assert [row(asked, LINK / IP(ttl=ttl) / UDP()) for ttl in meant] == [b""] * len(meant)
    assert [row(asked, LINK / IP(ttl=ttl) / UDP()) for ttl in others] == [None] * len(others)


def test_flags_and_networks_are_masks() -> None:
    asked = entries("", "TCP.flags has S and TCP.flags lacks R and IP.src != 10.0.0.0/8", port="p2")
    assert row(asked, LINK / IP(src="11.0.0.1") / TCP(flags="SAN")) == b""
    assert row(asked, LINK / IP(src="11.0.0.1") / TCP(flags="SR")) is None
    assert row(asked, LINK / IP(src="10.9.9.9") / TCP(flags="S")) is None
    alone = entries("", "TCP.flags == S", port="p2")
    assert row(alone, LINK / IP() / TCP(flags="S")) == b""
    assert row(alone, LINK / IP() / TCP(flags="SN")) is None, "the ninth flag is in another byte"


def test_keys_of_both_directions_are_one() -> None:
    ends = "IP.src == 10.0.0.1-10.0.0.2 and IP.dst == 10.0.0.1-10.0.0.2"
    asked = entries("IP.src,IP.dst", ends, symmetric=True, port="p2")
    there, back = (LINK / IP(src=f"10.0.0.{s}", dst=f"10.0.0.{d}") / UDP() for s, d in ((1, 2), (2, 1)))
    assert row(asked, there) == row(asked, back) == bytes([10, 0, 0, 1, 10, 0, 0, 2])


def test_ports_are_keys_and_conditions_by_the_testers_numbers() -> None:
    asked = entries("port", "IP.ttl == 9")
    packet = LINK / IP(ttl=9) / UDP()
    assert [row(asked, packet, port=port) for port in ORDER] == [bytes(7) + b"\0", bytes(7) + b"\1"]
    one = entries("", "port == p1")
    assert [row(one, LINK / ARP(), port=port) for port in ("p1", "p2")] == [b"", None]


def test_frames_of_streams_are_none_of_a_query_for_foreign_ones() -> None:
    asked = entries(foreign=True, port="p2")
    assert [row(asked, LINK / ARP(), stream=stream) for stream in (None, 0, 1)] == [b"", None, None]


def test_frames_of_streams_are_known_by_the_numbers_of_those_that_are_loaded() -> None:
    query = planned("IP.ttl", "IP.ttl == 1-2", streams=("a", "b"), port="p2")
    asked = query_entries(query, DEVICE_PORTS, ORDER, [0, 7])
    packet = LINK / IP(ttl=2) / UDP()
    assert [row(asked, packet, stream=stream) for stream in (None, 0, 6, 7)] == [None, b"\2", None, b"\2"]
    before = query_entries(query, DEVICE_PORTS, ORDER)
    assert not any(entry.counts is Counts.ROW for entry in before)
    assert {*before} < {*asked}, "that of all others stays as it is"


UNREACHED = (
    ("IP.src", "IP.src == 10.0.0.1", LINK / Dot1Q() / Dot1Q() / IP(src="10.0.0.1") / UDP()),
    ("IP.src", "IP.src == 10.0.0.1", LINK / Dot1AD() / IP(src="10.0.0.1") / UDP()),
    ("VLAN.vlan", "VLAN.vlan == 7", LINK / Dot1AD(vlan=7) / IP()),
    ("", "UDP.dport == 53", LINK / IP(options=[b"\x94\x04\0\0"]) / UDP(dport=53)),
    ("", "UDP.dport == 53", LINK / IPv6() / IPv6ExtHdrDestOpt() / UDP(dport=53)),
    ("", "UDP.dport == 53", LINK / IPv6() / IPv6ExtHdrFragment(m=1) / UDP(dport=53)),
)


@pytest.mark.parametrize(("keys", "filter", "packet"), UNREACHED)
def test_packets_that_the_parser_does_not_reach_are_counted_apart(
    keys: str,
    filter: str,  # noqa: A002
    packet: Packet,
) -> None:
    assert found(entries(keys, filter, port="p2"), packet).counts is Counts.UNREAD


@pytest.mark.parametrize(
    ("filter", "packet"),
    [
        ("Ether.type == 0x88a8", LINK / Dot1AD() / IP()),
        ("VLAN.vlan == 7", LINK / Dot1Q(vlan=7) / Dot1Q() / IP()),
        ("VLAN.vlan == 8 and IP.ttl == 9", LINK / Dot1Q(vlan=7) / Dot1Q() / IP(ttl=9)),
        ("UDP.dport == 53 and IP.ttl == 9", LINK / IP(ttl=8, options=[b"\x94\x04\0\0"]) / UDP(dport=53)),
        ("UDP.dport == 53", LINK / IP(options=[b"\x94\x04\0\0"], frag=1) / UDP(dport=53)),
        ("UDP.dport == 53", LINK / IP(options=[b"\x94\x04\0\0"]) / TCP(dport=53)),
        ("UDP.dport == 53 and IP.ttl == 9", LINK / IPv6() / IPv6ExtHdrDestOpt() / UDP(dport=53)),
    ],
)
def test_only_packets_that_may_be_meant_are_not_reached(filter: str, packet: Packet) -> None:  # noqa: A002
    assert found(entries("", filter, port="p2"), packet).counts is not Counts.UNREAD


REFUSED = (
    (
        {"keys": "IP.src"},
        r"keys=IP.src: its filter leaves 4,294,967,296 values, .* 512 entries .* filter=IP.src ==",
    ),
    (
        {"keys": "IP.src,UDP.dport", "filter": "IP.src == 10.0.0.0/27 and UDP.dport == 1-32"},
        "entries of a query: 2,.* needed",
    ),
    (
        {"filter": "IP.src != 10.0.0.1 and IP.dst != 10.0.0.1"},
        "entries of a query: 2,056 needed, 512 there, 1,544 too",
    ),
    (
        {"filter": "Ether.src == 02:00:00:00:00:01", "direction": Direction.TRANSMITTED},
        "filter=Ether.src == 02:00:00:00:00:01: a switch compares of what it sends Ether.dst, Ether.type, ",
    ),
    (
        {"filter": "Ether.src == 02:00:00:00:00:01", "direction": Direction.BOTH},
        "filter=Ether.src == 02:00:00:00:00:01: a switch compares of what it sends Ether.dst, Ether.type, ",
    ),
    (
        {
            **{"keys": "UDP.dport", "filter": "UDP.dport == 1-170", "value": "length", "port": "p1"},
            "direction": Direction.TRANSMITTED,
        },
        "entries of a query: 520 needed, 512 there, 8 too many .*, three for each because frames that leave "
        "wear different headers within the switch, .* give streams, ",
    ),
    ({"interval": Duration(10**6)}, "interval=1 ms: an interval is one more key"),
    ({"value": "IP.ttl"}, "sum of IP.ttl: a counter of a switch sums up packets and bytes"),
    ({"value": "length", "function": Function.MAX}, "max of length: "),
    ({"keys": "length"}, "keys=length: a switch compares no lengths of frames"),
    ({"filter": "length > 100"}, "filter=length > 100: a switch compares no lengths of frames"),
    ({"filter": "payload == GET"}, "filter=payload == GET: a switch compares Ether.dst, "),
    (
        {"keys": "IPv6.src", "filter": "IPv6.src == 2001:db8::1"},
        "keys=IPv6.src: a switch compares Ether.dst, ",
    ),
)


@pytest.mark.parametrize(("wish", "says"), REFUSED)
def test_what_a_switch_cannot_count_exactly_is_refused_by_name(wish: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError, match=f"query 'q': not on a switch: {says}"):
        entries(**wish)


def test_a_query_may_fill_its_table_and_not_more() -> None:
    last = QUERY_ROWS - 1 - 3  # beside the entry of all others, and those of packets that are not reached
    asked = entries("UDP.dport", f"UDP.dport == 1-{last - 6}", port="p2")
    assert len(asked) == QUERY_ROWS
    with pytest.raises(PlanError, match="513 needed, 512 there, 1 too many"):
        entries("UDP.dport", f"UDP.dport == 0-{last - 6}", port="p2")


def test_the_fields_that_a_switch_compares_are_those_of_the_page() -> None:
    """Each field of each header that queries know can be a key, or is refused with this list."""
    accepted = []
    for header in QUERIED:
        for field in Catalog(())[header]().fields_desc if header != "Dot1Q" else ():  # which is VLAN
            try:
                entries(f"{header}.{field.name}", port="p2")
            except PlanError as refused:
                if "its filter leaves" not in str(refused):  # nor a field without a place, such as options
                    continue
            accepted.append(f"{header}.{field.name}")
    assert sorted(accepted) == sorted(COMPARED)
    page = (data_root() / "docs" / "queries.md").read_text(encoding="utf-8")
    table = page.partition("| header | fields that a switch compares |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (\w+) \| (.*) \|$", table, re.MULTILINE)
    assert [f"{header}.{name}" for header, said in rows for name in said.split(", ")] == list(COMPARED)


def test_lengths_of_what_leaves_are_summed_up_without_headers_within_the_switch() -> None:
    """Frames of tests wear none that others do not, and the driver's own and replies do."""
    out = Direction.TRANSMITTED
    wish: dict[str, Any] = {"filter": "IP.ttl == 9", "port": "p2", "direction": out}
    rows = [entry for entry in entries(**wish, value="length") if entry.counts is Counts.ROW]
    assert [(entry.worn, Ternary("worn", entry.worn, 3) in entry.match) for entry in rows] == [
        (0, True),
        (1, True),
        (2, True),
    ]
    for others in (wish, {**wish, "value": "length", "streams": ("a",)}):
        query = planned("", **others)
        (row,) = (
            entry for entry in query_entries(query, DEVICE_PORTS, ORDER, [7]) if entry.counts is Counts.ROW
        )
        assert (row.worn, {match.key for match in row.match} & {"worn"}) == (0, set())


def test_both_directions_have_entries_in_tables_of_their_own() -> None:
    asked = entries("IP.ttl", "IP.ttl == 1-4", direction=Direction.BOTH, port="p2")
    of_one = {
        direction: entries("IP.ttl", "IP.ttl == 1-4", direction=direction, port="p2")
        for direction in (Direction.RECEIVED, Direction.TRANSMITTED)
    }
    assert asked == tuple(entry for of_direction in of_one.values() for entry in of_direction)
    for direction, found_in in of_one.items():
        assert {entry.direction for entry in found_in} == {direction}


def test_keys_of_the_program_are_those_of_the_planner() -> None:
    schema = Schema.load(shipped("tofino") / "bf-rt.json")
    bits = {key.name: key.bits for key in KEYS}
    valid = {f"{key.header}_valid": 1 for key in KEYS if key.header != "ether"}
    shared = {**bits, **valid, "measured": 1, "stream": 8, "$MATCH_PRIORITY": 32}
    transmitted = {key: width for key, width in shared.items() if key not in RECEIVED_ONLY.values()}
    of_all = {
        Direction.RECEIVED: {**shared, "ingress_port": 9},
        Direction.TRANSMITTED: {**transmitted, "egress_port": 9, "worn": 2, "mpls_valid": 1},
    }
    for direction, wanted in of_all.items():
        for name in TABLES[direction]:
            assert schema[name].size == QUERY_ROWS
            assert {key: field.bits for key, field in schema[name].key.items()} == wanted
