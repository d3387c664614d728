# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries count exactly what leaves and arrives; triggers answer each packet that they wait for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

from TesterLibrary.errors import PlanError
from TesterLibrary.model.capture import Direction
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import LearningFrame
from TesterLibrary.model.plan.planned_query import PlannedQuery
from TesterLibrary.model.query import NO_KEYS, Function, PacketFilter, Query, QueryField, QueryKeys
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.model.trigger import SentFrames, Trigger
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.query import plan_query
from TesterLibrary.targets.base import part_of

from .rig import Rig

pytestmark = [
    pytest.mark.refused_by("fake", match="a fake tester (does not count packets by keys|sends nothing)")
]


def not_on_a_switch(match: str) -> pytest.MarkDecorator:
    """Marks a test that a switch refuses."""
    return pytest.mark.refused_by("tofino", match=match)


Rows = list[tuple[str, int, int | None]]


class Querying:
    """Queries of a target, which are forgotten after the test."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._known: dict[str, PlannedQuery] = {}

    def start(self, keys: str, name: str = "q", **wish: Any) -> None:
        if "filter" in wish:
            wish["filter"] = PacketFilter.parse(wish["filter"])
        if "value" in wish:
            wish["value"] = QueryField.parse(wish["value"])
        query = Query(name=name, keys=QueryKeys.parse(keys) if keys else NO_KEYS, **wish)
        planned = plan_query(
            query, self._rig.ports, list(self._rig.ports), self._rig.target.capabilities().matcher
        )
        part_of(self._rig.target, "queries").start(planned)
        self._known[name] = planned

    def rows(self, name: str = "q", **asked: Any) -> Rows:
        """Keys as texts, frames and values."""
        _, rows = part_of(self._rig.target, "queries").read(name, **asked)
        found: Rows = []
        for row in rows:
            octets, texts = row.keys, []
            for key in self._known[name].keys:
                width = len(key.operand.mask)
                texts.append(key.text(octets[:width]))
                octets = octets[width:]
            found.append((",".join(texts), row.frames, row.value))
        return found

    def forget(self) -> None:
        for name in self._known:
            with suppress(PlanError):
                part_of(self._rig.target, "queries").forget(name)


@pytest.fixture
def querying(rig: Rig) -> Iterator[Querying]:
    querying = Querying(rig)
    yield querying
    querying.forget()


def swept(rig: Rig, job: str = "north", sources: int = 10, **more: Any) -> None:
    """A job whose frames come from 10.0.0.1 to 10.0.0.N in turn."""
    sweep = Editor(FieldPath("IP", "src"), Sweep("10.0.0.1", f"10.0.0.{sources}"))
    rig.load(rig.plan(job, editors=(sweep,), **more))


@not_on_a_switch("keys=IP.src: its filter leaves 4,294,967,296 values")
def test_every_frame_is_in_the_row_of_its_keys(rig: Rig, querying: Querying) -> None:
    querying.start("IP.src", direction=Direction.RECEIVED, port="p2")
    querying.start("IP.src", "left", direction=Direction.TRANSMITTED, value="length")
    swept(rig, sources=10, frame_size=128)
    rig.run(["north"], packets=1000)
    assert querying.rows() == [(f"10.0.0.{n}", 100, None) for n in range(1, 11)]
    assert querying.rows("left") == [(f"10.0.0.{n}", 100, 12_800) for n in range(1, 11)]
    summary, _ = part_of(rig.target, "queries").read("q", top=0)
    counters = summary.counters
    assert (counters.seen, counters.matched, counters.missed, summary.keys) == (1000, 1000, 0, 10)
    assert counters.running
    assert counters.memory_bytes > 0


@not_on_a_switch("filter=.*length == 64: a switch compares no lengths")
def test_what_passes_the_filter_is_counted_and_nothing_else(rig: Rig, querying: Querying) -> None:
    querying.start("port,UDP.dport", port="p2", filter="IP.src == 10.0.0.3-10.0.0.5 and length == 64")
    querying.start("IP.src", "none", port="p2", filter="TCP.flags has S")
    swept(rig)
    rig.run(["north"], packets=1000)
    assert querying.rows() == [("p2,7", 300, None)]
    assert querying.rows("none") == []


@not_on_a_switch("max of IP.src: a counter of a switch")
def test_greatest_results_come_first_and_one_key_is_found(rig: Rig, querying: Querying) -> None:
    querying.start("IP.src", port="p2", value="IP.src", function=Function.MAX)
    swept(rig, sources=7)
    rig.run(["north"], packets=70)
    assert querying.rows(top=2) == [("10.0.0.7", 10, 0x0A000007), ("10.0.0.6", 10, 0x0A000006)]
    assert querying.rows(keys=bytes([10, 0, 0, 5])) == [("10.0.0.5", 10, 0x0A000005)]
    assert querying.rows(keys=bytes([10, 0, 0, 8])) == []


@not_on_a_switch("keys=IP.src: its filter leaves")
def test_keys_without_room_are_counted_as_missed(rig: Rig, querying: Querying) -> None:
    querying.start("IP.src", port="p2", capacity=4)
    swept(rig)
    rig.run(["north"], packets=100)
    summary, rows = part_of(rig.target, "queries").read("q")
    assert (summary.counters.matched, summary.counters.missed, summary.keys) == (100, 60, 4)
    assert sum(row.frames for row in rows) == 40


def test_a_query_goes_on_while_jobs_come_and_go_and_keeps_what_it_has(rig: Rig, querying: Querying) -> None:
    querying.start("IP.src", port="p2", streams=("later",), filter="IP.src == 10.0.0.0/28")
    swept(rig, "sooner", sources=3)
    rig.run(["sooner"], packets=30)
    assert querying.rows() == []
    swept(rig, "later", sources=2, first_id=2)
    rig.run(["later"], packets=20)
    part_of(rig.target, "queries").stop("q")
    part_of(rig.target, "queries").stop("q")
    rig.run(["later"], packets=20)
    assert querying.rows() == [("10.0.0.1", 10, None), ("10.0.0.2", 10, None)]
    (counters,) = rig.target.snapshot().queries
    assert not counters.running
    assert rig.target.snapshot(["later"]).queries == ()


@not_on_a_switch("keys=IP.src: its filter leaves")
def test_what_cannot_be_is_refused_and_changes_nothing(rig: Rig, querying: Querying) -> None:
    querying.start("IP.src")
    with pytest.raises(PlanError, match="there is one of that name"):
        querying.start("IP.dst")
    with pytest.raises(PlanError, match="MiB too much; ask for fewer or shorter keys"):
        querying.start("IPv6.src,IPv6.dst,TCP.sport", "large", capacity=2**25, value="length")
    with pytest.raises(PlanError, match='no query "large"'):
        part_of(rig.target, "queries").read("large")
    with pytest.raises(PlanError, match="keys of 3 bytes; its own have 4"):
        part_of(rig.target, "queries").read("q", keys=b"abc")
    assert [query.name for query in rig.target.snapshot().queries] == ["q"]


LINK = Ether(src="02:00:00:00:00:09", dst="02:00:00:00:00:02")


def trigger(rig: Rig, name: str, filter: str, send: str, **more: Any) -> None:  # noqa: A002
    """Loads and starts a trigger."""
    more = {"port": "p2"} | more
    end = Trigger(name=name, filter=PacketFilter.parse(filter), send=SentFrames.parse(send), **more)
    rig.load(compile_job(Job(name, ends=(end,)), ports=rig.ports, gateways={}, max_streams=1))
    rig.target.start([name])


def send(rig: Rig, *frames: Any) -> None:
    """Sends frames of no stream from p1, and gives the answers time to arrive."""
    rig.target.frames.inject([LearningFrame("p1", bytes(frame).ljust(60, b"\0")) for frame in frames])
    rig.pass_time(0.05)


def test_rows_of_keys_that_a_filter_names_are_the_same_on_every_tester(rig: Rig, querying: Querying) -> None:
    named = "IP.src == 10.0.0.0/27"
    querying.start("IP.src", port="p2", filter=f"{named} and UDP.dport == 7", value="length")
    querying.start("", "all", port="p2")
    querying.start("", "foreign", port="p2", foreign=True)
    querying.start("IP.src", "none", port="p2", filter=f"{named} and TCP.flags has S")
    swept(rig, sources=10, frame_size=128)
    rig.run(["north"], packets=995)
    wanted = [(f"10.0.0.{n}", *((100, 12_800) if n < 6 else (99, 12_672))) for n in range(1, 11)]
    assert querying.rows() == wanted
    assert querying.rows(top=2) == wanted[:2]
    assert querying.rows(keys=bytes([10, 0, 0, 9])) == [wanted[8]]
    assert querying.rows(keys=bytes([10, 0, 0, 30])) == []
    assert querying.rows("all") == [("", 995, None)]
    assert querying.rows("none") == querying.rows("foreign") == []
    summary, _ = part_of(rig.target, "queries").read("q", top=0)
    counters = summary.counters
    assert (counters.seen, counters.matched, counters.missed, summary.keys) == (995, 995, 0, 10)
    assert counters.running
    assert counters.memory_bytes > 0
    assert [query.seen for query in rig.target.snapshot().queries] == [995] * 4


FRAMES = (
    *(LINK / IP(src=f"10.0.{n}.7", ttl=n) / TCP(dport=80, flags="SA") for n in range(4)),
    LINK / IP(src="10.0.1.7", dst="10.0.0.1") / TCP(dport=80, flags="S"),
    LINK / IP(src="10.0.0.1", dst="10.0.1.7") / TCP(sport=80, flags="SAN"),
    LINK / Dot1Q(vlan=7, prio=5) / IP(src="10.0.1.7", tos=4) / UDP(sport=53, dport=99) / Raw(bytes(80)),
    LINK / Dot1Q(vlan=8) / IPv6(hlim=9) / UDP(sport=54, dport=53),
    LINK / IP(src="10.0.1.7", frag=2, flags="MF", proto=17) / Raw(bytes(40)),
    LINK / IP(ttl=9) / ICMP(type=3, code=1),
    LINK / ARP(op=2, psrc="10.0.1.7"),
    Ether(dst="ff:ff:ff:ff:ff:ff", src="02:00:00:00:00:09") / ARP(psrc="10.0.1.8"),
)


WAYS = pytest.mark.parametrize(
    ("direction", "port"), [(Direction.RECEIVED, "p2"), (Direction.TRANSMITTED, "p1")], ids=["in", "out"]
)


@WAYS
@pytest.mark.parametrize(
    ("keys", "filter", "rows"),
    [
        ("", "TCP.flags == SA", {"": 4}),
        ("TCP.dport", "TCP.flags has S and TCP.dport == 79-81", {"80": 6}),
        ("", "TCP.flags lacks A", {"": 1}),
        ("", "IP.src == 10.0.0.0/16 and IP.src != 10.0.1.7", {"": 4}),
        ("", "IP.ttl < 3 and IP.ttl != 1", {"": 2}),
        ("IP.ttl,port", "IP.ttl <= 9", {"0,HERE": 1, "1,HERE": 1, "2,HERE": 1, "3,HERE": 1, "9,HERE": 1}),
        ("VLAN.vlan", "VLAN.vlan == 1-9", {"7": 1, "8": 1}),
        ("", "VLAN.prio > 4 and UDP.sport == 53", {"": 1}),
        ("UDP.dport", "UDP.dport >= 53 and UDP.dport < 100", {"53": 1, "99": 1}),
        ("", "IP.frag != 0 and IP.flags has MF", {"": 1}),
        ("ICMP.type,ICMP.code", "ICMP.type == 3 and ICMP.code <= 2", {"3,1": 1}),
        ("ARP.op", "ARP.psrc == 10.0.1.0/24 and ARP.op <= 3", {"1": 1, "2": 1}),
        ("", "Ether.dst == ff:ff:ff:ff:ff:ff and Ether.type == 0x0806", {"": 1}),
        ("", "IPv6.hlim == 9 and port == HERE", {"": 1}),
    ],
)
def test_filters_mean_the_same_on_every_tester(
    rig: Rig,
    querying: Querying,
    keys: str,
    filter: str,  # noqa: A002 - as of the queries
    rows: dict[str, int],
    direction: Direction,
    port: str,
) -> None:
    querying.start(keys, port=port, filter=filter.replace("HERE", port), direction=direction)
    send(rig, *FRAMES)
    assert querying.rows() == [(key.replace("HERE", port), count, None) for key, count in rows.items()]
    summary, _ = part_of(rig.target, "queries").read("q", top=0)
    assert (summary.counters.seen, summary.unread) == (len(FRAMES), 0)


def test_both_directions_of_a_connection_are_one_key(rig: Rig, querying: Querying) -> None:
    ends = "IP.src == 10.0.0.0/30 and IP.dst == 10.0.0.0/30"
    querying.start("IP.src,IP.dst", port="p2", filter=ends, symmetric=True)
    there, back = (LINK / IP(src=f"10.0.0.{s}", dst=f"10.0.0.{d}") / UDP() for s, d in ((1, 2), (2, 1)))
    send(rig, there, back, back, LINK / IP(src="10.0.0.3", dst="10.0.0.3") / UDP())
    assert querying.rows() == [("10.0.0.1,10.0.0.2", 3, None), ("10.0.0.3,10.0.0.3", 1, None)]


@WAYS
def test_packets_behind_options_are_counted_or_told_apart(
    rig: Rig, querying: Querying, direction: Direction, port: str
) -> None:
    querying.start("", port=port, filter="UDP.dport == 53", direction=direction)
    options = LINK / IP(options=[IPOption(b"\x94\x04\0\0")]) / UDP(dport=53)
    extended = LINK / IPv6() / IPv6ExtHdrDestOpt() / UDP(dport=53)
    fragment = LINK / IPv6() / IPv6ExtHdrFragment(m=1) / UDP(dport=53)
    tagged = LINK / Dot1Q(vlan=1) / Dot1Q(vlan=2) / IP() / UDP(dport=53)
    others = extended, fragment, tagged, options / Raw(b"a")
    send(rig, LINK / IP() / UDP(dport=53), options, *others, LINK / ARP())
    summary, _ = part_of(rig.target, "queries").read("q", top=0)
    reached = 1 if rig.is_switch else 6
    assert (summary.counters.matched, summary.unread) == (reached, 6 - reached)
    assert summary.counters.seen == 7


def test_what_streams_send_is_counted_where_it_leaves(rig: Rig, querying: Querying) -> None:
    named, out = "IP.src == 10.0.0.0/29", Direction.TRANSMITTED
    querying.start("IP.src", port="p1", direction=out, filter=f"{named} and UDP.dport == 7", value="length")
    querying.start("", "north", direction=out, streams=("north",), value="length")
    querying.start("", "foreign", direction=out, foreign=True, value="length")
    querying.start("", "elsewhere", port="p2", direction=out)
    swept(rig, sources=4, frame_size=128)
    swept(rig, "south", sources=4, frame_size=256, first_id=2)
    rig.run(["north", "south"], packets=8)
    assert querying.rows() == [(f"10.0.0.{n}", 4, 2 * 128 + 2 * 256) for n in range(1, 5)]
    assert querying.rows("north") == [("", 8, 8 * 128)]
    assert querying.rows("foreign") == querying.rows("elsewhere") == []
    assert [query.seen for query in rig.target.snapshot().queries] == [0, 16, 16, 16]


def test_what_leaves_has_the_addresses_that_it_leaves_with(rig: Rig, querying: Querying) -> None:
    far = "02:00:00:00:00:07"
    sweep = Editor(FieldPath("Ether", "dst"), Sweep(far, "02:00:00:00:00:09"))
    querying.start(
        "Ether.dst",
        direction=Direction.TRANSMITTED,
        filter=f"Ether.dst == {far}-02:00:00:00:00:08 and Ether.type == 0x0800",
    )
    rig.load(rig.plan("north", editors=(sweep,)))
    rig.run(["north"], packets=9)
    assert querying.rows() == [(far, 3, None), ("02:00:00:00:00:08", 3, None)]


def test_both_directions_are_counted_together(rig: Rig, querying: Querying) -> None:
    both = Direction.BOTH
    querying.start("IP.src", direction=both, filter="IP.src == 10.0.0.0/30", value="length")
    querying.start("port,UDP.dport", "ports", direction=both, filter="UDP.dport == 7")
    swept(rig, sources=2, frame_size=128)
    rig.run(["north"], packets=10)
    send(rig, LINK / IP(src="10.0.0.2") / UDP(dport=8))
    assert querying.rows() == [("10.0.0.1", 10, 1280), ("10.0.0.2", 12, 1280 + 2 * 64)]
    assert querying.rows("ports") == [("p1,7", 10, None), ("p2,7", 10, None)]


def test_answers_are_as_long_where_they_leave_as_where_they_arrive(rig: Rig, querying: Querying) -> None:
    servers = Endpoints.parse("198.18.0.3")
    ends = (Responder(name="pings", port="p2", protocol="icmp-echo", servers=servers),)
    rig.load(compile_job(Job("pings", ends=ends), ports=rig.ports, gateways={}, max_streams=1))
    rig.target.start(["pings"])
    answers = "ICMP.type == 0"
    querying.start("", "left", port="p2", direction=Direction.TRANSMITTED, filter=answers, value="length")
    querying.start("", "came", port="p1", filter=answers, value="length")
    asked = [LINK / IP(src="198.18.0.2", dst="198.18.0.3") / ICMP() / Raw(bytes(n)) for n in (10, 50, 200)]
    send(rig, *asked)
    assert querying.rows("left") == querying.rows("came") == [("", 3, 64 + (42 + 50 + 4) + (42 + 200 + 4))]


def test_openings_and_answers_of_protocols_are_counted_once_where_they_leave(
    rig: Rig, querying: Querying
) -> None:
    service, out = Endpoints.parse("198.18.0.3:80"), Direction.TRANSMITTED
    flood = Clients(
        name="flood",
        port="p1",
        protocol="syn-flood",
        target=service,
        sources=Endpoints.parse("198.18.0.64-198.18.0.95:1024"),
        connections=32,
        total=32,
        rate=Frequency.parse("1000/s"),
    )
    ends = (Responder(name="web", port="p2", protocol="http-get", servers=service), flood)
    macs = {("p1", service.addresses.first): rig.ports["p2"].mac}
    querying.start("", "syns", direction=out, filter="TCP.flags == S", foreign=True)
    querying.start("port", "answers", direction=out, filter="TCP.flags == SA")
    plan = compile_job(Job("j", ends=ends), ports=rig.ports, gateways={}, max_streams=1, neighbours=macs)
    rig.load(plan)
    rig.target.start(["j"])
    rig.pass_time(0.3)
    assert querying.rows("syns") == [("", 32, None)]
    assert querying.rows("answers") == [("p2", 32, None)]


def test_ip_behind_a_label_is_no_field_of_a_query(rig: Rig, querying: Querying) -> None:
    querying.start("", "ip", direction=Direction.TRANSMITTED, filter="UDP.dport == 7 and IP.ttl == 64")
    querying.start("", "type", direction=Direction.TRANSMITTED, filter="Ether.type == 0x8847")
    labelled = HeaderStack.parse("Ether / MPLS(label=77) / IP / UDP")
    rig.load(rig.plan("north", frame_size=128, headers=labelled))
    rig.run(["north"], packets=5)
    assert (querying.rows("ip"), querying.rows("type")) == ([], [("", 5, None)])


def test_a_query_that_is_stopped_keeps_what_it_has_and_others_go_on(rig: Rig, querying: Querying) -> None:
    querying.start("", port="p2")
    querying.start("", "later", port="p2")
    send(rig, *FRAMES)
    part_of(rig.target, "queries").stop("q")
    part_of(rig.target, "queries").stop("q")
    send(rig, *FRAMES)
    assert (querying.rows(), querying.rows("later")) == ([("", 12, None)], [("", 24, None)])
    assert [(query.name, query.running) for query in rig.target.snapshot().queries] == [
        ("later", True),
        ("q", False),
    ]
    with pytest.raises(PlanError, match="there is one of that name"):
        querying.start("", "later")
    part_of(rig.target, "queries").forget("later")
    with pytest.raises(PlanError, match='no query "later"'):
        part_of(rig.target, "queries").read("later")
    with pytest.raises(PlanError, match="keys of 3 bytes; its own have 0"):
        part_of(rig.target, "queries").read("q", keys=b"abc")


@not_on_a_switch("2 frames for a packet; one packet has one frame sent")
def test_a_trigger_answers_each_packet_that_it_waits_for(rig: Rig, querying: Querying) -> None:
    frames = (
        'Ether / IP(ttl=9) / UDP; Ether / IP(ttl="IP.ttl - 1") / UDP(dport=99, sport=53) / Raw(load="hi")'
    )
    waits = "UDP.dport == 53 and UDP.sport == 7 and IP.src == 10.0.0.1-10.0.0.3"
    trigger(rig, "t", waits, frames)
    querying.start("IP.dst,UDP.dport,IP.ttl", port="p1")
    asked = [
        LINK / IP(src=f"10.0.0.{n}", dst="10.0.0.9", ttl=20) / UDP(sport=7, dport=53) for n in range(1, 6)
    ]
    send(rig, *asked, LINK / IP(src="10.0.0.1", dst="10.0.0.9") / TCP(dport=53))
    answers = [(f"10.0.0.{n},{rest}", 1, None) for n in (1, 2, 3) for rest in ("7,9", "99,19")]
    assert querying.rows() == answers
    end = rig.target.snapshot(["t"]).end("t", "t")
    assert (end.rx_packets, end.tx_packets, tuple(end.counters)) == (3, 6, (3, 6))
    port = rig.target.snapshot().port("p2")
    assert port.rx_foreign >= 3, "what it does not wait for is left to others"


@not_on_a_switch("keys=IP.src: its filter leaves")
def test_a_trigger_sends_from_another_port_and_so_often_only(rig: Rig, querying: Querying) -> None:
    waits = "UDP.dport == 53 and UDP.sport != 53"
    trigger(rig, "t", waits, "Ether / IP / UDP / Raw(load=payload)", port="p2", out="p1", most=2)
    querying.start("IP.src,port", port="p2")
    send(rig, *[LINK / IP(src=f"10.0.0.{n}", dst="10.0.0.9") / UDP(sport=7, dport=53) for n in range(1, 5)])
    arrived = [(f"10.0.0.{n},p2", 1, None) for n in range(1, 5)]
    assert querying.rows() == [*arrived, ("10.0.0.9,p2", 2, None)]


_MALFORMED = [
    ("IP.ihl < 5 and IP.ttl == 9", LINK / IP(ihl=4, ttl=9) / UDP()),
    ("IP.len < 20 and IP.ttl == 9", LINK / IP(len=10, ttl=9) / UDP()),
    ("IP.len > 9000 and IP.ttl == 9", LINK / IP(len=9001, ttl=9) / UDP()),
]
_OF_LENGTHS_AND_VERSIONS = [
    ("IP.version == 6", LINK / IP(version=6)),
    ("IPv6.version == 4", LINK / IPv6(version=4)),
    ("UDP.len == 4", LINK / IP() / UDP(len=4)),
    ("IP.len == 1000 and length == 64", LINK / IP(len=1000) / UDP()),
]


@pytest.mark.parametrize(
    ("filter", "packet"),
    [
        *_MALFORMED,
        *(
            pytest.param(*each, marks=not_on_a_switch("a switch compares"))
            for each in _OF_LENGTHS_AND_VERSIONS
        ),
    ],
)
def test_fields_of_malformed_packets_are_found(
    rig: Rig,
    querying: Querying,
    filter: str,  # noqa: A002
    packet: Any,
) -> None:
    querying.start("", port="p2", filter=filter)
    send(rig, packet, LINK / IP(ttl=9) / UDP())
    assert querying.rows() == [("", 1, None)]


@pytest.mark.refused_by("engine", match=r"IP.len == 27 and UDP.dport == 53 exclude each other")
@pytest.mark.refused_by("fake", match=r"IP.len == 27 and UDP.dport == 53 exclude each other")
def test_a_transport_is_behind_a_length_that_is_too_short_on_a_switch_only(
    rig: Rig, querying: Querying
) -> None:
    querying.start("", port="p2", filter="IP.len == 27 and UDP.dport == 53")
    send(rig, LINK / IP(len=27) / UDP(dport=53))
    assert querying.rows() == [("", 1, None)]
