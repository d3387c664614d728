# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames whose fields change: what a plan says of frame k against what Scapy finds in it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import (
    Draw,
    FieldPath,
    FieldValues,
    Mode,
    RandomField,
    RandomPrefix,
    Sweep,
)
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.planning.flows import FlowSpace
from tests.dissection import STACKS, layers, wrong_checksums

from .bench import compiled, stream
from .edits import cascade, edited, editor, planned

ANY = RandomField()
# Fields of each kind of header; ICRCs cannot follow, and what tells the next header is no field to edit.
FIELDS = {
    "Ether": ("dst", "src"),
    "Dot1Q": ("vlan", "prio"),
    "Dot1AD": ("vlan", "dei"),
    "MPLS": ("label", "cos", "ttl"),
    "IP": ("src", "dst", "tos", "id", "ttl"),
    "IPv6": ("src", "dst", "fl", "tc", "hlim"),
    "IPv6ExtHdrSegmentRouting": ("tag",),
    "GRE": ("key",),
    "VXLAN": ("vni",),
    "GENEVE": ("vni",),
    "GTP_U_Header": ("teid",),
    "UDP": ("sport",),
    "TCP": ("sport", "dport", "seq", "window", "flags"),
    "SCTP": ("sport", "dport", "tag"),
    "SCTPChunkData": ("tsn", "stream_id"),
    "ICMP": ("id", "seq"),
    "ICMPv6EchoRequest": ("id", "seq"),
    "ARP": ("psrc", "pdst", "hwsrc"),
    "NSH": ("spi", "ttl"),
}
EDITABLE = [stack for stack in STACKS if "BTH" not in stack and not stack.endswith("IP / SCTP")] + [
    "Ether / IP / SCTP",
    "Ether / IP / UDP(chksum=0) / VXLAN / Ether / IP / SCTP",
]


def fields_of(stack: str) -> list[str]:
    """Paths of the fields that are there, headers of a name counted from outside."""
    frame = Ether(planned(stack).frame)
    found, counts = [], dict[str, int]()
    for layer in layers(frame):
        name = type(layer).__name__
        counts[name] = counts.get(name, 0) + 1
        for field in FIELDS.get(name, ()):
            if name != "GRE" or layer.key_present:
                found.append(f"{name}[{counts[name]}].{field}" if counts[name] > 1 else f"{name}.{field}")
    return found


def held(frame: bytes, path: str) -> object:
    """The value that Scapy reads from a field."""
    field = FieldPath.parse(path)
    named = [layer for layer in layers(Ether(frame)) if type(layer).__name__ == field.header]
    return named[field.number - 1].getfieldval(field.field)


@pytest.mark.parametrize("stack", EDITABLE)
@settings(max_examples=3, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(data=st.data())
def test_all_checksums_are_right_whatever_changes(stack: str, data: st.DataObject) -> None:
    """Checksums are right by the tests' own arithmetic, at any depth; the rest of the frame is unchanged."""
    paths = data.draw(st.lists(st.sampled_from(fields_of(stack)), min_size=1, max_size=5, unique=True))
    changed = planned(stack, *(editor(path, _random(path)) for path in paths))
    space = FlowSpace.of(changed)
    assert space.frame(0) == changed.frame
    for number in data.draw(st.lists(st.integers(0, 10**6), min_size=2, max_size=4)):
        frame = space.frame(number)
        assert wrong_checksums(frame) == (["UDP"] if "chksum=0" in stack else [])
        assert _without(frame, changed) == _without(changed.frame, changed)
        assert [type(layer) for layer in layers(Ether(frame))] == [
            type(layer) for layer in layers(Ether(changed.frame))
        ]


def _random(path: str) -> Mode:
    """An IPv6 address has more bits than change at once."""
    is_wide = path.startswith("IPv6") and path.endswith((".src", ".dst"))
    return RandomPrefix.parse("2001:db8::/64") if is_wide else ANY


def _without(frame: bytes, sent: PlannedStream) -> int:
    """A frame without what editors and checksums cover."""
    rest = int.from_bytes(frame, "big")
    sizes = {"KIND_CRC32C": 32}
    places = [(e.bit_offset, e.bits) for e in sent.editors]
    places += [(8 * c.offset, sizes.get(c.kind.value, 16)) for c in sent.checksums]
    for offset, bits in places:
        rest &= ~((1 << bits) - 1 << 8 * len(frame) - offset - bits)
    return rest


STEPS = "Ether / Dot1Q(vlan=100) / IP / UDP"


@pytest.mark.parametrize(
    ("path", "mode", "expected"),
    [
        ("IP.src", Sweep("10.0.0.254", "10.0.1.1"), ["10.0.0.254", "10.0.0.255", "10.0.1.0", "10.0.1.1"]),
        ("IP.dst", Sweep("10.1.0.0", "10.3.255.0", "0.1.0.0"), ["10.1.0.0", "10.2.0.0", "10.3.0.0"]),
        ("IP.dst", FieldValues(("10.0.0.9", "10.0.0.1")), ["10.0.0.9", "10.0.0.1"]),
        ("Ether.src", Sweep("02:00:00:00:00:ff", count=2), ["02:00:00:00:00:ff", "02:00:00:00:01:00"]),
        ("UDP.dport", Sweep("1024", "1030", "3"), [1024, 1027, 1030]),
        ("UDP.dport", Sweep("3", "1", "-1"), [3, 2, 1]),
        ("UDP.sport", Sweep("65535", step="1", count=3), [65535, 0, 1]),
        ("Dot1Q.vlan", Sweep("4094", count=4), [4094, 4095, 0, 1]),
        ("VLAN.vid", FieldValues(("1", "0xff")), [1, 255]),
        ("VLAN.vlan", FieldValues(("1", "0xff")), [1, 255]),
        ("Dot1Q.vid", FieldValues(("1", "0xff")), [1, 255]),
        ("IP.flags", FieldValues(("DF", "MF")), ["DF", "MF"]),
    ],
)
def test_values_follow_each_other_and_begin_again(path: str, mode: Mode, expected: list[object]) -> None:
    steps = planned(STEPS, editor(path, mode))
    space = FlowSpace.of(steps)
    known = path.replace("VLAN.", "Dot1Q.").replace(".vid", ".vlan")
    found = [held(space.frame(number), known) for number in range(2 * len(expected))]
    assert [str(value) for value in found] == [str(value) for value in expected] * 2
    assert (space.period, space.flows) == (len(expected), len(expected))


def test_values_of_an_ipv6_address_lie_in_64_bits_of_it() -> None:
    stack = "Ether / IPv6 / UDP"
    subnets = planned(stack, editor("IPv6.dst", Sweep("2001:db8::1", step="0:0:0:1::", count=3)))
    assert (subnets.editors[0].bit_offset, subnets.editors[0].bits) == (304, 64)
    found = [held(FlowSpace.of(subnets).frame(number), "IPv6.dst") for number in range(3)]
    assert found == ["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:2::1"]
    hosts = planned(stack, editor("IPv6.dst", RandomPrefix.parse("2001:db8:7::/64")))
    assert (hosts.editors[0].bit_offset, hosts.editors[0].bits) == (368, 64)
    assert all(
        str(held(FlowSpace.of(hosts).frame(k), "IPv6.dst")).startswith("2001:db8:7:") for k in range(9)
    )
    middle = planned(stack, editor("IPv6.src", FieldValues(("2001:db8::", "2001:db8:0:8000:8000::"))))
    assert held(FlowSpace.of(middle).frame(1), "IPv6.src") == "2001:db8:0:8000:8000::"


def test_a_cascade_goes_through_all_combinations() -> None:
    """So does a cascade whose first fields keep a value for some frames."""
    stepped = planned(
        STEPS,
        editor("UDP.dport", Sweep("1", "4")),
        editor("IP.src", Sweep("10.0.0.1", "10.0.0.3"), every=2),
        editor("Dot1Q.prio", FieldValues(("5", "6"))),
        cascades=(cascade("IP.src", "UDP.dport", "Dot1Q.prio"),),
        count_flows=True,
    )
    space = FlowSpace.of(stepped)
    found = [tuple(space.values(number).values()) for number in range(48)]
    ips = [0x0A000001, 0x0A000002, 0x0A000003]
    assert found == [(port, ip, prio) for prio in (5, 6) for port in range(1, 5) for ip in ips for _ in "ab"]
    assert (space.period, space.flows, stepped.flows) == (48, 24, 48)
    assert space.frame(48) == space.frame(0)


def test_equal_seeds_give_equal_values_in_step() -> None:
    """Without a given seed, each stream, field and job has another one."""
    one, two = (
        planned(
            "Ether / IP / UDP", editor("UDP.sport", ANY, seed=9), editor("IP.id", ANY), name=name, seed=seed
        )
        for name, seed in (("north", 1), ("south", 1))
    )
    ports = [[FlowSpace.of(drawn).values(k)["UDP.sport"] for k in range(20)] for drawn in (one, two)]
    ids = [[FlowSpace.of(drawn).values(k)["IP.id"] for k in range(20)] for drawn in (one, two)]
    assert ports[0] == ports[1]
    assert ids[0] != ids[1]
    assert planned("Ether / IP / UDP", editor("IP.id", ANY), seed=2).editors != two.editors[1:]


def test_a_distribution_is_as_asked() -> None:
    shares = (Fraction(7, 10), Fraction(1))
    weighted = planned("Ether / IP / UDP", editor("IP.tos", Draw(("0", "184"), shares)))
    drawn = [FlowSpace.of(weighted).values(k)["IP.tos"] for k in range(10_000)]
    assert set(drawn) == {0, 184}
    assert abs(drawn.count(0) - 7000) < 4 * 46  # four standard deviations


def test_a_wrong_checksum_of_the_author_s_stays_as_it_is() -> None:
    wrong = planned(
        "Ether / IP(chksum=0x1234) / UDP(chksum=0xbad)", editor("IP.src", ANY), editor("UDP.sport", ANY)
    )
    assert [edit.coverage for edit in wrong.editors] == [(), ()]
    frame = Ether(FlowSpace.of(wrong).frame(77))
    assert (frame["IP"].chksum, frame["UDP"].chksum) == (0x1234, 0xBAD)


@pytest.mark.parametrize(
    ("stack", "editors", "message"),
    [
        ("Ether / IP / UDP", [("TCP.sport", ANY)], "TCP.sport: there is no header 'TCP' in Ether / IP / UDP"),
        ("Ether / IP / UDP", [("IP[2].src", ANY)], r"IP\[2\].src: there is 1 header 'IP' in"),
        (
            "Ether / IP / UDP",
            [("UDP.prt", ANY)],
            "this UDP has no field 'prt' .did you mean 'sport'",
        ),
        ("Ether / IP / GRE / IP", [("GRE.key", ANY)], "this GRE has no field 'key'"),
        ("Ether / IP / UDP", [("IP.len", ANY)], "IP.len follows from the rest of the frame"),
        ("Ether / IP / UDP", [("UDP.chksum", ANY)], "UDP.chksum follows from the rest of the frame"),
        ("Ether / IP(proto=17) / UDP", [("IP.proto", ANY)], "IP.proto: it tells which headers follow"),
        (
            "Ether / MPLS / MPLS / IP",
            [("MPLS.s", ANY)],
            "MPLS.s: it tells which headers follow or how long they are, so it cannot change; give it in the "
            "headers, or change label or cos or ttl",
        ),
        # The first value is not the author's, which comes after it.
        ("Ether / MPLS / IP", [("MPLS.s", FieldValues(("0", "1")))], "MPLS.s: it tells which headers follow"),
        ("Ether / MPLS / MPLS / IP", [("MPLS[2].s", FieldValues(("0", "1")))], r"MPLS\[2\].s: it tells"),
        ("Ether / IP / GRE / IP", [("GRE.key_present", ANY)], "GRE.key_present: it tells which"),
        ("Ether / IP / UDP / BTH", [("BTH.psn", ANY)], "BTH.psn: byte 23. of the frame follows.*RoCEv2"),
        (
            "Ether / IP / UDP / VXLAN / Ether / IP / SCTP",
            [("SCTP.tag", ANY)],
            r"SCTP.tag: UDP.chksum follows from it.*UDP\(chksum=0\)",
        ),
        ("Ether / IPv6 / SRv6", [("SRv6.addresses", ANY)], "SRv6.addresses is neither a number nor an"),
        ("Ether / IP / UDP", [("IP.tos", Sweep("1", "256"))], "IP.tos: '256': it takes 0 to 255"),
        ("Ether / IP / UDP", [("IP.src", Sweep("10.0.0.1", "10.0.0"))], "'10.0.0': it takes an IPv4 address"),
        ("Ether / IP / UDP", [("IP.id", Sweep("9", "1"))], "IP.id: the range from 9 to 1 is reversed"),
        ("Ether / IP / UDP", [("IP.id", RandomField("9", "1"))], "IP.id: the range from 9 to 1 is reversed"),
        ("Ether / IP / UDP", [("IP.id", RandomField("9"))], "IP.id: a range has a first and a last value"),
        ("Ether / IP / UDP", [("IP.id", Sweep("9"))], "IP.id: a sweep needs a last value or a count"),
        (
            "Ether / IP / UDP",
            [("IP.id", Sweep("1", "9", count=3))],
            "a sweep ends at its last value",
        ),
        (
            "Ether / IP / UDP",
            [("IP.id", Sweep("1", "9", "0"))],
            "IP.id: a step of 0 is not within",
        ),
        ("Ether / IP / UDP", [("IP.id", Sweep("1", count=0))], "IP.id: a sweep of 0 values"),
        ("Ether / IP / UDP", [("IP.id", FieldValues(()))], "IP.id: a list of 0 values; give 1 to 1048576"),
        ("Ether / IP / UDP", [("IP.src", RandomPrefix.parse("2001:db8::/64"))], "IP.src: it has 32 bits"),
        (
            "Ether / IPv6",
            [("IPv6.src", RandomPrefix.parse("2001:db8::/48"))],
            "IPv6.src: its values differ in 80 adjacent bits",
        ),
        ("Ether / IP / UDP", [("IP.frag", ANY)], "IP.frag: it tells which headers follow"),
        ("Ether / IP / UDP", [("IP.id", ANY)] * 17, "17 fields change; at most 16 can"),
        (
            "Ether / Dot1Q",
            [("VLAN.vid", ANY), ("Dot1Q.vlan", ANY)],
            "VLAN.vid and Dot1Q.vlan are the same",
        ),
    ],
)
def test_what_cannot_be_sent_is_refused(stack: str, editors: list[tuple[str, Mode]], message: str) -> None:
    with pytest.raises(PlanError, match=f"^stream 'north': .*{message}"):
        planned(stack, *(editor(path, mode) for path, mode in editors))


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ((Fraction(1, 2), Fraction(9, 10)), r"ends at 0.9; it has to reach 1"),
        ((Fraction(1, 2), Fraction(1, 4)), r"falls from 0.5 to 0.25"),
        ((Fraction(1),), r"2 values with 1 probabilities"),
    ],
)
def test_a_distribution_that_is_none_is_refused(shares: tuple[Fraction, ...], message: str) -> None:
    with pytest.raises(PlanError, match=f"^stream 'north': IP.tos: .*{message}"):
        planned("Ether / IP / UDP", editor("IP.tos", Draw(("0", "184"), shares)))


@pytest.mark.parametrize(
    ("cascades", "message"),
    [
        ((cascade("IP.id", "IP.tos"),), "a cascade of IP.tos, which does not change; these do: IP.id"),
        ((cascade("IP.ttl", "IP.id"),), "a cascade of IP.id: IP.ttl is random, so it never wraps"),
        ((cascade("IP.id", "UDP.sport", "IP.id"),), "a cascade of IP.id that comes back to it"),
        (
            (cascade("IP.id", "IP.ttl"), cascade("UDP.sport", "IP.ttl")),
            "a cascade of IP.ttl: it moves with IP.id or UDP.sport, not both",
        ),
    ],
)
def test_a_cascade_that_cannot_move_is_refused(cascades: object, message: str) -> None:
    editors = [editor("IP.id", Sweep("1", "9")), editor("UDP.sport", Sweep("1", "9")), editor("IP.ttl", ANY)]
    with pytest.raises(PlanError, match=f"^stream 'north': {message}"):
        planned("Ether / IP / UDP", *editors, cascades=cascades)


def test_flows_that_cannot_be_counted_are_refused() -> None:
    for editors, message in (
        ([], "its frames are all of one flow"),
        ([editor("IP.id", ANY)], "a field is random, so its flows cannot"),
        (
            [editor("IP.src", Sweep("10.0.0.0", "11.255.255.255"))],
            "it has 33,554,432 flows; at most 4,194,304",
        ),
        (
            [editor("IP.src", Sweep("10.0.0.0", "10.64.0.0"))],
            "it has 4,194,305 flows; at most 4,194,304 can be counted",
        ),
    ):
        with pytest.raises(PlanError, match=f"^stream 'north': {message}"):
            compiled(edited("Ether / IP / UDP", *editors, count_flows=True))


def test_as_many_flows_are_counted_as_a_tester_takes() -> None:
    editors = (editor("IP.src", Sweep("10.0.0.0", "10.63.255.255")),)
    (planned_stream,) = compiled(edited("Ether / IP / UDP", *editors, count_flows=True)).streams
    assert planned_stream.flows == 4_194_304


def test_a_stream_without_editors_has_none() -> None:
    fixed = compiled(stream()).streams[0]
    assert (fixed.editors, fixed.flows) == ((), 0)
    assert FlowSpace.of(fixed).frame(12345) == fixed.frame
    assert (FlowSpace.of(fixed).period, FlowSpace.of(fixed).flows) == (1, 1)
