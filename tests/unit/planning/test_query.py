# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError, UnitError
from TesterLibrary.model.capture import Direction
from TesterLibrary.model.plan.planned_query import (
    Matcher,
    PlacedFact,
    PlacedField,
    PlannedQuery,
    PlannedTest,
    QueryPart,
)
from TesterLibrary.model.ports import Port
from TesterLibrary.model.query import (
    Fact,
    Function,
    PacketFilter,
    PayloadBytes,
    Query,
    QueryField,
    QueryKeys,
)
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.planning.query import key_octets, plan_query
from TesterLibrary.planning.query_filter import holds

PORTS = {
    name: Port(name, Bandwidth(10**9), bytes([2, 0, 0, 0, 0, n]), 1518, IPv4Interface(f"198.18.0.{n}/24"))
    for n, name in enumerate(("p1", "p2"), 2)
}


def planned(
    keys: str = "",
    filter: str = "",  # noqa: A002
    matcher: Matcher = Matcher.ENGINE,
    **more: Any,
) -> PlannedQuery:
    if keys:
        more["keys"] = QueryKeys.parse(keys)
    if filter:
        more["filter"] = PacketFilter.parse(filter)
    if "value" in more:
        more["value"] = QueryField.parse(more["value"])
    return plan_query(Query(name="q", **more), PORTS, ["p2", "p1"], matcher)


def placed(text: str) -> Any:
    return planned(keys=text).keys[0].operand


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("IP.src", PlacedField(QueryPart.NETWORK, 12, b"\xff" * 4, ether_type=0x0800)),
        ("IPv6.dst", PlacedField(QueryPart.NETWORK, 24, b"\xff" * 16, ether_type=0x86DD)),
        ("ARP.psrc", PlacedField(QueryPart.NETWORK, 14, b"\xff" * 4, ether_type=0x0806)),
        ("TCP.flags", PlacedField(QueryPart.TRANSPORT, 12, b"\x01\xff", protocol=6)),
        ("UDP.dport", PlacedField(QueryPart.TRANSPORT, 2, b"\xff\xff", protocol=17)),
        ("ICMP.type", PlacedField(QueryPart.TRANSPORT, 0, b"\xff", ether_type=0x0800, protocol=1)),
        ("Ether.src", PlacedField(QueryPart.FRAME, 6, b"\xff" * 6)),
        ("VLAN.vlan", PlacedField(QueryPart.TAG, 0, b"\x0f\xff")),
        ("payload[2:5]", PlacedField(QueryPart.PAYLOAD, 2, b"\xff" * 3)),
        ("length", PlacedFact(Fact.LENGTH)),
    ],
)
def test_a_key_is_where_any_packet_has_it(text: str, wanted: object) -> None:
    assert placed(text) == wanted


def compared(text: str) -> list[tuple[str, bytes, bytes]]:
    return [(test.relation, test.mask, test.value) for test in planned(filter=text).tests]


def test_conditions_are_masks_and_values() -> None:
    assert compared("TCP.flags == SA") == [("IS", b"\x01\xff", b"\0\x12")]
    assert compared("TCP.flags has S") == [("IS", b"\0\x02", b"\0\x02")]
    assert compared("TCP.flags lacks AR") == [("IS", b"\0\x14", b"\0\0")]
    assert compared("IP.src == 10.0.0.0/8") == [("IS", b"\xff\0\0\0", b"\x0a\0\0\0")]
    assert compared("UDP.dport == 1024-65535") == [
        ("AT_LEAST", b"\xff\xff", b"\x04\0"),
        ("AT_MOST", b"\xff\xff", b"\xff\xff"),
    ]
    assert compared('payload == "GET "') == [("IS", b"\xff" * 4, b"GET ")]
    assert compared("payload[1:3] != 0x00ff") == [("NOT", b"\xff\xff", b"\0\xff")]
    assert compared("length > 1000") == [("ABOVE", b"\xff" * 8, (1000).to_bytes(8, "big"))]
    assert compared("port == p1") == [("IS", b"\xff" * 8, (1).to_bytes(8, "big"))]
    assert compared("IP.tos == 8 and VLAN.vlan < 7") == [
        ("IS", b"\xff", b"\x08"),
        ("BELOW", b"\x0f\xff", b"\0\x07"),
    ]
    assert compared("IP.flags == DF") == [("IS", b"\xe0", b"\x40")], "three bits, in place"


@given(st.integers(0, 2**32 - 1), st.integers(0, 0xFFFF))
def test_keys_are_read_as_they_are_written(address: int, port: int) -> None:
    query = planned(keys="IP.src,UDP.dport")
    text = f"{IPv4Address(address)},{port}"
    octets = key_octets(query, text)
    assert octets == address.to_bytes(4, "big") + port.to_bytes(2, "big")
    parts = (octets[:4], octets[4:])
    assert ",".join(key.text(part) for key, part in zip(query.keys, parts, strict=True)) == text


def test_keys_that_are_part_of_a_byte_and_facts_are_read_back() -> None:
    for keys, text, octets in (
        ("VLAN.prio", "5", b"\xa0"),
        ("port", "p1", (1).to_bytes(8, "big")),
        ("payload[0:2]", "0xabcd", b"\xab\xcd"),
        ("Ether.dst", "02:00:00:00:00:07", b"\x02\0\0\0\0\x07"),
        ("IPv6.src", "2001:db8::1", bytes.fromhex("20010db8000000000000000000000001")),
    ):
        query = planned(keys=keys)
        assert key_octets(query, text) == octets
        assert query.keys[0].text(octets) == text


def test_opposites_are_found_by_their_names() -> None:
    query = planned(keys="IP.src,IP.dst,TCP.sport,TCP.dport,port", symmetric=True)
    assert [key.opposite for key in query.keys] == [1, 0, 3, 2, 4]


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ({"port": "p3"}, "port='p3' is no port of this tester; it has p1, p2"),
        ({"keys": "IP.scr"}, "this IP has no field 'scr' (did you mean 'src'?)"),
        ({"keys": "GRE.proto"}, "a query finds fields of Ether, IP, IPv6, TCP"),
        ({"keys": "IP[2].src"}, "the outermost ones; take payload[first:behind]"),
        ({"keys": "TCP.options"}, "this TCP has no field 'options'"),
        (
            {"keys": "IPv6.src,IPv6.dst,payload[0:10]"},
            "take 42 bytes, 2 more than the 40 that a key can have",
        ),
        ({"keys": "payload[0:65]"}, "payload[0:65] has 65 bytes; at most 64"),
        ({"keys": "IP.src", "symmetric": True}, "symmetric=True needs IP.dst beside IP.src"),
        ({"keys": "IP.ttl", "symmetric": True}, "needs keys of both ends of a connection"),
        ({"keys": "gap"}, "gap is no key"),
        (
            {"keys": "TCP.sport", "filter": "UDP.dport == 7"},
            "no packet has both UDP.dport and TCP.sport; make a query for each",
        ),
        ({"keys": "IP.src", "filter": "ARP.op == 1"}, "no packet has both ARP.op and IP.src;"),
        ({"filter": "TCP.dport == 1 and UDP.dport == 1"}, "no packet has both TCP.dport and UDP.dport;"),
        ({"filter": "ARP.op == 1 and TCP.dport == 1"}, "no packet has both ARP.op and TCP.dport;"),
        ({"filter": "ARP.op == 1 and payload == abc"}, "no packet has both ARP.op and payload;"),
        ({"filter": "IPv6.hlim == 1 and ICMP.type == 8"}, "no packet has both IPv6.hlim and ICMP.type;"),
        ({"keys": "IP.src", "filter": "IPv6.hlim == 1"}, "no packet has both IPv6.hlim and IP.src;"),
        ({"filter": "IP.ttl == 256"}, "filter 'IP.ttl == 256': '256': it takes 0 to 255"),
        ({"filter": "IP.src == 10.0.0.1/8"}, "has host bits set"),
        ({"filter": "IP.ttl == 10.0.0.0/8"}, "a network is compared by == or != with a field of 32 bits"),
        ({"filter": "UDP.dport == 9-7"}, "'9-7' ends before it begins"),
        ({"filter": "IP.ttl has S"}, "'has' is about flags, such as TCP.flags has S"),
        ({"filter": 'payload[0:2] == "abc"'}, "'abc' has 3 bytes, and payload[0:2] has 2"),
        ({"filter": "payload == 0x123"}, "'0x123' is no row of bytes"),
        ({"filter": "length == x"}, "'x' is no number"),
        ({"filter": "port == x"}, "there is no port 'x'; there are p2, p1"),
        ({"filter": "gap > 5"}, "gap is no condition"),
        (
            {"keys": "IP.src", "value": "Ether.src"},
            "Ether.src has 48 bits, 16 more than the 32 of which a sum",
        ),
        ({"keys": "IP.src", "value": "gap"}, "gap is a time between packets of one port and one direction"),
        ({"keys": "IP.src", "value": "port"}, "port is no number that could be summed up"),
        ({"capacity": 2**25 + 1}, "capacity=33,554,433 keys; give 1 to 33,554,432"),
        ({"interval": Duration(10)}, "interval=10 ns is too short; give 1 us or more"),
        ({"foreign": True, "streams": ("north",)}, "streams= and foreign=True exclude each other"),
    ],
)
def test_what_cannot_be_is_refused_by_the_name_of_the_query(wish: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError) as error:
        planned(**wish)
    assert str(error.value).startswith("query 'q': ")
    assert says in str(error.value)


NEVER = "query 'q': no packet passes its filter: "


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("IP.ttl < 0", "IP.ttl < 0: IP.ttl is 0 to 255; change it"),
        ("VLAN.vlan > 4095", "VLAN.vlan > 4095: VLAN.vlan is 0 to 4095; change it"),
        ("IP.src != 0.0.0.0/0", "IP.src != 0.0.0.0/0: IP.src is 0.0.0.0 to 255.255.255.255; change it"),
        ("length < 18", "length < 18: length is 18 to 1526; change it"),
        ("length > 20000", "length > 20000: length is 18 to 1526; change it"),
        ("payload[1500:1502] == 0x0102", "payload[1500:1502] == 0x0102: length is 18 to 1526; change it"),
        ("payload[70000:70002] == 0x0102", "payload[70000:70002] == 0x0102: length is 18 to 1526; change it"),
        ("TCP.dataofs == 4", "TCP.dataofs == 4: TCP.dataofs is 5 to 15; change it"),
        ("port > p1", "port > p1: port is p2 to p1; change it"),
    ],
)
def test_a_value_that_no_packet_has_is_refused_with_those_that_it_can_have(text: str, says: str) -> None:
    with pytest.raises(PlanError) as error:
        planned(filter=text)
    assert str(error.value) == NEVER + says


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("UDP.dport == 7 and length > 9 and UDP.dport == 8", "UDP.dport == 7 and UDP.dport == 8"),
        ("UDP.dport == 7-9 and UDP.dport >= 10", None),
        ("IP.ttl == 5 and IP.ttl != 5", None),
        ("TCP.flags == SA and TCP.flags lacks S", None),
        ("TCP.flags == 2-3 and TCP.flags has A", None),
        ("IP.src == 10.1.0.0/16 and IP.src != 10.0.0.0/8", None),
        ("TCP.flags has S and TCP.flags lacks S", None),
        ("IP.src == 10.0.0.0/8 and IP.src == 11.0.0.0-11.0.0.9", None),
        ("payload[0:2] == 0x0102 and payload[1:2] == 0x05", None),
        ("payload[1:2] == 0x05 and payload[0:2] == 0x0102", None),
        ("payload == GET and payload[2:4] == 0x5541", None),
        ("payload[0:2] < 0x0100 and payload[0:1] > 0x05", None),
        ("payload[0:4] == 0x01020304-0x010203ff and payload[1:3] != 0x0203", None),
        ("IP.proto == 6 and UDP.dport == 53", None),
        ("IP.proto == 6 and ICMP.type == 8", None),
        ("IPv6.nh == 17 and TCP.dport == 53", None),
        ("IPv6.nh == 58 and TCP.dport == 53", None),
        ("Ether.type == 0x86dd and IP.ttl == 5", None),
        ("Ether.type == 0x0800 and VLAN.vlan == 5", None),
        ("Ether.type == 0x0806 and TCP.dport == 5", None),
        ("VLAN.type == 0x0806 and IP.ttl == 5", None),
        ("IP.frag > 0 and UDP.dport == 53", None),
        ("IP.frag == 7 and payload == abc", None),
        ("length == 64 and TCP.dport == 80 and payload == 14-bytes-of-it", None),
        ("length == 64 and TCP.dataofs == 15", None),
        (
            "length < 60 and VLAN.vlan == 5 and TCP.dport == 80",
            "length < 60 and VLAN.vlan == 5 and TCP.dport == 80",
        ),
        ("length < 78 and IPv6.hlim == 5 and TCP.dport == 80", None),
        ("length == 64 and VLAN.type == 0x8100 and IPv6.dst == 2001:db8::1", None),
        ("length < 42 and ARP.op == 1 and ARP.pdst == 10.0.0.1", "length < 42 and ARP.pdst == 10.0.0.1"),
        ("IP.len == 40 and TCP.dport == 80 and payload[0:1] == 0x00", None),
        ("IP.len == 40 and IP.ihl == 6 and TCP.dport == 80", None),
        ("IP.len == 40 and TCP.dport == 80 and TCP.dataofs > 5", "IP.len == 40 and TCP.dataofs > 5"),
        ("IP.len < 28 and UDP.dport == 53", None),
        ("IP.len == 21 and ICMP.type == 8 and ICMP.code == 0", "IP.len == 21 and ICMP.code == 0"),
        ("IP.len < 20 and ICMP.type == 8", None),
        ("IP.len < 20 and payload[0:1] == 0x00", None),
        ("IP.len == 37 and IP.proto == 17 and payload == GET-it-now", None),
        ("IP.len == 1000 and length == 64 and UDP.dport == 53", None),
        ("IP.len > 1600 and UDP.dport == 53", None),
        ("IP.ihl < 5 and UDP.dport == 53", None),
        ("IP.version == 6 and payload[0:1] == 0x00", None),
        ("IPv6.version == 4 and UDP.dport == 53", None),
        ("IPv6.plen == 4 and UDP.dport == 53", None),
        ("IPv6.plen == 15 and IPv6.nh == 0 and UDP.dport == 53", None),
        ("IPv6.plen == 19 and TCP.dport == 53", None),
        ("IPv6.nh == 51 and TCP.dport == 53", None),  # of an authentication header, which nobody looks behind
        ("VLAN.type < 1536 and IP.ttl == 5", None),
        ("VLAN.type < 1536 and UDP.dport == 5", None),
        (
            "length == 64 and IP.ttl == 5 and payload[40:42] == 0x0000",
            "length == 64 and payload[40:42] == 0x0000",
        ),
        ("port == p1 and port == p2", None),
        ("port != p1 and port != p2", None),
        (
            "IP.ttl > 4 and IP.ttl < 7 and IP.ttl != 5 and IP.tos == 0 and IP.ttl != 6",
            "IP.ttl > 4 and IP.ttl < 7 and IP.ttl != 5 and IP.ttl != 6",
        ),
    ],
)
def test_conditions_that_exclude_each_other_are_refused_by_their_names(text: str, apart: str | None) -> None:
    with pytest.raises(PlanError) as error:
        planned(filter=text)
    assert str(error.value) == f"{NEVER}{apart or text} exclude each other; leave one out, or change it"


def test_a_filter_and_what_is_counted_may_exclude_each_other() -> None:
    for wish, apart in (
        ({"port": "p1", "filter": "port == p2"}, "port == p2 and port=p1"),
        ({"keys": "UDP.dport", "filter": "IP.proto == 6"}, "IP.proto == 6 and keys=UDP.dport"),
        (
            {"keys": "UDP.dport", "filter": "IP.proto == 6 and UDP.dport == 5"},
            "IP.proto == 6 and UDP.dport == 5",
        ),
        (
            {"keys": "IP.src", "value": "TCP.window", "filter": "IP.frag > 0"},
            "IP.frag > 0 and value=TCP.window",
        ),
    ):
        with pytest.raises(
            PlanError, match=f"^{NEVER}{apart} exclude each other; leave one out, or change it$"
        ):
            planned(**wish)
    with pytest.raises(
        PlanError, match=r"no packet has payload\[2000:2004\]: length is 18 to 1526; change it$"
    ):
        planned(keys="payload[2000:2004]")


_SLICES = {"payload[0:1]": slice(0, 1), "payload[1:2]": slice(1, 2), "payload[0:2]": slice(0, 2)}
_OCTETS = st.sampled_from([0, 1, 2, 255])


@st.composite
def sliced(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(sorted(_SLICES)))
    size = len(range(*_SLICES[name].indices(2)))
    value = bytes(draw(_OCTETS) for _ in range(size)).hex()
    return f"{name} {draw(st.sampled_from(['==', '!=', '<', '<=', '>', '>=']))} 0x{value}"


@given(st.lists(sliced(), min_size=1, max_size=4))
def test_no_filter_is_refused_that_a_payload_passes(conditions: list[str]) -> None:
    try:
        planned(filter=" and ".join(conditions))
    except PlanError:
        tests = [(text.split()[0], planned(filter=text).tests[0]) for text in conditions if _alone(text)]
        passing = [
            octets
            for octets in (bytes(pair) for pair in product(range(256), repeat=2))
            if all(holds(test, octets[_SLICES[name]]) for name, test in tests)
        ]
        assert len(tests) < len(conditions) or not passing


def _alone(text: str) -> bool:
    try:
        return bool(planned(filter=text))
    except PlanError:
        return False  # such as payload[0:1] < 0x00


def test_the_longest_frame_is_that_of_the_ports_that_are_counted() -> None:
    ports = PORTS | {"p2": replace(PORTS["p2"], max_frame_size=9018)}
    for port, taken in ((None, True), ("p2", True), ("p1", False)):
        query = Query(name="q", port=port, filter=PacketFilter.parse("length > 9000"))
        if taken:
            assert plan_query(query, ports, ["p2", "p1"]).tests
        else:
            with pytest.raises(PlanError, match="length > 9000: length is 18 to 1526"):
                plan_query(query, ports, ["p2", "p1"])


@pytest.mark.parametrize(
    "text",
    [
        "UDP.dport == 7 and UDP.sport == 8",
        "UDP.dport > 6 and UDP.dport < 8 and UDP.dport != 8",
        "TCP.flags has S and TCP.flags lacks A",
        "IP.ttl <= 0",
        "VLAN.vlan == 4095 and VLAN.prio < 1",
        "IP.src == 10.0.0.0/8 and IP.src == 10.0.0.7",
        "IP.src != 10.0.0.0/8 and IP.src >= 10.0.0.0",
        "IP.flags has DF and IP.frag == 0",
        'payload == "GET " and payload[0:2] == "GE"',
        "port == p1 and length > 63",
        "length <= 64",
        "length > 1522",
        "payload[0:2] == 0x0102 and payload[1:2] == 0x02",
        "payload[0:2] > 0x0100 and payload[0:1] == 0x01 and payload[1:3] != 0x0000",
        "payload[0:2] == 0x0102 and payload[2:3] == 0x05",
        "IP.version == 4 and IP.ihl == 5 and IP.proto == 17 and UDP.dport == 53",
        "IPv6.version == 6 and IPv6.nh == 0 and UDP.dport == 53",
        "IPv6.nh == 44 and UDP.dport == 53",
        "Ether.type == 0x8100 and IP.ttl == 5 and VLAN.type == 0x0800",
        "Ether.type == 0x88a8 and VLAN.type == 0x8100 and IP.ttl == 5",
        "Ether.type == 0x86dd and TCP.dport == 5",
        "IP.frag > 0 and IP.proto == 17",
        "IP.frag == 0 and payload == abc",
        "IP.proto == 6 and TCP.flags has S and payload[0:1] == 0x00",
        "length == 64 and payload[20:22] == 0x0000",
        "length == 64 and TCP.dport == 80 and payload == six",
        "length == 46 and ARP.op == 1",  # as virtual interfaces have it
        "IP.len == 42 and TCP.dport == 80 and payload[0:2] == 0x0000",
        "IP.len == 28 and IP.proto == 6 and payload[0:8] > 0x0000000000000000",  # of a TCP header cut short
        "IP.len == 27 and IP.proto == 17 and payload == seven-7",
        "IPv6.plen == 16 and IPv6.nh == 0 and UDP.dport == 53",
        "IPv6.nh == 51",
    ],
)
def test_a_filter_that_some_packet_passes_is_taken(text: str) -> None:
    assert planned(filter=text, port="p1").tests


@pytest.mark.parametrize(
    "text",
    [
        "IP.version == 6",
        "IPv6.version == 4",
        "IP.ihl < 5",
        "IP.ihl < 5 and IP.dst == 10.0.0.1",
        "IP.len < 20",
        "IP.len == 1000 and length == 64",
        "IPv6.plen == 1000 and length == 64",
        "UDP.len < 8",
        "UDP.len == 1000 and length == 64 and payload == abc",
        "VLAN.type < 1536",
        "VLAN.type < 1536 and VLAN.vlan == 5 and length == 64",
    ],
)
def test_a_filter_that_only_malformed_packets_pass_is_taken(text: str) -> None:
    """A device may send them, and that none does is something to find out."""
    assert planned(filter=text).tests


@pytest.mark.parametrize(
    "text",
    [
        "IP.len < 28 and UDP.dport == 53",
        "IP.len < 20 and ICMP.type == 8",
        "Ether.type == 0x1234 and IP.ttl == 5",  # of a header of its own
    ],
)
def test_a_switch_believes_lengths_and_parses_headers_of_its_own(text: str) -> None:
    assert planned(filter=text, matcher=Matcher.SWITCH).tests
    with pytest.raises(PlanError, match="exclude each other"):
        planned(filter=text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("TCP.flags = SA", "at 'TCP.flags = SA' (character 1) there should be a condition"),
        (
            "IP.ttl == 5 or IP.ttl == 6",
            "there is no 'or' in a filter: make a query for each side of it, or, where both are of one "
            "field, give a range or a network, such as UDP.dport == 53-54 or IP.src == 10.0.0.0/8",
        ),
        ("IP.ttl == 5 and IP.tos == 4 OR IP.ttl == 6", "there is no 'or' in a filter"),
        ('payload == "a" || payload == "b"', "there is no 'or' in a filter"),
        ("IP.ttl == 5 AND IP.tos == 4", "at 'IP.ttl == 5 AND IP.t' (character 1)"),
        ("TCP.flags HAS S", "at 'TCP.flags HAS S' (character 1)"),
        ("IP.ttl == 5 order", "at 'IP.ttl == 5 order'"),
        ("IP.ttl == 5 and", "at 'IP.ttl == 5 and'"),
        ("", "there should be a condition"),
        ("payload[4:2] == 0x00", "has no bytes"),
        ("ttl == 5", "'ttl' is nothing that a query knows of a packet"),
    ],
)
def test_a_filter_that_is_none_is_refused_with_the_place(text: str, says: str) -> None:
    with pytest.raises(UnitError) as error:
        PacketFilter.parse(text)
    assert says in str(error.value)


def test_keys_without_a_width_or_given_twice_are_refused() -> None:
    with pytest.raises(UnitError, match="say which bytes of the payload"):
        QueryKeys.parse("payload")
    with pytest.raises(UnitError, match="has a key twice"):
        QueryKeys.parse("IP.src, IP.src")


def test_a_filter_prints_as_it_is_written() -> None:
    text = 'TCP.flags has S and payload[0:4] == "GET " and length <= 100'
    assert str(PacketFilter.parse(text)) == text
    assert str(QueryKeys.parse(["IP.src", "payload[0:2]"])) == "IP.src,payload[0:2]"
    assert PacketFilter.parse(text).conditions[1].operand == PayloadBytes(0, 4)


def test_a_value_is_planned_with_its_function() -> None:
    query = planned(
        keys="IP.src", value="gap", function=Function.MAX, port="p1", direction=Direction.TRANSMITTED
    )
    assert (query.value, query.ports, query.function) == (PlacedFact(Fact.GAP), ("p1",), Function.MAX)
    assert planned(value="Ether.src", function=Function.MIN).value == placed("Ether.src")


def test_the_keys_of_a_row_that_do_not_fit_are_refused() -> None:
    query = planned(keys="IP.src,UDP.dport")
    with pytest.raises(PlanError, match=r"has 1 parts; its keys are IP\.src,UDP\.dport"):
        key_octets(query, "10.0.0.1")
    with pytest.raises(PlanError, match=r"query 'q': key='10\.0\.0\.1,x': "):
        key_octets(query, "10.0.0.1,x")


def test_a_planned_test_says_all_of_itself() -> None:
    (test,) = planned(filter="IP.ttl >= 5").tests
    assert test == PlannedTest(placed("IP.ttl"), "AT_LEAST", b"\xff", b"\x05")


@pytest.mark.parametrize(
    ("keys", "filter", "inside", "outside"),
    [
        ("UDP.dport", "UDP.dport == 1000-1019", ["1000", "1019"], ["999", "1025"]),
        ("UDP.dport", "UDP.dport > 10 and UDP.dport <= 12 and UDP.dport != 11", ["12"], ["10", "11", "13"]),
        ("UDP.dport", "UDP.dport >= 10 and UDP.dport < 12", ["10", "11"], ["9", "12"]),
        ("IP.src", "IP.src == 10.0.0.0/30", ["10.0.0.3"], ["10.0.0.4"]),
        ("IP.src", "IP.src != 10.0.0.0/30", ["10.0.0.4"], ["10.0.0.3"]),
        ("IP.dst", "IP.src == 10.0.0.0/30 and length > 100", ["10.0.0.4"], []),
        ("IP.src,TCP.dport", "TCP.flags has S and TCP.dport == 80", ["1.2.3.4,80"], ["1.2.3.4, 81"]),
        ("TCP.flags", "TCP.flags has S", ["S", "SA"], ["A"]),
        ("TCP.flags", "TCP.flags lacks A", ["S"], ["SA"]),
        ("VLAN.prio", "VLAN.prio == 5 and VLAN.vlan == 7", ["5"], ["4"]),
        ("VLAN.prio", "VLAN.prio < 6", ["5"], ["6"]),
        ("port", "port == p1", ["p1"], ["p2"]),
        ("length", "length == 64-127", ["100"], ["128"]),
        ("payload[0:2]", 'payload == "GET"', ["0x0000"], []),
    ],
)
def test_a_key_that_the_filter_leaves_out_is_refused(
    keys: str,
    filter: str,  # noqa: A002
    inside: list[str],
    outside: list[str],
) -> None:
    query = planned(keys=keys, filter=filter)
    for key in inside:
        key_octets(query, key)
    for key in outside:
        with pytest.raises(PlanError, match="cannot be in the result: its filter, "):
            key_octets(query, key)


def test_the_key_that_is_left_out_is_named_with_the_filter() -> None:
    with pytest.raises(PlanError) as refused:
        key_octets(planned(keys="IP.src,UDP.dport", filter="UDP.dport == 1000-1019"), "10.0.0.1, 1025")
    assert str(refused.value) == (
        "query 'q': key='10.0.0.1, 1025' cannot be in the result: its filter, UDP.dport == 1000-1019, leaves "
        "out UDP.dport 1025; ask for a key that passes it, or widen it"
    )


def test_a_connection_may_be_counted_by_its_other_direction() -> None:
    query = planned(keys="TCP.sport,TCP.dport", filter="TCP.dport == 80", symmetric=True)
    assert key_octets(query, "80,5000") == bytes((0, 80)) + (5000).to_bytes(2, "big")
    with pytest.raises(PlanError, match=r"leaves out TCP\.dport 81"):
        key_octets(query, "5000,81")
