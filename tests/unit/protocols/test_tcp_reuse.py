# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A SYN that finds the connection before it in TIME-WAIT (RFC 6191 §2)."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP

from .dialogue import Dialogue, TcpPeer, flags

pytestmark = pytest.mark.usefixtures("machine")


def waiting(stamp: int | None = None, **parameters: object) -> TcpPeer:
    """The peer of a client that has closed first; its last stamp is 100 beyond its first."""
    client = Dialogue("tcp-client", size=0, **parameters)
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    ours = TcpPeer(client, sport=80, dport=50_000, isn=9000)
    ours.ack = syn[TCP].seq + 1
    sent = ours.says("SA", options=[] if stamp is None else [("Timestamp", (stamp, 0))])
    ours.seq += 1
    assert "F" in sent[-1][TCP].flags
    ours.ack += 1
    ours.clock = None if stamp is None else stamp + 100
    assert flags(ours.says("FA")) == ["A"]
    ours.seq += 1
    ours.clock = None
    assert len(client.interpreter.flows) == 1
    return ours


@pytest.mark.parametrize(
    ("before", "seq", "stamp", "reopened"),
    [
        (1000, -5000, 1101, True),
        (1000, -5000, 1100, False),
        (1000, 0, 1100, True),
        (1000, 5000, 1099, False),
        (1000, 0, None, True),
        (1000, -1, None, False),
        (None, -5000, 1, True),
        (None, 0, None, True),
        (None, -1, None, False),
    ],
)
def test_a_newer_syn_opens_the_next_connection(
    before: int | None, seq: int, stamp: int | None, *, reopened: bool
) -> None:
    ours = waiting(before)
    options = [] if stamp is None else [("Timestamp", (stamp, 0))]
    last = ours.seq
    (answer,) = ours.says("S", seq=(last + seq) % 2**32, options=options)
    assert ours.dialogue.count("closed") == reopened
    assert ours.dialogue.count("challenged") == (not reopened)
    assert len(ours.dialogue.interpreter.flows) == 1
    if not reopened:
        assert (str(answer[TCP].flags), answer[TCP].ack) == ("A", last)
        return
    assert (str(answer[TCP].flags), answer[TCP].ack) == ("SA", (last + seq + 1) % 2**32)
    assert ("Timestamp" in dict(answer[TCP].options)) == (stamp is not None)
    ours.seq, ours.ack, ours.clock = (last + seq + 1) % 2**32, answer[TCP].seq + 1, stamp
    ours.says("A")
    assert ours.dialogue.count("established") == 2


def test_stamps_that_the_tester_does_not_use_open_nothing() -> None:
    ours = waiting(timestamps=0)
    assert flags(ours.says("S", seq=ours.seq - 1, options=[("Timestamp", (1, 0))])) == ["A"]
    assert flags(ours.says("S", options=[("Timestamp", (1, 0))])) == ["SA"]


def test_where_nobody_listens_it_is_refused() -> None:
    ours = waiting(listen=0)
    assert flags(ours.says("S")) == ["RA"]
    assert ours.dialogue.interpreter.flows == {}
    assert (ours.dialogue.count("closed"), ours.dialogue.count("refused")) == (1, 1)


def test_the_connection_after_it_lives_as_long_as_any() -> None:
    """The timer of TIME-WAIT ends with it."""
    ours = waiting(linger="1 s")
    ours.dialogue.waits(900)
    (answer,) = ours.says("S")
    ours.seq, ours.ack = ours.seq + 1, answer[TCP].seq + 1
    ours.says("A")
    assert all("F" not in packet[TCP].flags for packet in ours.dialogue.waits(150))
    assert ours.sends(b"x")[-1][TCP].ack == ours.seq
