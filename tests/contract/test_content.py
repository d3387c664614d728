# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every target counts the contents of frames, and refuses the same ones; `proto/tester/v1/plan.proto`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.flows import flows_of
from TesterLibrary.model.editor import Editor, FieldPath, FieldValues, Mode, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.plan.edit import (
    Checksum,
    ChecksumKind,
    Coverage,
    Distribution,
    PlannedEditor,
    RandomBits,
    RandomRange,
    Step,
    Values,
)
from TesterLibrary.model.plan.plan import Plan

from .rig import Rig

WORD = 2**64 - 1
STEP = PlannedEditor("UDP.dport", 288, 16, 1, Step(1024, 1, 100))
SOURCES = [
    Step(65535, -7, 2**40),
    Values((1, 65535, 0)),
    RandomBits(WORD, 0, 0xFFFF),
    RandomRange(3, 1, 65535),
    Distribution(5, (80, 443), (2**63, WORD)),
]


def edited(rig: Rig, **changes: object) -> Plan:
    """A job of one stream of UDP frames that is not as planned."""
    plan = rig.plan("north")
    return replace(plan, streams=(replace(plan.streams[0], **changes),))  # type: ignore[arg-type]


@pytest.mark.refused_by("tofino", match="3 fields change")
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: type(source).__name__)
def test_frames_whose_fields_change_are_all_known_again(rig: Rig, source: object) -> None:
    """Fields of one bit and of many, whole bytes and parts of them."""
    editors = (
        replace(STEP, source=source),
        PlannedEditor("IP.flags", 160, 1, 3, Values((0, 1))),
        PlannedEditor("Ether.src", 48, 48, 2, Step(0x020000000001, 1, 2**40)),
    )
    rig.load(edited(rig, editors=editors))
    (counted,) = rig.run(["north"], packets=2000).streams
    assert (counted.tx_packets, counted.rx_packets, counted.rx_bytes) == (2000, 2000, 128_000)


@pytest.mark.parametrize(
    ("headers", "field", "sweep"),
    [
        (
            "Ether / ARP(op=1, psrc=198.18.0.2, pdst=198.18.0.9)",
            "ARP.psrc",
            Sweep("198.18.0.2", "198.18.1.200"),
        ),
        ("Ether / ARP(op=2, psrc=198.18.0.2, pdst=198.18.0.9)", "ARP.pdst", Sweep("198.18.1.1", count=7)),
        ("Ether / Dot1Q(vlan=7) / ARP(op=1)", "ARP.pdst", FieldValues(("10.0.0.9", "10.255.0.1"))),
        ("Ether / IP(dst=198.18.0.9) / TCP(flags=A)", "IP.ttl", Sweep("255", "1", "-2")),
        ("Ether / IP(dst=198.18.0.9) / TCP(flags=A)", "IP.tos", FieldValues(("0", "184", "72"))),
        ("Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / TCP(dport=9)", "IPv6.hlim", Sweep("1", "255")),
    ],
)
def test_frames_are_known_by_the_fields_that_stay(rig: Rig, headers: str, field: str, sweep: Mode) -> None:
    """Without a signature, whichever field changes, of ARP too; the others tell them from other frames."""
    editors = (Editor(FieldPath.parse(field), sweep),)
    headers_of = HeaderStack.parse(headers)
    rig.load(rig.plan("north", frame_size=128, headers=headers_of, signature=False, editors=editors))
    rig.load(
        rig.plan(
            "other",
            headers=HeaderStack.parse("Ether / IP(dst=198.18.0.77) / TCP"),
            first_id=2,
            signature=False,
        )
    )
    north, other = rig.run(["north", "other"], packets=500).streams
    assert (north.tx_packets, north.rx_packets) == (500, 500)
    assert (other.tx_packets, other.rx_packets) == (500, 500)


@pytest.mark.parametrize("size", [128, 129])
@pytest.mark.parametrize(
    "headers",
    [
        "Ether / IP / TCP(flags=A)",
        "Ether / Dot1Q(vlan=7) / IP / TCP(flags=PA)",
        "Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / TCP(flags=A)",
        "Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / UDP",
    ],
)
def test_frames_are_known_by_their_signature(rig: Rig, headers: str, size: int) -> None:
    """Beside frames with the same headers and none."""
    headers_of = HeaderStack.parse(headers)
    step = (
        Editor(FieldPath.parse(f"{headers_of.names.rpartition(' / ')[2]}.sport"), Sweep("1000", count=5)),
    )
    rig.load(rig.plan("north", frame_size=size, headers=headers_of, editors=step, count_flows=True))
    rig.load(rig.plan("other", frame_size=size, headers=headers_of, first_id=2, signature=False))
    north, other = rig.run(["north", "other"], packets=500).streams
    assert (north.tx_packets, north.rx_packets, north.latency.count) == (500, 500, 500)
    assert [flow.received for flow in flows_of(rig.target.flows.read("north", 1))] == [100] * 5
    assert (other.tx_packets, other.rx_packets) == (500, 500)


def test_frames_of_several_sizes_are_counted_exactly(rig: Rig) -> None:
    """Seven of 64 bytes, four of 570 and one of 1518, wherever the stream ends."""
    frames = tuple(rig.plan("north", frame_size=size).streams[0].frame for size in (64, 570, 1518))
    order = (0, 1, 0, 1, 0, 0, 2, 0, 1, 0, 1, 0)
    plan = rig.load(edited(rig, frames=frames, order=order))
    before = rig.target.snapshot()
    for packets in (1, 12, 1207):
        (counted,) = rig.run(["north"], packets=packets).streams
        octets = sum((64, 570, 1518)[order[number % 12]] for number in range(packets))
        assert (
            (counted.tx_packets, counted.tx_bytes)
            == (packets, octets)
            == (packets, plan.streams[0].octets(packets))
        )
        assert (counted.rx_packets, counted.rx_bytes) == (packets, octets)
    sent = rig.target.snapshot().port("p1").tx_bytes - before.port("p1").tx_bytes
    assert sent == sum(plan.streams[0].octets(packets) for packets in (1, 12, 1207))


UDP = Checksum(ChecksumKind.INTERNET_NOT_ZERO, 40)


@pytest.mark.parametrize(
    "changes",
    [
        {"frames": ()},
        {"order": (0, 1)},
        {"editors": (replace(STEP, bits=0),)},
        {"editors": (replace(STEP, bits=65),)},
        {"editors": (replace(STEP, bit_offset=8 * 44 - 8),)},
        {"editors": (STEP, replace(STEP, bit_offset=280, bits=9))},
        {"editors": tuple(replace(STEP, bit_offset=8 * place, bits=8) for place in range(17))},
        {"editors": (replace(STEP, every=0),)},
        {"editors": (replace(STEP, source=Step(1, 1, 0)),)},
        {"editors": (replace(STEP, source=Step(65536, 1, 2)),)},
        {"editors": (replace(STEP, source=Values(())),)},
        {"editors": (replace(STEP, source=Values((65536,))),)},
        {"editors": (replace(STEP, source=RandomBits(1, 65536, 1)),)},
        {"editors": (replace(STEP, source=RandomBits(1, 0, 65536)),)},
        {"editors": (replace(STEP, source=RandomRange(1, 65535, 2)),)},
        {"editors": (replace(STEP, source=RandomRange(1, 0, 0)),)},
        {"editors": (replace(STEP, source=Distribution(1, (), ())),)},
        {"editors": (replace(STEP, source=Distribution(1, (1, 2), (9, WORD - 1))),)},
        {"editors": (replace(STEP, source=Distribution(1, (1, 2, 3), (9, 8, WORD))),)},
        {"editors": (replace(STEP, source=Distribution(1, (1, 65536), (9, WORD))),)},
        {"editors": (replace(STEP, coverage=(Coverage(8, 1),)),)},
        {"checksums": (replace(UDP, offset=59),)},
        {"checksums": (replace(UDP, offset=43),)},
        {"checksums": (UDP,) * 9},
    ],
    ids=str,
)
def test_a_refused_stream_has_changed_nothing(rig: Rig, changes: dict[str, object]) -> None:
    with pytest.raises(PlanError, match="north"):
        rig.load(edited(rig, **changes))
    assert rig.target.snapshot().streams == ()
    rig.load(edited(rig, editors=(replace(STEP, coverage=(Coverage(0, 1),)),), checksums=(UDP,)))
    assert rig.run(["north"], packets=100).streams[0].rx_packets == 100
