# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The server that fits a switch, as norma's table 2 has it: state by state."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP

from .dialogue import Dialogue, TcpPeer, flags, payload

_GET = b"GET / HTTP/1.1\r\n\r\n"
pytestmark = pytest.mark.usefixtures("machine")


def test_a_request_is_served_from_the_numbers_of_the_packet_in_hand() -> None:
    peer = TcpPeer(Dialogue("http-get", segments=3)).connects()
    (content,) = peer.sends(_GET)
    assert content[TCP].ack == peer.seq
    received = peer.takes([content])
    for _ in range(2):  # segments of 1,000 bytes, until there are 3,000
        received += peer.takes(peer.says("A"))
    head, body = received.split(b"\r\n\r\n")
    assert (head.count(b"200 OK"), len(body)) == (1, 3000)
    (end,) = peer.says("A")
    assert (str(end[TCP].flags), end[TCP].ack, payload(end)) == ("FA", peer.seq, b"")
    assert peer.says("A", ack=peer.ack + 1) == []
    (last,) = peer.says("FA", ack=peer.ack + 1)
    assert (str(last[TCP].flags), last[TCP].ack) == ("A", peer.seq + 1)
    assert [peer.dialogue.count(name) for name in ("served", "responses", "closed", "unknown")] == [
        1,
        1,
        1,
        0,
    ]
    assert peer.dialogue.interpreter.flows == {}


def test_a_client_that_asks_again_is_sent_the_begin_again() -> None:
    peer = TcpPeer(Dialogue("http-get")).connects()
    (content,) = peer.sends(_GET)
    (again,) = peer.says("PA", _GET, seq=peer.seq - len(_GET))
    assert bytes(content[TCP]) == bytes(again[TCP])
    assert (peer.dialogue.count("served"), peer.dialogue.count("responses")) == (1, 0)


def test_a_client_that_closes_first_gets_the_rest() -> None:
    peer = TcpPeer(Dialogue("http-get", segments=2)).connects()
    peer.takes(peer.sends(_GET))
    (acknowledged,) = peer.says("FA")
    assert (str(acknowledged[TCP].flags), acknowledged[TCP].ack) == ("A", peer.seq + 1)
    peer.seq += 1
    assert len(peer.takes(peer.says("A"))) == 1000
    assert flags(peer.says("A")) == ["FA"]
    assert peer.says("A", ack=peer.ack + 1) == []
    assert (peer.dialogue.count("responses"), peer.dialogue.count("closed")) == (1, 1)
    assert peer.dialogue.interpreter.flows == {}


def test_a_client_that_asks_for_nothing_is_reset() -> None:
    peer = TcpPeer(Dialogue("http-get")).connects()
    assert flags(peer.says("FA")) == ["R"]
    assert peer.dialogue.interpreter.flows == {}


def test_what_comes_without_a_connection_is_reset_and_a_reset_ends_one() -> None:
    peer = TcpPeer(Dialogue("http-get"))
    assert flags(peer.says("A")) == ["R"]
    assert peer.says("R") == []
    peer.connects()
    assert peer.says("R") == []
    assert peer.dialogue.interpreter.flows == {}


def test_a_syn_that_comes_again_is_answered_again_and_other_data_is_only_counted() -> None:
    peer = TcpPeer(Dialogue("http-get"))
    assert flags(peer.says("S") + peer.says("S")) == ["SA", "SA"]
    assert peer.says("PA", b"POST /") == []
    assert peer.dialogue.count("unknown") == 1
