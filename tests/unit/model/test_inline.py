# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.inline import (
    Blackhole,
    ChecksumPolicy,
    Corrupt,
    Delay,
    Drop,
    Event,
    LinkDown,
    Mark,
    PacketAction,
    Path,
    Reorder,
    Reset,
    Rewrite,
    Truncate,
)
from TesterLibrary.model.units.units import Duration, Ratio


@pytest.mark.parametrize(
    ("given", "description"),
    [
        ({"number": 20, "flow": 1}, "drop packet 20 of flow 1"),
        ({"number": 20, "flow": 1, "iteration": 2}, "drop packet 20 of flow 1, transmission 2"),
        ({"number": 3, "data_only": True}, "drop data packet 3"),
        ({"every": 1}, "drop every packet"),
        ({"every": 10, "heading": Heading.BACKWARD}, "drop each 10th packet backward"),
        ({"ratio": Ratio(Fraction(1, 1000))}, "drop 0.1 % of packets"),
        (
            {"byte": 20_000, "flow": 1, "iteration": 2},
            "drop packet with byte 20,000 of flow 1, transmission 2",
        ),
        ({"sequence": 7, "flow": 2}, "drop packet with sequence number 7 of flow 2"),
        ({"pattern": (True, False)}, "drop packets by a pattern of 2"),
        ({"every": 1, "headers": HeaderStack.parse("IP / UDP")}, "drop every packet (IP / UDP)"),
    ],
)
def test_an_event_describes_itself(given: dict[str, Any], description: str) -> None:
    assert Event(action=Drop(), **given).description == description


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({}, "drop: nothing given; give number, every, ratio, byte, sequence or pattern, one of them"),
        ({"byte": 5}, "drop: byte=5 is one of a flow; give flow, such as flow=1"),
        ({"sequence": 1 << 32, "flow": 1}, "drop: sequence=4294967296; give 0 to 4,294,967,295"),
        ({"pattern": (False,)}, "drop: its pattern selects no packet; one character has to be 1"),
        ({"pattern": (True,), "iteration": 2}, "drop: iteration=2 needs a number, byte or sequence"),
        ({"number": 1, "every": 2}, "drop: number and every given"),
        ({"number": 0}, "drop: number=0 counts from 1; give 1 or more"),
        ({"every": 0}, "drop: every=0 counts from 1"),
        ({"number": 1, "flow": 70_000}, "drop: flow=70000 counts from 1; give 1 to 65,536"),
        ({"number": 1, "iteration": 0}, "drop: iteration=0 counts from 1; give 1 to 65,535"),
        ({"every": 5, "iteration": 2}, "drop: iteration=2 needs a number"),
        ({"ratio": Ratio(Fraction(1))}, "drop: ratio=100 % selects no packet, or all; give every=1 for all"),
        ({"ratio": Ratio(Fraction(0))}, "drop: ratio=0 % selects no packet, or all"),
        ({"number": 0, "name": "mine"}, "mine: number=0"),
    ],
)
def test_an_event_that_cannot_be_is_refused(given: dict[str, Any], refusal: str) -> None:
    with pytest.raises(PlanError) as error:
        Event(action=Drop(), **given)
    assert str(error.value).startswith(refusal)


TTL = Rewrite(field=FieldPath("IP", "ttl"), value="1")


@pytest.mark.parametrize(
    ("action", "description"),
    [
        (TTL, "rewrite IP.ttl of packet 20 of flow 1"),
        (Blackhole(duration=Duration(1)), "blackhole from packet 20 of flow 1"),
        (LinkDown(duration=Duration(10**7)), "link down from packet 20 of flow 1"),
        (Reset(), "reset the connection by packet 20 of flow 1"),
    ],
)
def test_what_happens_is_in_the_description(action: PacketAction, description: str) -> None:
    assert Event(action=action, number=20, flow=1).description == description


@pytest.mark.parametrize(
    "last", [Drop(), Blackhole(duration=Duration(1)), LinkDown(duration=Duration(10**7)), Reset()]
)
def test_nothing_happens_behind_the_last_event_of_a_packet(last: PacketAction) -> None:
    path = Path("wan", ("p1", "p2"), (Event(action=last, number=20),))
    with pytest.raises(PlanError, match=r"rewrite IP.ttl of packet 20: .* drops that packet before"):
        path.with_event(Event(action=TTL, number=20))


@pytest.mark.parametrize("given", [{"number": 20}, {"every": 3}])
def test_a_bit_that_is_inverted_twice_would_be_as_before(given: dict[str, Any]) -> None:
    path = Path("wan", ("p1", "p2"), (Event(action=Corrupt(bit=3), **given),))
    with pytest.raises(PlanError, match="bit 3 of it is inverted already, and would be as before"):
        path.with_event(Event(action=Corrupt(bit=3, checksum=ChecksumPolicy.REPAIR), **given))
    path.with_event(Event(action=Corrupt(bit=4), **given))
    path.with_event(Event(action=Corrupt(bit=3), number=21))


def test_blackholes_have_bounds() -> None:
    for ns in (0, 3600 * 10**9 + 1):
        with pytest.raises(PlanError, match=r"duration=.* is no time; give 1 ns to 3600 s"):
            Blackhole(duration=Duration(ns))


def test_links_are_down_for_a_time_they_need() -> None:
    for ns in (10**7 - 1, 3600 * 10**9 + 1):
        with pytest.raises(
            PlanError, match=r"duration=.* is no time for a link to be down; give 10 ms to 3600 s"
        ):
            LinkDown(duration=Duration(ns))
    event = Event(action=LinkDown(duration=Duration(10**9), ports=("p2", "p3")), number=1)
    with pytest.raises(PlanError, match=r"ports=p3 is none of its ports; give p1 or p2, or nothing for both"):
        Path("wan", ("p1", "p2"), (event,))


def test_actions_have_bounds() -> None:
    with pytest.raises(PlanError, match="bit=-1 is in no frame"):
        Corrupt(bit=-1)
    with pytest.raises(PlanError, match="frame_size=63 is not within 64 to 65535 bytes"):
        Truncate(63)


def test_delays_have_bounds() -> None:
    with pytest.raises(PlanError, match="delay=0 ns is no delay; give 1 ns to 60 s"):
        Delay(delay=Duration(0))
    with pytest.raises(PlanError, match="packets=0 cannot pass; give 1 to 65,535"):
        Reorder(packets=0, limit=Duration(1))
    with pytest.raises(PlanError, match="limit=61 s is no delay"):
        Reorder(packets=1, limit=Duration(61 * 10**9))
    with pytest.raises(PlanError, match="path 'wan': memory_mib=0; give 1 to 1024"):
        Path("wan", ("p1", "p2"), memory_mib=0)


@pytest.mark.parametrize("between", [("p1",), ("p1", "p1"), ("p1", "p2", "p3"), ()])
def test_a_path_has_two_ports(between: tuple[str, ...]) -> None:
    with pytest.raises(PlanError, match="give two different ports, such as between=p1,p2"):
        Path("wan", between)  # type: ignore[arg-type]


def test_what_cannot_happen_any_more_is_refused() -> None:
    path = Path("wan", ("p1", "p2"), (Event(action=Drop(), flow=1, number=20),))
    with pytest.raises(
        PlanError, match="mark packet 20 of flow 1: drop packet 20 of flow 1 drops that packet"
    ):
        path.with_event(Event(action=Mark(), flow=1, number=20))
    path.with_event(Event(action=Mark(), flow=1, number=20, iteration=2))
    path.with_event(Event(action=Mark(), flow=2, number=20))
    marked = Path("wan", ("p1", "p2"), (Event(action=Mark(), flow=1, number=20),))
    assert len(marked.with_event(Event(action=Drop(), flow=1, number=20)).events) == 2
