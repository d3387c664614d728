# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Segments out of their order: while a connection opens, and with old windows (RFC 9293 §3.10.7.4)."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP

from .dialogue import Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")


def opening(**parameters: object) -> TcpPeer:
    """A server that has sent its SYN-ACK."""
    ours = TcpPeer(Dialogue("tcp-server", **parameters))
    (answer,) = ours.says("S")
    ours.seq, ours.ack = ours.seq + 1, answer[TCP].seq + 1
    return ours


def test_data_before_the_acknowledgment_of_the_syn_opens_the_connection() -> None:
    ours = opening()
    (answer,) = ours.sends(b"a" * 10)
    assert answer[TCP].ack == ours.seq
    assert flags(ours.says("A", seq=ours.seq - 10)) == ["A"]  # all of it came before
    assert (ours.dialogue.count("established"), ours.dialogue.count("bytes_received")) == (1, 10)


def test_so_does_data_behind_data_that_is_still_on_its_way() -> None:
    ours = opening()
    (answer,) = ours.says("PA", b"b" * 10, seq=ours.seq + 10)
    assert answer[TCP].ack == ours.seq
    assert (ours.dialogue.count("established"), ours.dialogue.count("out_of_order")) == (1, 1)
    (answer,) = ours.says("PA", b"a" * 10)
    assert answer[TCP].ack == ours.seq + 20
    assert ours.dialogue.count("bytes_received") == 20
    assert ours.dialogue.waits(500) == []


@pytest.mark.parametrize("offset", [-1, 65_535])
def test_what_is_outside_of_the_window_is_acknowledged_and_opens_nothing(offset: int) -> None:
    ours = opening()
    (answer,) = ours.says("PA", b"x", seq=ours.seq + offset)
    assert (str(answer[TCP].flags), answer[TCP].ack) == ("A", ours.seq)
    assert ours.dialogue.count("established") == 0


@pytest.mark.parametrize(("offset", "answer"), [(0, []), (1, ["A"]), (65_534, ["A"]), (65_535, []), (-1, [])])
def test_a_reset_while_a_connection_opens_has_the_exact_number(offset: int, answer: list[str]) -> None:
    """RFC 5961 §3.2, RFC 9293 §3.10.7.4: within the window it is challenged."""
    ours = opening()
    assert flags(ours.says("R", seq=ours.seq + offset)) == answer
    assert (ours.dialogue.interpreter.flows == {}) == (offset == 0)


def test_both_that_open_at_once_keep_their_numbers() -> None:
    client = Dialogue("tcp-client", size=10)
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    (both,) = TcpPeer(client, sport=80, dport=50_000).says("S")
    assert both[TCP].seq == syn[TCP].seq


def giving(window: int) -> TcpPeer:
    """The server of a client that has more to send than this window."""
    client = Dialogue("tcp-client", size=20_000)
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    ours = TcpPeer(client, sport=80, dport=50_000)
    ours.ack, ours.window = syn[TCP].seq + 1, window
    sent = ours.says("SA", options=[("MSS", 1000)])
    assert sum(len(payload(packet)) for packet in sent) == window
    ours.seq += 1
    return ours


def data_after(ours: TcpPeer, seq: int, window: int, data: bytes = b"") -> int:
    """Bytes that a segment of the peer lets go, which begins so far on."""
    answers = ours.says("A", data, seq=ours.seq + seq, window=window)
    return sum(len(payload(packet)) for packet in answers)


@pytest.mark.parametrize(("first", "late", "then"), [(5000, 9000, 0), (5000, 3000, 0), (5000, 0, 0)])
def test_a_window_that_was_said_before_is_not_taken_back(first: int, late: int, then: int) -> None:
    """SND.WL1: two segments behind a gap, the later one first."""
    ours = giving(3000)
    assert data_after(ours, 20, first, b"c" * 10) == first - 3000
    assert data_after(ours, 10, late, b"b" * 10) == then
    assert data_after(ours, 30, first + 1000) == 1000


def test_a_window_that_was_said_before_does_not_open_a_closed_one() -> None:
    ours = giving(0)
    assert data_after(ours, 20, 0, b"c" * 10) == 0
    assert data_after(ours, 30, 3000) == 3000
    assert data_after(ours, 10, 9000, b"b" * 10) == 0


def test_a_window_that_stays_is_the_later_one_too() -> None:
    ours = giving(3000)
    assert data_after(ours, 20, 3000, b"c" * 10) == 0
    assert data_after(ours, 10, 9000, b"b" * 10) == 0
    assert data_after(ours, 20, 4000) == 1000


def test_an_acknowledgment_of_more_brings_its_window() -> None:
    """It is newer than all that acknowledge less."""
    ours = giving(3000)
    assert data_after(ours, 20, 3000, b"c" * 10) == 0
    ours.ack += 1000
    assert data_after(ours, 0, 5000, b"a" * 10) == 3000
