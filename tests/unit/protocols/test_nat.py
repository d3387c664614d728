# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections through address translation, from both ends (RFC 9693)."""

from __future__ import annotations

from struct import pack, unpack

import pytest
from scapy.layers.inet import IP, UDP
from scapy.packet import Packet, Raw

from .dialogue import LINK, OURS, PEER, Dialogue

pytestmark = pytest.mark.usefixtures("machine")

OPEN, HOLD, SEEN, ASK, HERE, MOVED, BYE = range(1, 8)
OUTSIDE = "198.18.0.77"  # where the device puts us


def said(packet: Packet) -> tuple[int, int, str, int]:
    """Kind, port, address and number."""
    kind, port, a, b, c, d, number = unpack(">HHBBBBI", bytes(packet[UDP].payload)[:12])
    return kind, port, f"{a}.{b}.{c}.{d}", number


def says(kind: int, number: int = 0, port: int = 0, address: str = "0.0.0.0", *, sport: int = 9) -> Packet:
    octets = pack(">HHBBBBI", kind, port, *map(int, address.split(".")), number)
    return LINK / IP(src=PEER, dst=OURS) / UDP(sport=sport, dport=1024) / Raw(octets)


def opened(**parameters: object) -> tuple[Dialogue, int]:
    """An initiator that waits for an answer, and the number of its connection."""
    initiator = Dialogue("nat-initiator", **parameters)
    (first,) = initiator.opens(UDP_sport=1024, UDP_dport=9)
    kind, _, _, number = said(first)
    assert kind == (HOLD if parameters.get("hold") else OPEN)
    return initiator, number


def test_a_connection_that_was_translated_is_established() -> None:
    initiator, number = opened()
    initiator.waits(3)
    assert initiator.hears(says(SEEN, number, 4000, OUTSIDE)) == []
    assert (initiator.count("established"), initiator.took("time_to_open")) == (1, 3000)
    initiator.hears(says(SEEN, number, 4000, OUTSIDE))
    assert (initiator.count("established"), initiator.count("ignored")) == (1, 1)


def test_one_port_that_stays_is_translated_by_its_address() -> None:
    initiator, number = opened()
    initiator.hears(says(SEEN, number, 1024, OUTSIDE))
    assert initiator.count("established") == 1


def test_a_connection_that_was_not_translated_is_none() -> None:
    initiator, number = opened()
    initiator.hears(says(SEEN, number, 1024, OURS))
    assert (initiator.count("established"), initiator.count("untranslated")) == (0, 1)


def test_an_answer_for_another_connection_is_none() -> None:
    initiator, number = opened()
    initiator.hears(says(SEEN, number ^ 1, 4000, OUTSIDE))
    assert initiator.count("crossed") == 1
    assert initiator.waits(500) == []
    assert (initiator.count("established"), initiator.count("timed_out")) == (0, 1)


def test_what_comes_twice_or_too_early_is_not_of_another_connection() -> None:
    """The device copies a frame, or carries the answer to a first frame that was sent again."""
    initiator, number = opened(hold="2 s", tries=2)
    initiator.hears(says(ASK, number))
    initiator.hears(says(SEEN, number, 4000, OUTSIDE))
    initiator.hears(says(SEEN, number, 4000, OUTSIDE))
    assert [initiator.count(name) for name in ("established", "ignored", "crossed")] == [1, 2, 0]
    initiator.hears(says(ASK, number ^ 1))
    assert initiator.count("crossed") == 1


@pytest.mark.parametrize("hold", ["0 s", "2 s"])
def test_a_connection_is_tried_again_as_often_as_it_is_asked_to(hold: str) -> None:
    initiator, number = opened(tries=3, **({"hold": hold} if hold != "0 s" else {}))
    for _ in range(2):
        (again,) = initiator.waits(500)
        assert said(again)[0::3] == (OPEN if hold == "0 s" else HOLD, number)
    assert initiator.waits(500) == []
    assert (initiator.count("retransmitted"), initiator.count("timed_out")) == (2, 1)


def test_a_connection_that_is_held_answers_and_ends() -> None:
    initiator, number = opened(hold="2 s", watch="800 ms")
    initiator.hears(says(SEEN, number, 4000, OUTSIDE))
    for _ in range(3):
        initiator.waits(600)
        (answer,) = initiator.hears(says(ASK, number))
        assert said(answer)[0] == HERE
    (bye,) = initiator.waits(200)
    assert said(bye)[0::3] == (BYE, number)
    assert (initiator.count("asked"), initiator.count("forgotten")) == (3, 0)


def test_a_connection_for_which_nobody_asks_was_forgotten() -> None:
    initiator, number = opened(hold="2 s", watch="800 ms")
    initiator.hears(says(SEEN, number, 4000, OUTSIDE))
    assert initiator.waits(800) == []
    assert initiator.count("forgotten") == 1


def test_a_connection_that_comes_from_elsewhere_has_moved() -> None:
    initiator, number = opened(hold="2 s")
    initiator.hears(says(SEEN, number, 4000, OUTSIDE))
    initiator.hears(says(MOVED, number, 4001, OUTSIDE))
    assert initiator.count("moved") == 1


def test_what_is_held_is_ended_when_the_tester_stops() -> None:
    initiator, number = opened(hold="2 s")
    initiator.hears(says(SEEN, number, 4000, OUTSIDE))
    (bye,) = initiator.stops()
    assert said(bye)[0] == BYE


def test_a_responder_says_what_it_saw_and_keeps_nothing() -> None:
    responder = Dialogue("nat-responder")
    (answer,) = responder.hears(says(OPEN, 7, sport=5000))
    assert said(answer) == (SEEN, 5000, PEER, 7)
    assert (answer[IP].dst, answer[UDP].dport, answer[UDP].sport) == (PEER, 5000, 1024)
    assert responder.waits(1000) == []


def test_a_responder_asks_for_what_is_held_until_it_is_over() -> None:
    responder = Dialogue("nat-responder")
    (answer,) = responder.hears(says(HOLD, 7, sport=5000))
    assert said(answer) == (SEEN, 5000, PEER, 7)
    (ask,) = responder.waits(250)
    assert (*said(ask)[0::3], ask[UDP].dport) == (ASK, 7, 5000)
    assert responder.hears(says(HERE, 7, sport=5000)) == []
    assert responder.hears(says(BYE, 7, sport=5000)) == []
    assert responder.waits(1000) == []
    assert (responder.count("asked"), responder.count("answered")) == (1, 1)


def test_a_responder_asks_four_times_in_vain() -> None:
    responder = Dialogue("nat-responder")
    responder.hears(says(HOLD, 7))
    assert [len(responder.waits(250)) for _ in range(6)] == [1, 1, 1, 1, 0, 0]
    assert responder.count("gone") == 1


def test_a_responder_says_what_has_moved() -> None:
    responder = Dialogue("nat-responder")
    responder.hears(says(HOLD, 7, sport=5000))
    (answer,) = responder.hears(says(HERE, 7, sport=5001))
    assert said(answer) == (MOVED, 5001, PEER, 7)
    assert responder.count("moved") == 1


def test_a_new_connection_takes_the_place_of_an_old_one() -> None:
    responder = Dialogue("nat-responder")
    for number in (7, 8):
        responder.hears(says(HOLD, number, sport=5000))
    (ask,) = responder.waits(250)
    assert said(ask)[3] == 8
    assert responder.hears(says(HERE, 7, sport=5000)) == []
    assert responder.count("ignored") == 1
