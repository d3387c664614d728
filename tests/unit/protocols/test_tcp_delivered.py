# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Bytes count as delivered when the peer has acknowledged them, each one once."""

from __future__ import annotations

import pytest

from .dialogue import Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")


def giving(size: int) -> tuple[TcpPeer, int]:
    """A server that has sent the first segments of so many bytes, and the number of the first one."""
    peer = TcpPeer(Dialogue("tcp-server", size=size, mss=100)).connects([("MSS", 100)])
    first = peer.ack
    assert sum(len(payload(say)) for say in peer.says("FA")) == min(size, 6400)
    peer.seq += 1
    return peer, first


def delivered(peer: TcpPeer) -> int:
    return peer.dialogue.count("bytes_delivered")


def test_parts_are_counted_as_they_are_acknowledged_and_neither_syn_nor_fin() -> None:
    peer, first = giving(250)
    assert delivered(peer) == 0
    peer.says("A", ack=first + 100)
    peer.says("A", ack=first + 100)
    assert delivered(peer) == 100
    assert flags(peer.says("A", ack=first + 250)) == ["FA"]
    assert delivered(peer) == 250
    peer.says("A", ack=first + 251)
    assert (delivered(peer), peer.dialogue.interpreter.flows) == (250, {})


def test_what_is_sent_again_is_counted_once() -> None:
    peer, first = giving(1000)
    for _ in range(3):
        peer.says("A", ack=first)
    assert peer.dialogue.waits(300)
    assert (delivered(peer), peer.dialogue.count("retransmitted")) == (0, 2)
    peer.says("A", ack=first + 600)
    assert delivered(peer) == 600
    peer.says("A", ack=first + 1000)
    peer.says("A", ack=first + 600)
    assert delivered(peer) == 1000


def test_a_partial_acknowledgment_after_a_loss_counts_its_part() -> None:
    peer, first = giving(1000)
    for _ in range(3):
        peer.says("A", ack=first)
    assert flags(peer.says("A", ack=first + 400))[0] == "A"
    assert delivered(peer) == 400


def test_what_was_never_sent_is_not_delivered() -> None:
    peer, first = giving(100)
    peer.says("A", ack=first + 101)
    assert delivered(peer) == 0


def test_a_client_that_has_finished_first_counts_all_but_its_fin() -> None:
    dialogue = Dialogue("tcp-client", size=300)
    (syn,) = dialogue.opens(TCP_sport=40_000, TCP_dport=80)
    peer = TcpPeer(dialogue, sport=80, dport=40_000)
    peer.ack = syn.seq + 1
    assert sum(len(payload(say)) for say in peer.says("SA")) == 300
    peer.seq += 1
    peer.ack += 300
    assert flags(peer.says("A")) == ["FA"]
    peer.says("A", ack=peer.ack + 1)
    assert delivered(peer) == 300
