# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The retransmission time by measured round trips (RFC 6298)."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP

from .dialogue import Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")


def chatting(**parameters: object) -> TcpPeer:
    """A client of HTTP whose messages are one segment each."""
    client = Dialogue("http-client", requests=1000, request_timeout="1000 s", **parameters)
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    ours = TcpPeer(client, sport=80, dport=50_000, isn=9000)
    ours.ack = syn[TCP].seq + 1
    return ours


def answers(ours: TcpPeer, ms: float) -> None:
    """The response to a request after so much time, which brings the next request."""
    assert ours.dialogue.waits(ms) == []
    sent = ours.sends(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    (request,) = (packet for packet in sent if payload(packet))
    ours.takes([request])


def opened(ours: TcpPeer) -> TcpPeer:
    (request, *_) = (packet for packet in ours.says("SA") if payload(packet))
    ours.seq += 1
    ours.takes([request])
    return ours


def retransmitted_after(ours: TcpPeer) -> float:
    """Milliseconds until the segment on its way is sent again."""
    begun = ours.dialogue.ms
    while not ours.dialogue.waits(1):
        assert ours.dialogue.ms < begun + 100_000
    return ours.dialogue.ms - begun


def test_short_round_trips_leave_the_least_time() -> None:
    ours = opened(chatting(size=0))
    for _ in range(5):
        answers(ours, 2)
    assert retransmitted_after(ours) == 200


def test_the_first_round_trip_counts_three_times() -> None:
    """RFC 6298 §2.2: SRTT = R, RTTVAR = R / 2, RTO = SRTT + 4 RTTVAR."""
    ours = opened(chatting(size=0))
    answers(ours, 100)
    assert retransmitted_after(ours) == 300


def test_round_trips_that_are_alike_narrow_the_time() -> None:
    """RFC 6298 §2.3, in eighths and quarters of a millisecond."""
    ours = opened(chatting(size=0))
    srtt, rttvar = 0, 0
    for ms in (150, 150, 150, 190, 90, 150):
        answers(ours, ms)
        if not srtt:
            srtt, rttvar = ms * 8, ms * 2
        else:
            rttvar = rttvar * 3 // 4 + abs(srtt // 8 - ms)
            srtt = srtt * 7 // 8 + ms
    assert retransmitted_after(ours) == max(200, srtt // 8 + rttvar)
    assert srtt // 8 + rttvar > 200


def test_what_was_sent_twice_is_not_measured() -> None:
    """Karn's algorithm, RFC 6298 §3."""
    ours = opened(chatting(size=0))
    answers(ours, 100)
    assert retransmitted_after(ours) == 300
    answers(ours, 1)
    assert retransmitted_after(ours) == 300


def test_after_a_syn_that_was_sent_twice_data_waits_three_seconds() -> None:
    """RFC 6298 §5.7: a path with a long delay sees data once."""
    ours = chatting(size=0)
    assert flags(ours.dialogue.waits(250)) == ["S"]
    opened(ours)
    assert ours.dialogue.waits(2999) == []
    assert len(ours.dialogue.waits(1)) == 1


def test_a_path_with_a_long_delay_sees_no_segment_twice_but_the_syn() -> None:
    ours = chatting(size=0)
    assert flags(ours.dialogue.waits(350)) == ["S"]
    opened(ours)
    for _ in range(10):
        answers(ours, 350)
    assert ours.dialogue.count("retransmitted") == 1
    assert 350 < retransmitted_after(ours) < 600


def test_a_server_knows_a_long_delay_by_its_syn_too() -> None:
    ours = TcpPeer(Dialogue("tcp-server", size=100))
    (answer,) = ours.says("S")
    assert flags(ours.dialogue.waits(300)) == ["SA"]
    ours.seq, ours.ack = ours.seq + 1, answer[TCP].seq + 1
    assert [len(payload(packet)) for packet in ours.says("FA")] == [100]
    assert ours.dialogue.waits(2999) == []
    assert len(ours.dialogue.waits(1)) == 1


def test_of_a_long_message_one_round_trip_of_each_is_measured() -> None:
    ours = TcpPeer(Dialogue("tcp-server", size=100_000, initial_window=1)).connects([("MSS", 1000)])
    sent = ours.says("FA")
    ours.seq += 1
    for _ in range(4):
        assert ours.dialogue.waits(150) == []
        ours.takes(sent)
        sent = ours.says("A")
    # 150 four times: RTTVAR is 75, then three quarters of it each time
    begun = ours.dialogue.ms
    while not ours.dialogue.waits(1):
        pass
    assert ours.dialogue.ms - begun == 150 + 300 * 3 // 4 * 3 // 4 * 3 // 4


def test_the_time_has_a_bound() -> None:
    """RFC 6298 §2.5."""
    ours = opened(chatting(size=0, rto="30 s"))
    answers(ours, 29_000)
    assert retransmitted_after(ours) == 60_000
