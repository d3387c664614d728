# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The server that fits a switch, as norma's table 2 has it: state by state."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP

from .dialogue import Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")


def test_a_request_is_served_from_the_numbers_of_the_packet_in_hand() -> None:
    peer = TcpPeer(Dialogue("http-get")).connects()
    for _ in range(2):
        (content,) = peer.sends(b"GET / HTTP/1.1\r\n\r\n")
        assert content[TCP].ack == peer.seq
        assert peer.takes([content]).endswith(b"\r\n\r\nHello world\n")
        assert peer.says("A") == []
    (end,) = peer.says("FA")
    assert (str(end[TCP].flags), end[TCP].ack, payload(end)) == ("FA", peer.seq + 1, b"")
    assert peer.says("A", seq=peer.seq + 1) == []
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
