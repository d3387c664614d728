# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import cycle, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.model.departures import Poisson
from TesterLibrary.model.editor import RandomField, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.stream_mix import mixed as mixed_streams
from TesterLibrary.model.units.units import Rate
from TesterLibrary.planning.flows import FlowSpace
from tests.dissection import wrong_checksums

from ..planning.bench import BRIDGED, compiled, stream
from ..planning.edits import editor

IMIX = parse_frame_sizes("imix")


def mixed(sizes: str = "imix", **changes: object) -> Plan:
    return compiled(replace(stream(**changes), frame_size=parse_frame_sizes(sizes)))


def test_frames_of_a_mix_follow_its_order() -> None:
    (planned,) = mixed().streams
    assert [len(frame) + 4 for frame in planned.frames] == [64, 570, 1518]
    space = FlowSpace.of(planned)
    sizes = [len(space.frame(number)) + 4 for number in range(30)]
    assert sizes == list(islice(cycle(IMIX.order), 30))
    assert [planned.octets(number) for number in (1, 12, 30)] == [sum(sizes[:1]), 4246, sum(sizes)]
    assert (planned.mix, planned.frame_size) == ({64: 7, 570: 4, 1518: 1}, Fraction(4246, 12))
    assert planned.frames[0][-16:] == planned.frames[1][-16:] == planned.frames[2][-16:]
    assert all(wrong_checksums(frame) == [] for frame in planned.frames)


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
    (planned,) = mixed(headers=stack, editors=editors).streams
    space = FlowSpace.of(planned)
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


def office(shares: dict[str, Fraction], rate: str = "1 Mpps", **changes: object) -> tuple[Stream, ...]:
    streams = [stream(name=name, **changes) for name in shares]
    return mixed_streams("office", streams, shares, Rate.parse(rate), BRIDGED)


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(0, 200), st.integers(1, 4))
def test_any_frames_of_whole_periods_have_the_proportions_of_a_mix(
    weights: list[int], first: int, periods: int
) -> None:
    """Wherever one begins to count, frames of one time taken in any order."""
    total = sum(weights)
    shares = {f"s{index}": Fraction(weight, total) for index, weight in enumerate(weights)}
    planned = compiled(*office(shares)).streams
    due = sorted(
        (stream.departures.due(number), stream.name)
        for stream in planned
        for number in range(stream.frames_due(10**6))
    )
    length = periods * total
    window = Counter(name for _, name in due[first : first + length])
    assert [window[name] for name in shares] == [periods * weight for weight in weights]


def test_a_mix_of_streams_has_its_rate() -> None:
    half = Fraction(1, 2)
    one, two = office({"a": half, "b": half}, rate="8.4 Gbps L1", frame_size="190")
    assert (one.rate.value, two.rate.value) == (2_500_000, 2_500_000)
    small, large = stream(name="a"), stream(name="b", frame_size="1518")
    mixed = mixed_streams("office", [small, large], {"a": half, "b": half}, Rate.parse("100 %"), BRIDGED)
    plan = compiled(*mixed)  # together exactly the line
    assert plan.streams[0].rate == plan.streams[1].rate


@pytest.mark.parametrize(
    ("shares", "changes", "message"),
    [
        ({"a": Fraction(1, 2), "b": Fraction(1, 4)}, {}, r"shares above 0 have to make 100 %; these make 75"),
        ({"a": Fraction(1), "b": Fraction(0)}, {}, r"shares above 0 have to make 100 %"),
        ({"a": Fraction(1)}, {"shaping": Poisson()}, r"stream 'a' is not evenly spaced"),
    ],
)
def test_what_is_no_mix_of_streams_is_refused(
    shares: dict[str, Fraction], changes: dict[str, object], message: str
) -> None:
    with pytest.raises(PlanError, match=f"^mix 'office': {message}"):
        office(shares, **changes)


def test_streams_of_a_mix_leave_one_port() -> None:
    half = Fraction(1, 2)
    streams = [stream(name="a"), stream(name="b", tx="p2", rx="p1")]
    with pytest.raises(PlanError, match=r"^mix 'office': its streams leave p1, p2; a mix leaves one port"):
        mixed_streams("office", streams, {"a": half, "b": half}, Rate.parse("1 kpps"), BRIDGED)
