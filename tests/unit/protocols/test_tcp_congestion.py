# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How much TCP has on its way: slow start, avoidance, and what a loss makes of the window (RFC 5681)."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP
from scapy.packet import Packet

from .dialogue import Dialogue, TcpPeer, payload

pytestmark = pytest.mark.usefixtures("machine")

MSS = 100
RTO_MS = 200


class Stream:
    """The segments of 100 bytes that a server sends, by the places where they begin, the first one at 0."""

    def __init__(self, **parameters: object) -> None:
        self.peer = TcpPeer(Dialogue("tcp-server", **{"size": 100_000, "mss": MSS, **parameters}))
        self.peer.connects([("MSS", MSS)])
        self.begin = self.peer.ack
        self.first = self._places(self.peer.says("FA"))
        self.peer.seq += 1

    def acknowledged(self, up_to: int) -> list[int]:
        """Acknowledges octets up to a place; returns the segments sent then."""
        return self._places(self.peer.says("A", ack=(self.begin + up_to) % 2**32))

    def each_acknowledged(self, first: int, last: int) -> list[int]:
        """Acknowledges one segment after the other; returns how many are sent for each."""
        return [len(self.acknowledged(place)) for place in range(first, last + 1, MSS)]

    def waits(self, ms: float) -> list[int]:
        return self._places(self.peer.dialogue.waits(ms))

    def _places(self, packets: list[Packet]) -> list[int]:
        return [(packet[TCP].seq - self.begin) % 2**32 for packet in packets if payload(packet)]


def places(first: int, last: int) -> list[int]:
    """Places of the segments from one place up to another."""
    return list(range(first, last, MSS))


@pytest.mark.parametrize(
    ("parameters", "octets"), [({}, 1000), ({"initial_window": 3}, 300), ({"flight": 400}, 400)]
)
def test_the_first_window_is_ten_segments_or_as_many_as_are_asked_for(
    parameters: dict[str, object], octets: int
) -> None:
    assert Stream(**parameters).first == places(0, octets)


def test_slow_start_adds_the_bytes_that_are_acknowledged() -> None:
    stream = Stream()
    assert stream.acknowledged(100) == places(1000, 1200)
    assert stream.acknowledged(150) == [1200]  # half of a segment makes room for one
    assert stream.acknowledged(1000) == places(1300, 3000)


def test_the_window_never_becomes_wider_than_flight() -> None:
    stream = Stream(flight=1200)
    assert stream.acknowledged(300) == places(1000, 1500)
    assert stream.acknowledged(1500) == places(1500, 2700)


def test_what_was_all_that_there_was_to_send_does_not_widen_the_window() -> None:
    peer = TcpPeer(Dialogue("http-server", body=250, mss=MSS)).connects([("MSS", MSS)])
    for _ in range(50):
        peer.takes(peer.sends(b"GET / HTTP/1.1\r\n\r\n"))
        peer.says("A")
    assert len([say for say in peer.sends(b"GET /5000 HTTP/1.1\r\n\r\n") if payload(say)]) == 10


def test_the_third_duplicate_halves_the_window_and_each_before_it_lets_one_segment_leave() -> None:
    """RFC 3042; what left so does not count when the window is halved."""
    stream = Stream()
    assert [stream.acknowledged(0) for _ in range(4)] == [[1000], [1100], [0], []]
    assert stream.acknowledged(700) == [700]  # a part: the next one that was lost
    assert stream.acknowledged(1200) == places(1200, 1700)


def test_avoidance_adds_one_segment_for_each_window_of_bytes() -> None:
    stream = Stream()
    for _ in range(3):
        stream.acknowledged(0)
    stream.acknowledged(1200)  # the window is 500
    assert stream.each_acknowledged(1300, 1700) == [1, 1, 1, 1, 2]
    assert stream.each_acknowledged(1800, 2300) == [1, 1, 1, 1, 1, 2]
    assert stream.each_acknowledged(2400, 3000) == [1, 1, 1, 1, 1, 1, 2]


def test_a_timeout_leaves_one_segment_and_slow_start_up_to_half_of_what_was_on_its_way() -> None:
    stream = Stream()
    assert stream.waits(RTO_MS) == [0]
    assert stream.each_acknowledged(100, 400) == [2, 2, 2, 2]
    assert stream.each_acknowledged(500, 900) == [1, 1, 1, 1, 2]


def test_a_second_timeout_leaves_the_end_of_slow_start_where_it_was() -> None:
    stream = Stream()
    assert stream.waits(RTO_MS) + stream.waits(2 * RTO_MS) == [0, 0]
    assert stream.each_acknowledged(100, 900) == [2, 2, 2, 2, 1, 1, 1, 1, 2]


def test_the_half_is_two_segments_at_least() -> None:
    stream = Stream(initial_window=2)
    assert stream.waits(RTO_MS) == [0]
    assert stream.each_acknowledged(100, 500) == [2, 1, 2, 1, 1]


def test_what_had_arrived_before_a_timeout_is_not_sent_again_and_widens_nothing() -> None:
    stream = Stream()
    assert stream.waits(RTO_MS) == [0]
    assert stream.acknowledged(800) == [800]
    assert stream.acknowledged(900) == places(900, 1100)


def test_duplicates_of_what_is_sent_again_after_a_timeout_are_no_loss() -> None:
    stream = Stream()
    assert stream.waits(RTO_MS) == [0]
    assert stream.acknowledged(100) == places(100, 300)
    assert [stream.acknowledged(100) for _ in range(4)] == [[]] * 4
    assert stream.acknowledged(300) == places(300, 700)


def test_a_stream_through_a_queue_that_is_too_short_arrives_without_a_timeout() -> None:
    """A device that keeps the first 20 segments of a burst; its receiver acknowledges each that comes."""
    stream = Stream(size=50_000)
    arrived: set[int] = set()
    burst, rounds = stream.first, 0
    while burst and rounds < 1000:
        acknowledged = []
        for place in burst[:20]:
            arrived.add(place)
            acknowledged.append(next(at for at in range(0, 50_001, MSS) if at not in arrived))
        burst, rounds = [place for up_to in acknowledged for place in stream.acknowledged(up_to)], rounds + 1
    assert arrived >= set(places(0, 50_000))
