# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Data that arrives before its turn: two blocks of it are kept by their numbers, and told to the peer."""

from __future__ import annotations

from itertools import permutations

import pytest
from scapy.layers.inet import TCP
from scapy.packet import Packet

from TesterLibrary.model.message import FILL

from .dialogue import Dialogue, TcpPeer, payload

pytestmark = pytest.mark.usefixtures("machine")

SACK = [("SAckOK", b"")]
STAMPED = [*SACK, ("Timestamp", (7, 0))]
HTTP = b"GET /300 HTTP/1.1\r\nHost: a\r\n\r\n"


def connected(protocol: str = "tcp-server", options: object = SACK, **parameters: object) -> TcpPeer:
    return TcpPeer(Dialogue(protocol, **parameters)).connects(options)


def says(peer: TcpPeer, begin: int, end: int, flags: str = "PA") -> tuple[int, list[tuple[int, int]]]:
    """Bytes from one position of the stream up to another: the position and the blocks of the answer."""
    (answer,) = peer.says(flags, b"x" * (end - begin), seq=(peer.seq + begin) % 2**32)
    return read(peer, answer)


def read(peer: TcpPeer, answer: Packet) -> tuple[int, list[tuple[int, int]]]:
    given = dict(answer[TCP].options).get("SAck", ())
    edges = [(edge - peer.seq) % 2**32 for edge in given]
    return (answer[TCP].ack - peer.seq) % 2**32, list(zip(edges[::2], edges[1::2], strict=True))


@pytest.fixture(params=[1000, 2**32 - 150], ids=["", "wrapped"])
def peer(request: pytest.FixtureRequest) -> TcpPeer:
    """Sequence numbers begin anew within what it sends, or do not."""
    return TcpPeer(Dialogue("tcp-server"), isn=request.param - 1).connects(SACK)


def test_what_closes_the_gap_brings_what_was_held(peer: TcpPeer) -> None:
    assert says(peer, 100, 200) == (0, [(100, 200)])
    assert says(peer, 200, 350) == (0, [(100, 350)])
    assert says(peer, 0, 100) == (350, [])
    assert peer.dialogue.count("bytes_received") == 350
    assert peer.dialogue.count("out_of_order") == 2
    assert says(peer, 350, 400) == (400, [])


def test_a_block_grows_at_either_end_and_whatever_overlaps(peer: TcpPeer) -> None:
    assert says(peer, 200, 300) == (0, [(200, 300)])
    assert says(peer, 150, 200) == (0, [(150, 300)])
    assert says(peer, 250, 320) == (0, [(150, 320)])
    assert says(peer, 140, 160) == (0, [(140, 320)])
    assert says(peer, 160, 310) == (0, [(140, 320)])
    assert says(peer, 130, 330) == (0, [(130, 330)])
    assert says(peer, 0, 60) == (60, [])
    assert says(peer, 60, 135) == (330, [])
    assert peer.dialogue.count("bytes_received") == 330


def test_behind_a_second_gap_is_another_block(peer: TcpPeer) -> None:
    says(peer, 100, 200)
    assert says(peer, 300, 400) == (0, [(300, 400)])
    assert says(peer, 250, 350) == (0, [(250, 400)])
    assert says(peer, 380, 450) == (0, [(250, 450)])
    assert says(peer, 240, 460) == (0, [(240, 460)])
    assert says(peer, 300, 350) == (0, [(240, 460)])
    assert says(peer, 0, 100) == (200, [])
    assert says(peer, 500, 600) == (200, [(500, 600)])
    assert says(peer, 200, 240) == (460, [])
    assert says(peer, 460, 500) == (600, [])
    assert peer.dialogue.count("bytes_received") == 600


@pytest.mark.parametrize("closing", [(200, 300), (150, 310), (200, 400), (100, 450)])
def test_what_closes_the_gap_between_them_joins_both(peer: TcpPeer, closing: tuple[int, int]) -> None:
    says(peer, 100, 200)
    says(peer, 300, 400)
    assert says(peer, *closing) == (0, [(100, max(400, closing[1]))])
    assert says(peer, 600, 700) == (0, [(600, 700)])
    assert says(peer, 0, 100) == (max(400, closing[1]), [])


def test_what_comes_between_two_gaps_is_the_first_block_then(peer: TcpPeer) -> None:
    says(peer, 300, 400)
    assert says(peer, 100, 200) == (0, [(100, 200)])
    assert says(peer, 0, 100) == (200, [])
    assert says(peer, 200, 300) == (400, [])


def test_what_is_beside_two_blocks_is_dropped(peer: TcpPeer) -> None:
    says(peer, 200, 300)
    says(peer, 400, 500)
    assert says(peer, 600, 700) == (0, [(400, 500)])
    assert says(peer, 50, 100) == (0, [(200, 300)])
    assert says(peer, 0, 50) == (50, [])
    assert says(peer, 50, 200) == (300, [])
    assert says(peer, 300, 400) == (500, [])
    assert says(peer, 500, 600) == (600, [])


def test_one_segment_has_both_blocks(peer: TcpPeer) -> None:
    says(peer, 100, 200)
    says(peer, 300, 400)
    assert says(peer, 0, 350) == (350, [])
    assert says(peer, 350, 500) == (500, [])
    assert says(peer, 700, 800) == (500, [(700, 800)])
    assert says(peer, 500, 700) == (800, [])
    assert peer.dialogue.count("bytes_received") == 800


def test_a_segment_that_has_all_that_was_held_and_more(peer: TcpPeer) -> None:
    says(peer, 100, 200)
    assert says(peer, 0, 250) == (250, [])
    assert says(peer, 400, 500) == (250, [(400, 500)])
    assert says(peer, 200, 500) == (500, [])
    assert peer.dialogue.count("bytes_received") == 500


def test_what_came_before_and_the_gap_in_one_segment(peer: TcpPeer) -> None:
    says(peer, 0, 50)
    says(peer, 100, 200)
    assert says(peer, 20, 130) == (200, [])
    assert peer.dialogue.count("bytes_received") == 200


def test_overlapping_data_is_taken_once_where_numbers_begin_anew(peer: TcpPeer) -> None:
    says(peer, 0, 140)
    assert says(peer, 100, 200) == (200, [])
    assert peer.dialogue.count("bytes_received") == 200


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_no_order_of_four_segments_loses_one(order: tuple[int, ...]) -> None:
    peer = connected()
    for number in order:
        says(peer, 100 * number, 100 * (number + 1))
    assert says(peer, 400, 401) == (401, [])
    assert peer.dialogue.count("bytes_received") == 401


def test_without_the_option_the_acknowledgment_has_no_block_but_the_bytes_are_held() -> None:
    peer = connected(options=[])
    assert says(peer, 100, 200) == (0, [])
    assert says(peer, 0, 100) == (200, [])


def test_blocks_go_with_time_stamps() -> None:
    peer = connected(options=STAMPED)
    stamp = [("Timestamp", (9, 0))]
    (answer,) = peer.says("PA", b"x" * 10, seq=peer.seq + 5, options=stamp)
    names = [name for name, _ in answer[TCP].options]
    assert names == ["NOP", "NOP", "Timestamp", "NOP", "NOP", "SAck"]
    assert read(peer, answer) == (0, [(5, 15)])
    # What is ahead of its turn does not tell the time (RFC 7323 §4.3).
    assert dict(answer[TCP].options)["Timestamp"][1] == 7


def test_a_fin_that_came_before_its_turn_comes_again() -> None:
    peer = connected()
    assert says(peer, 100, 200, "FPA") == (0, [(100, 200)])
    assert says(peer, 0, 100) == (200, [])
    answers = peer.says("FPA", b"x" * 100, seq=peer.seq + 100)
    assert [(str(answer[TCP].flags), answer[TCP].ack - peer.seq) for answer in answers] == [
        ("A", 200),
        ("FA", 201),
    ]
    assert peer.dialogue.count("bytes_received") == 200


def test_data_beyond_the_window_is_not_held() -> None:
    peer = connected(window=1000, window_scale=0)
    assert says(peer, 1000, 1100) == (0, [])
    assert says(peer, 999, 1100) == (0, [(999, 1100)])


def test_a_connection_that_follows_holds_nothing_of_the_one_before() -> None:
    peer = connected()
    says(peer, 100, 200)
    peer.says("R")
    peer.seq -= 1
    peer.connects(SACK)
    assert says(peer, 0, 100) == (100, [])


def test_a_body_goes_on_behind_the_gap_and_a_head_is_sent_again() -> None:
    """Octets behind a gap were never examined: they can be counted, not read."""
    body = connected("http-server")
    request = b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n"
    length = len(request)
    assert says(body, length, length + 60) == (0, [(length, length + 60)])
    (answer,) = body.says("PA", request)
    assert read(body, answer) == (length + 60, [])
    answers = body.says("PA", b"x" * 40, seq=body.seq + length + 60)
    assert b"200 OK" in b"".join(map(payload, answers))

    head = connected("http-server")
    head.says("PA", HTTP[10:], seq=head.seq + 10)
    (answer,) = head.says("PA", HTTP[:10])
    assert read(head, answer) == (10, [])
    assert head.dialogue.count("responses") == 0
    answers = head.says("PA", HTTP[10:], seq=head.seq + 10)
    assert b"".join(map(payload, answers)).endswith(FILL + FILL[:49])


def test_nothing_behind_the_end_of_a_request_is_taken_for_it() -> None:
    """The server answers one request at a time: of two in the wrong order the second comes again."""
    peer = connected("http-server")
    length = len(HTTP)
    peer.says("PA", HTTP, seq=peer.seq + length)
    answers = peer.says("PA", HTTP)
    assert b"".join(map(payload, answers)).count(b"200 OK") == 1
    assert read(peer, answers[-1]) == (length, [])
    assert peer.dialogue.count("requests") == 1
