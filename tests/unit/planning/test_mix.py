# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import cycle, islice

import pytest
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import RandomField, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.plan import Plan
from TesterLibrary.planning.flows import FlowSpace
from tests.dissection import wrong_checksums

from .bench import compiled, stream
from .edits import editor

IMIX = parse_frame_sizes("imix")


def mixed(sizes: str = "imix", **changes: object) -> Plan:
    return compiled(replace(stream(**changes), frame_size=parse_frame_sizes(sizes)))


def test_frames_of_a_mix_follow_its_order() -> None:
    (own,) = mixed().streams
    assert [len(frame) + 4 for frame in own.frames] == [64, 570, 1518]
    space = FlowSpace.of(own)
    sizes = [len(space.frame(number)) + 4 for number in range(30)]
    assert sizes == list(islice(cycle(IMIX.order), 30))
    assert [own.octets(number) for number in (1, 12, 30)] == [sum(sizes[:1]), 4246, sum(sizes)]
    assert (own.mix, own.frame_size) == ({64: 7, 570: 4, 1518: 1}, Fraction(4246, 12))
    assert own.frames[0][-16:] == own.frames[1][-16:] == own.frames[2][-16:]
    assert all(wrong_checksums(frame) == [] for frame in own.frames)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        ("100 %", Fraction(10**10) / (8 * (Fraction(4246, 12) + 20))),
        ("1 Gbps", Fraction(10**9) / (8 * Fraction(4246, 12))),
        ("1 Gbps L1", Fraction(10**9) / (8 * (Fraction(4246, 12) + 20))),
        ("1 kpps", Fraction(1000)),
    ],
)
def test_rates_of_a_mix_are_those_of_its_average(rate: str, expected: Fraction) -> None:
    assert mixed(rate=rate).streams[0].frames_per_second == expected


def test_fields_of_a_mix_change_in_frames_of_all_sizes() -> None:
    stack = HeaderStack.parse("Ether / IP / UDP")
    editors = (editor("IP.src", Sweep("10.0.0.1", "10.0.0.5")), editor("UDP.sport", RandomField()))
    (own,) = mixed(headers=stack, editors=editors).streams
    space = FlowSpace.of(own)
    for number in range(24):
        frame = Ether(space.frame(number))
        assert frame["IP"].src == f"10.0.0.{1 + number % 5}"
        assert len(frame) == IMIX.order[number % 12] - 4
        assert wrong_checksums(bytes(frame)) == []


def test_a_crc_needs_frames_of_one_alignment() -> None:
    stack = HeaderStack.parse("Ether / IP / SCTP")
    changes: dict[str, object] = {"headers": stack, "editors": (editor("SCTP.tag", RandomField()),)}
    assert mixed("128:1 256:1", **changes).streams[0].checksums
    with pytest.raises(PlanError, match=r"^stream 'north': fields under SCTP's CRC change"):
        mixed("128:1 257:1", **changes)


def test_sizes_of_a_mix_have_to_fit_headers_and_ports() -> None:
    with pytest.raises(PlanError, match=r"^stream 'north': a frame size of 64 bytes is too short"):
        mixed(headers=HeaderStack.parse("Ether / IP / UDP / VXLAN / Ether / IP / UDP"))
    with pytest.raises(PlanError, match=r"^stream 'north': a frame size of 9000 bytes is too long"):
        mixed("IMIX(ai)")
    with pytest.raises(PlanError, match=r"^stream 'north': 100 Gbps is more.*IMIX .353.83 bytes on average"):
        mixed(rate="100 Gbps")
