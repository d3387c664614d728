# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Time stamps of RFC 7323: which one is echoed (§4.3), and which segments are too old (PAWS, §5)."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP
from scapy.packet import Packet

from .dialogue import Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")

OPTIONS = [("MSS", 1000), ("Timestamp", (1000, 0))]
MOST = 2**32 - 1


def connected(**parameters: object) -> TcpPeer:
    return TcpPeer(Dialogue("tcp-server", **parameters)).connects(OPTIONS)


def stamp(value: int) -> list[tuple[str, tuple[int, int]]]:
    return [("Timestamp", (value, 0))]


def echoed(answers: list[Packet]) -> int:
    """TSecr of the only answer."""
    (answer,) = answers
    return int(dict(answer[TCP].options)["Timestamp"][1])


def test_the_stamp_of_the_last_segment_in_turn_is_echoed() -> None:
    ours = connected()
    assert echoed(ours.sends(b"a", options=stamp(1001))) == 1001
    assert echoed(ours.sends(b"a", options=stamp(1001))) == 1001
    assert echoed(ours.sends(b"a", options=stamp(1000 + 2**31))) == 1000 + 2**31


def test_the_acknowledgment_of_the_handshake_has_a_stamp_to_echo() -> None:
    ours = TcpPeer(Dialogue("tcp-server"))
    (answer,) = ours.says("S", options=OPTIONS)
    ours.seq, ours.ack = ours.seq + 1, answer[TCP].seq + 1
    assert ours.says("A", options=stamp(1005)) == []
    assert echoed(ours.says("PA", b"x", seq=ours.seq + 1, options=stamp(1007))) == 1005


def test_a_segment_with_an_older_stamp_is_acknowledged_and_not_taken() -> None:
    """RFC 7323 §5.3, R1."""
    ours = connected()
    ours.sends(b"a" * 10, options=stamp(2000))
    (answer,) = ours.says("PA", b"b" * 10, options=stamp(1999))
    assert (str(answer[TCP].flags), answer[TCP].ack) == ("A", ours.seq)
    assert (ours.dialogue.count("bytes_received"), ours.dialogue.count("unexpected")) == (10, 1)
    assert echoed([answer]) == 2000
    assert echoed(ours.sends(b"b" * 10, options=stamp(2000))) == 2000


def test_stamps_are_compared_modulo_their_numbers() -> None:
    ours = TcpPeer(Dialogue("tcp-server")).connects([("Timestamp", (MOST, 0))])
    assert echoed(ours.sends(b"a", options=stamp(3))) == 3
    assert echoed(ours.says("PA", b"b", options=stamp(MOST))) == 3
    assert ours.dialogue.count("bytes_received") == 1


def test_an_old_acknowledgment_does_not_acknowledge() -> None:
    ours = connected(size=10)
    (data,) = ours.says("FA", options=stamp(1010))
    ours.seq += 1
    assert payload(data)
    ours.takes([data])
    assert flags(ours.says("A", options=stamp(1009))) == ["A"]
    assert ours.dialogue.count("bytes_delivered") == 0
    ours.says("A", options=stamp(1010))
    assert ours.dialogue.count("bytes_delivered") == 10


def test_a_segment_without_the_stamp_that_was_agreed_on_is_dropped_in_silence() -> None:
    """RFC 7323 §3.2."""
    ours = connected()
    assert ours.says("PA", b"x", options=[]) == []
    assert (ours.dialogue.count("bytes_received"), ours.dialogue.count("unexpected")) == (0, 1)
    assert echoed(ours.sends(b"x")) == 1000


def test_so_it_is_while_the_connection_opens() -> None:
    ours = TcpPeer(Dialogue("tcp-server"))
    (answer,) = ours.says("S", options=OPTIONS)
    ours.seq, ours.ack = ours.seq + 1, answer[TCP].seq + 1
    assert ours.says("A", options=[]) == []
    assert flags(ours.says("A", options=stamp(999))) == ["A"]
    assert ours.dialogue.count("established") == 0
    assert ours.says("A", options=stamp(1000)) == []
    assert ours.dialogue.count("established") == 1


def test_a_reset_needs_no_stamp() -> None:
    """RFC 7323 §3.2 and §5.2."""
    ours = connected()
    ours.sends(b"x", options=stamp(2000))
    assert ours.says("R", options=stamp(1)) == []
    assert ours.dialogue.interpreter.flows == {}


def test_what_comes_ahead_of_its_turn_leaves_the_stamp() -> None:
    """RFC 7323 §5.3, R3, so the time of the segment that was lost is measured."""
    ours = connected()
    assert echoed(ours.says("PA", b"b", seq=ours.seq + 1, options=stamp(1100))) == 1000
    assert echoed(ours.sends(b"a", options=stamp(1200))) == 1200


def test_of_segments_that_are_acknowledged_at_once_the_first_one_counts() -> None:
    """RFC 7323 §4.3: SEG.SEQ <= Last.ACK.sent."""
    ours = connected(ack_delay="5 ms")
    assert ours.sends(b"a", options=stamp(1100)) == ours.sends(b"b", options=stamp(1200)) == []
    assert echoed(ours.dialogue.waits(6)) == 1100
    assert ours.sends(b"c", options=stamp(1300)) == []
    assert echoed(ours.dialogue.waits(6)) == 1300


def test_an_old_duplicate_of_data_leaves_the_stamp() -> None:
    ours = connected()
    ours.sends(b"a" * 20, options=stamp(2000))
    assert echoed(ours.says("PA", b"a" * 10, seq=ours.seq - 20, options=stamp(2005))) == 2000


def test_stamps_that_were_not_agreed_on_mean_nothing() -> None:
    ours = TcpPeer(Dialogue("tcp-server", timestamps=0)).connects(OPTIONS)
    for value in (2**31 + 5, 5, MOST):
        (answer,) = ours.sends(b"x", options=stamp(value))
        assert dict(answer[TCP].options) == {}
    assert ours.dialogue.count("bytes_received") == 3
