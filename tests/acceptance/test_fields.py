# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames leave a device with the changing fields and the sizes of their plan, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from TesterLibrary.model.editor import (
    Draw,
    Editor,
    FieldPath,
    FieldValues,
    Mode,
    RandomField,
    RandomMask,
    RandomPrefix,
    Sweep,
)
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.planning.flows import FlowSpace
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.trial import StreamRun
from tests.dissection import wrong_checksums

from .capture import captured, frames, sequence, stream_id
from .robots import check_passed, run

FRAMES = 60  # of each stream
SHARES = (Fraction(7, 10), Fraction(1))
ANY = RandomField()
FIELDS: dict[str, tuple[str, dict[str, Mode]]] = {
    "steps": (
        "Ether / Dot1Q(vlan=100) / IP / UDP",
        {"Dot1Q.vlan": Sweep("4000", count=200), "IP.src": Sweep("10.0.0.250", "10.0.1.9", "5")},
    ),
    "values": (
        "Ether / IP / TCP",
        {"TCP.flags": FieldValues(("S", "A", "FA")), "IP.tos": Sweep("9", "1", "-2")},
    ),
    "bits": ("Ether / IP / ICMP", {"ICMP.id": ANY, "Ether.src": RandomMask("00:00:00:ff:ff:ff")}),
    "range": ("Ether / IP / UDP", {"UDP.sport": RandomField("1000", "1999"), "IP.src": ANY}),
    "prefix": ("Ether / IPv6 / UDP", {"IPv6.dst": RandomPrefix.parse("2001:db8::/64"), "IPv6.tc": ANY}),
    "draw": ("Ether / IP / UDP", {"IP.tos": Draw(("0", "184"), SHARES), "UDP.dport": ANY}),
    "tunnel": (
        "Ether / IP / UDP / VXLAN(vni=42) / Ether / IP / UDP",
        {"UDP.sport": ANY, "VXLAN.vni": Sweep("1", "9"), "IP[2].src": ANY, "UDP[2].dport": ANY},
    ),
    "gtp": ("Ether / IPv6 / UDP / GTPU / IP / TCP", {"GTPU.teid": ANY, "TCP.seq": ANY}),
    "sctp": ("Ether / IP / SCTP", {"SCTP.tag": ANY, "SCTP.sport": Sweep("1", "5")}),
    "bare": ("Ether / IP / UDP(chksum=0xbad)", {"UDP.dport": Sweep("1", "1000")}),
}
CASCADE = tuple(map(FieldPath.parse, ("IP.src", "IP.id", "UDP.dport")))


def streams() -> Iterator[Stream]:
    basis = Stream("", tx="p1", rx="p2", frame_size=parse_frame_sizes(256), rate=Rate.parse("100 pps"))
    for name, (stack, fields) in FIELDS.items():
        editors = tuple(Editor(FieldPath.parse(path), mode) for path, mode in fields.items())
        yield replace(basis, name=name, headers=HeaderStack.parse(stack), editors=editors)
    sweeps = tuple(
        Editor(path, mode)
        for path, mode in zip(
            CASCADE, (Sweep("10.0.0.1", "10.0.0.3"), FieldValues(("7", "9")), Sweep("1", "4")), strict=True
        )
    )
    yield replace(basis, name="cascade", editors=sweeps, cascades=(CASCADE,))
    yield replace(basis, name="mix", frame_size=parse_frame_sizes("imix"), editors=sweeps[:1])


def test_every_frame_is_the_one_that_the_plan_tells(bed: OpenTestbed, tmp_path: Path) -> None:
    sent = list(streams())
    duration = Duration(FRAMES * 10_000_000)
    with (
        captured(bed, "p2", tmp_path / "out.pcap"),
        StreamRun(bed.tester, "fields", sent).loaded() as job,
    ):
        job.start(duration)
        bed.tester.target.wait(["fields"], timeout=Duration(10**10))
        trial = job.finish(duration)
    assert {(s.counters.tx_packets, s.counters.rx_packets) for s in trial.streams} == {(FRAMES, FRAMES)}

    arrived: dict[int, dict[int, bytes]] = {}
    for _, frame in frames(tmp_path / "out.pcap"):
        arrived.setdefault(stream_id(frame), {})[sequence(frame)] = frame
    for planned in job.plan.streams:
        space, by_sequence, name = FlowSpace.of(planned), arrived[planned.id], planned.name
        assert sorted(by_sequence) == list(range(FRAMES)), name
        for number, frame in by_sequence.items():
            assert frame[:-16].hex() == space.frame(number)[:-16].hex(), (name, number)
            assert wrong_checksums(frame) == (["UDP"] if name == "bare" else []), (name, number)


def test_equal_seeds_send_equal_frames(bed: OpenTestbed) -> None:
    """Two plans of the same streams differ only in their signatures, whatever else was planned."""
    one, two = (bed.tester.plan("fields", list(streams())) for _ in range(2))
    assert [stream.editors for stream in one.streams] == [stream.editors for stream in two.streams]
    assert [stream.departures for stream in one.streams] == [stream.departures for stream in two.streams]
    assert one.seed == two.seed
    assert {stream.id for stream in one.streams}.isdisjoint(stream.id for stream in two.streams)


def test_keywords_for_fields_and_mixes(tmp_path: Path) -> None:
    tests = run("fields.robot", tmp_path)
    assert len(tests) == 7
    check_passed(tests)
