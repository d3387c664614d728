# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester that stops ends what is open, as the tables say; nothing of it is counted."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP
from scapy.packet import Packet

from .dialogue import Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")

FAILURES = ("reset", "refused", "timed_out", "lost", "closed", "unexpected", "finished")


def opening(**parameters: object) -> tuple[TcpPeer, Packet]:
    """A client whose SYN has not been answered, and that SYN."""
    dialogue = Dialogue("tcp-client", listen=0, **parameters)
    (syn,) = dialogue.opens(TCP_sport=1024, TCP_dport=80)
    ours = TcpPeer(dialogue, sport=80, dport=1024)
    ours.ack = syn[TCP].seq + 1
    return ours, syn


def opened(**parameters: object) -> tuple[TcpPeer, list[Packet]]:
    """A client with a connection, and what it has sent on it."""
    ours, _ = opening(**parameters)
    sent = ours.says("SA")
    ours.seq += 1
    return ours, sent


def nothing_is_left(ours: TcpPeer) -> None:
    assert ours.dialogue.interpreter.flows == {}
    assert [name for name in FAILURES if ours.dialogue.count(name)] == []


def test_an_idle_connection_is_reset_with_the_number_that_the_peer_expects() -> None:
    ours, _ = opened(size=0, hold="10 s")
    (reset,) = ours.dialogue.stops()
    assert (str(reset[TCP].flags), reset[TCP].seq, reset[TCP].ack) == ("RA", ours.ack, ours.seq)
    nothing_is_left(ours)


def test_a_syn_without_an_answer_is_withdrawn_and_a_late_answer_reset() -> None:
    ours, syn = opening(size=0)
    (reset,) = ours.dialogue.stops()
    assert (str(reset[TCP].flags), reset[TCP].seq) == ("R", syn[TCP].seq + 1)
    (again,) = ours.says("SA")
    assert (str(again[TCP].flags), again[TCP].seq) == ("R", ours.ack)
    nothing_is_left(ours)


def test_a_peer_that_lacks_data_is_reset_when_it_says_so() -> None:
    """RFC 5961 §3.2: it answers a reset that is not the one it expects by an acknowledgment."""
    ours, sent = opened(size=5000)
    assert sum(len(payload(packet)) for packet in sent) == 5000
    (reset,) = ours.dialogue.stops()
    assert reset[TCP].seq == ours.ack + 5000
    (again,) = ours.says("A", ack=ours.ack + 536)
    assert (str(again[TCP].flags), again[TCP].seq) == ("R", ours.ack + 536)
    nothing_is_left(ours)


def test_a_peer_that_says_nothing_more_is_not_waited_for() -> None:
    ours, _ = opened(size=5000, rto="10 ms")
    assert flags(ours.dialogue.stops()) == ["RA"]
    assert ours.dialogue.waits(199) == []
    assert len(ours.dialogue.interpreter.flows) == 1
    assert ours.dialogue.waits(1) == []
    nothing_is_left(ours)
    assert ours.dialogue.count("retransmitted") == 0


def test_a_probe_that_a_closed_window_has_not_let_in_does_not_count() -> None:
    ours, _ = opening(size=10_000, rto="10 ms")
    ours.window = 0
    ours.says("SA")
    ours.seq += 1
    (probe,) = ours.dialogue.waits(10)
    assert len(payload(probe)) == 1
    (reset,) = ours.dialogue.stops()
    assert (str(reset[TCP].flags), reset[TCP].seq) == ("RA", ours.ack)


def test_what_both_have_closed_is_left_alone() -> None:
    ours, _ = opened(size=0, hold=0, linger="1 s")
    ours.says("FA", ack=ours.ack + 1)
    assert ours.dialogue.count("finished") == 1
    assert len(ours.dialogue.interpreter.flows) == 1  # TIME-WAIT
    assert ours.dialogue.stops() == []
    assert ours.dialogue.interpreter.flows == {}
    assert ours.dialogue.count("closed") == 0


def test_servers_reset_their_connections_too_and_open_none_meanwhile() -> None:
    ours = TcpPeer(Dialogue("http-server")).connects()
    (reset,) = ours.dialogue.stops()
    assert (str(reset[TCP].flags), reset[TCP].seq, reset[TCP].ack) == ("RA", ours.ack, ours.seq)
    assert ours.says("S") == []
    assert ours.says("A") == []
    nothing_is_left(ours)


def test_a_table_that_does_not_say_how_ends_its_flows_silently() -> None:
    dialogue = Dialogue("dns-client")
    assert len(dialogue.opens(UDP_sport=1024, UDP_dport=53)) == 1
    assert len(dialogue.interpreter.flows) == 1
    assert dialogue.stops() == []
    assert dialogue.interpreter.flows == {}
