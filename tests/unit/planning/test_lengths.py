# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""No filter is refused that a packet passes, however malformed it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.plan.planned_query import (
    Matcher,
    Placed,
    PlacedFact,
    PlacedField,
    PlannedTest,
    QueryPart,
)
from TesterLibrary.model.query import Fact
from TesterLibrary.planning.contradiction import Demand, check_possible
from TesterLibrary.planning.presence import Presence
from TesterLibrary.planning.query_filter import holds
from TesterLibrary.planning.switch.query import COMPARED
from TesterLibrary.protocols.frame import Frame
from TesterLibrary.protocols.scope import layout_of
from TesterLibrary.targets.tofino.fake.packet import Packet

from .queried_packet import found
from .test_query import placed

_LONGEST = 140
_OPERANDS = {
    name: placed(name)
    for name in (
        *("Ether.type", "VLAN.vlan", "VLAN.type", "ARP.op", "ARP.pdst"),
        *("IP.version", "IP.ihl", "IP.len", "IP.flags", "IP.frag", "IP.proto", "IP.dst"),
        *("IPv6.version", "IPv6.plen", "IPv6.nh", "IPv6.dst"),
        *("TCP.dport", "TCP.dataofs", "TCP.flags", "TCP.urgptr", "UDP.dport", "UDP.len", "UDP.chksum"),
        *("ICMP.type", "ICMP.code", "ICMP.seq", "SCTP.dport", "SCTP.chksum"),
        *("payload[0:1]", "payload[0:9]", "payload[13:14]", "payload[6:40]", "length"),
    )
}
_COMPARED = {operand for name, operand in _OPERANDS.items() if name in COMPARED}
_ON_A_SWITCH = {
    (QueryPart.FRAME, 0, 0): "ether",
    (QueryPart.TAG, 0, 0): "vlan",
    (QueryPart.NETWORK, 0x0806, 0): "arp",
    (QueryPart.NETWORK, 0x0800, 0): "ipv4",
    (QueryPart.NETWORK, 0x86DD, 0): "ipv6",
    (QueryPart.TRANSPORT, 0x0800, 1): "icmp",
    (QueryPart.TRANSPORT, 0, 6): "tcp",
    (QueryPart.TRANSPORT, 0, 17): "udp",
}
_FREE = ("IP.ttl", "IP.dst", "TCP.flags", "TCP.dport", "UDP.dport", "ICMP.type", "ICMP.code", "ARP.op")
_BYTE, _WORD = st.integers(0, 0xFF), st.integers(0, 0xFFFF)
_ANY = st.binary(max_size=70)


def _word(number: int) -> bytes:
    return number.to_bytes(2, "big")


@st.composite
def _behind_ip(draw: st.DrawFn, protocol: int) -> bytes:
    rest = draw(_ANY)
    if protocol == 6 and draw(st.integers(0, 3)):
        words = draw(st.sampled_from([5, 5, 6, 15, 0, 4]))
        return bytes(12) + bytes([words << 4, draw(_BYTE)]) + bytes(6) + rest
    if protocol == 17:
        return bytes(4) + _word(draw(st.one_of(st.just(8 + len(rest)), st.integers(0, 20)))) + rest
    return rest


@st.composite
def _ipv4(draw: st.DrawFn) -> bytes:
    protocol = draw(st.sampled_from([1, 6, 17, 132, 51, 0]))
    rest = draw(_behind_ip(protocol))
    version, words = draw(st.sampled_from([4, 4, 4, 6])), draw(st.sampled_from([5, 5, 5, 6, 15, 4, 0]))
    octets = max(0, 4 * words - 20)
    total = draw(st.one_of(st.just(20 + octets + len(rest)), st.integers(0, 90), _WORD))
    fragment = draw(st.sampled_from([0, 0, 0, 0x2000, 0x4000, 7, 0x2007]))
    head = bytes([version << 4 | words, 0]) + _word(total) + bytes(2) + _word(fragment)
    return head + bytes([64, protocol]) + bytes(10 + octets) + rest


@st.composite
def _ipv6(draw: st.DrawFn) -> bytes:
    last = draw(st.sampled_from([6, 17, 58, 132, 51, 59]))
    following = [*draw(st.lists(st.sampled_from([0, 43, 44, 60]), max_size=2)), last]
    rest = draw(_behind_ip(last))
    for number, behind in reversed(list(pairwise(following))):
        more = 0 if number == 44 else draw(st.sampled_from([0, 0, 1]))
        offset = draw(st.sampled_from([0, 0, 1, 8])) if number == 44 else 0
        rest = bytes([behind, more]) + _word(offset) + bytes(4 + 8 * more) + rest
    version = draw(st.sampled_from([6, 6, 6, 4]))
    length = draw(st.one_of(st.just(len(rest)), st.integers(0, 60), _WORD))
    return bytes([version << 4, 0, 0, 0]) + _word(length) + bytes([following[0], 64]) + bytes(32) + rest


@st.composite
def _frames(draw: st.DrawFn) -> bytes:
    ether_type, packets = draw(
        st.sampled_from([(0x0800, _ipv4()), (0x86DD, _ipv6()), (0x0806, _ANY), (0x88B5, _ANY), (5, _ANY)])
    )
    tags = draw(st.lists(st.sampled_from([0x8100, 0x88A8]), max_size=3))
    types = [*tags, ether_type]
    link = bytes(12) + b"".join(_word(each) + draw(st.binary(min_size=2, max_size=2)) for each in types[:-1])
    padding = bytes(draw(st.sampled_from([0, 0, 1, 30])))
    return (link + _word(types[-1]) + draw(packets) + padding)[: _LONGEST - 4 + 4 * len(tags[:2])]


def _passing(draw: st.DrawFn, operand: Placed, octets: bytes) -> Iterator[PlannedTest]:
    """Conditions that a value meets, if only just."""
    number, size = int.from_bytes(octets, "big"), len(octets)
    others = [number - 1, number, number + 1, 0, (1 << 8 * size) - 1, int.from_bytes(operand.mask, "big")]
    whole = int.from_bytes(operand.mask, "big")
    for relation in draw(st.lists(st.sampled_from(["IS", "NOT", "BELOW", "AT_MOST", "ABOVE", "AT_LEAST"]))):
        other = (draw(st.sampled_from(others)) % (1 << 8 * size)) & whole
        test = PlannedTest(operand, relation, operand.mask, other.to_bytes(size, "big"))
        if holds(test, octets):
            yield test


@st.composite
def _demands(draw: st.DrawFn, frame: bytes, find: Callable[[bytes, Placed], bytes | None]) -> list[Demand]:
    demands = []
    for name in draw(st.lists(st.sampled_from(sorted(_OPERANDS)), min_size=1, max_size=6, unique=True)):
        operand = _OPERANDS[name]
        octets = find(frame, operand)
        if octets is not None:
            masked = bytes(a & b for a, b in zip(octets, operand.mask, strict=True))
            tests = tuple(_passing(draw, operand, masked))
            demands.append(Demand(name, name, operand, tests, read=bytes.hex))
    return demands


@given(st.data())
def test_what_a_packet_passes_on_an_engine_is_taken(data: st.DataObject) -> None:
    frame = data.draw(_frames())
    check_possible(data.draw(_demands(frame, found)), Presence(_LONGEST, 2, Matcher.ENGINE))


def _found_by_a_switch(frame: bytes, operand: Placed) -> bytes | None:
    packet = Packet.parse(frame.ljust(60, b"\0"), arrives=True)
    if not isinstance(operand, PlacedField) or operand not in _COMPARED or packet.cut_off:
        return None
    header = _ON_A_SWITCH.get((operand.part, operand.ether_type, operand.protocol))
    if header is None or not packet.has(header):
        return None
    at = packet.at[header] + operand.offset
    octets = bytes(packet.octets[at : at + len(operand.mask)])
    return octets if len(octets) == len(operand.mask) else None


@given(st.data())
def test_what_a_packet_passes_on_a_switch_is_taken(data: st.DataObject) -> None:
    frame = data.draw(_frames())
    check_possible(data.draw(_demands(frame, _found_by_a_switch)), Presence(_LONGEST, 2, Matcher.SWITCH))


@given(st.data())
def test_what_a_sound_packet_passes_sets_off_a_trigger(data: st.DataObject) -> None:
    names = data.draw(
        st.sampled_from(["IP / TCP", "IP / UDP", "IP / ICMP", "IPv6 / TCP", "IPv6 / UDP", "ARP"])
    )
    layout = layout_of(HeaderStack.parse(f"Ether / {names}"))
    built = Frame.of(layout, data.draw(_ANY))
    for name, value in data.draw(st.dictionaries(st.sampled_from(_FREE), _BYTE)).items():
        if name.partition(".")[0] in names:
            built.set(name, value)
    frame = built.octets()
    assert Frame.parse(layout, frame).payload == built.payload
    check_possible(data.draw(_demands(frame, found)), Presence(_LONGEST, 2, Matcher.TRIGGER))


def test_a_field_is_where_an_engine_finds_it() -> None:
    tcp = bytes(12) + b"\x60\x02" + bytes(10) + b"payload"
    ip = bytes([0x45, 0]) + _word(20 + len(tcp)) + bytes(5) + b"\x06" + bytes(10) + tcp
    frame = bytes(12) + b"\x08\0" + ip + bytes(9)
    payload = PlacedField(QueryPart.PAYLOAD, 0, b"\xff" * 7)
    assert found(frame, payload) == b"payload"
    assert found(frame, _OPERANDS["payload[0:9]"]) is None, "padding is none"
    assert found(frame, PlacedFact(Fact.LENGTH)) == (len(frame) + 4).to_bytes(8, "big")
    malformed = frame[:14] + b"\x44" + frame[15:]
    assert found(malformed, payload) is None
    assert found(malformed, _OPERANDS["IP.proto"]) == b"\x06", "a field of IP is there all the same"
