# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The action `verify`: each byte of a body is a function of its place, and one that is not is counted."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP, UDP
from scapy.packet import Raw

from TesterLibrary.errors import PlanError
from TesterLibrary.model.message import FILL
from TesterLibrary.planning.prediction import lower
from TesterLibrary.protocols.checker import load_protocol

from .dialogue import LINK, OURS, PEER, Dialogue, TcpPeer

pytestmark = pytest.mark.usefixtures("machine")

OK = b"HTTP/1.1 200 OK\r\n"
OURS_SAYS = b"Content-Type: application/x-modulo-251\r\n"
SIZE = 6000
BODY = (FILL * (SIZE // len(FILL) + 1))[:SIZE]
ECHO = """\
version: 1
name: own
headers: Ether / IP / UDP(dport=9)
counters: [all, changed]
failures: [changed]
states: [idle]
table:
  - {in: idle, on: packet, do: [verify: {bytes: 8, from: 1, content: abc, compared: all, changed: changed}]}
"""


def asked(size: int, requests: int = 1) -> TcpPeer:
    """A server that has got the request of our client."""
    client = Dialogue("http-client", size=size, requests=requests)
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    server = TcpPeer(client, sport=80, dport=50_000)
    server.ack = syn[TCP].seq + 1
    request = server.says("SA", options=[("MSS", 1460)])
    server.seq += 1
    server.takes(request)
    return server


def connected_server() -> TcpPeer:
    return TcpPeer(Dialogue("http-server")).connects([("MSS", 1460)])


def answers(server: TcpPeer, answer: bytes, cuts: list[int]) -> None:
    edges = [
        0,
        *sorted({min(cut, len(answer)) for cut in cuts} | set(range(1400, len(answer), 1400))),
        len(answer),
    ]
    for begin, end in pairwise(edges):
        if begin < end:
            server.sends(answer[begin:end])


def counts(dialogue: Dialogue) -> tuple[int, int]:
    return dialogue.count("verified"), dialogue.count("changed")


def chunked(body: bytes, size: int) -> bytes:
    pieces = (body[place : place + size] for place in range(0, len(body), size))
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    cuts=st.lists(st.integers(1, SIZE), max_size=5),
    place=st.integers(0, SIZE - 1),
    flip=st.integers(0, 255),
    form=st.sampled_from(["length", "chunks", "until the end"]),
)
def test_one_byte_that_is_another_is_found(cuts: list[int], place: int, flip: int, form: str) -> None:
    body = BODY[:place] + bytes([BODY[place] ^ flip]) + BODY[place + 1 :]
    head = {
        "length": OK + OURS_SAYS + b"Content-Length: %d\r\n\r\n" % SIZE + body,
        "chunks": OK + OURS_SAYS + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(body, 700),
        "until the end": OK + OURS_SAYS + b"\r\n" + body,
    }
    server = asked(SIZE)
    answers(server, head[form], cuts)
    assert counts(server.dialogue) == (SIZE, 1 if flip else 0)


def test_a_page_in_the_place_of_another_is_found() -> None:
    page = 4096
    body = (FILL * 40)[: 2 * page]
    server = asked(2 * page)
    head = OK + OURS_SAYS + b"Content-Length: %d\r\n\r\n" % len(body)
    answers(server, head + body[page:] + body[:page], [])
    assert counts(server.dialogue) == (2 * page, 2 * page)


def test_a_body_of_another_server_is_not_compared() -> None:
    server = asked(10)
    answers(server, OK + b"Content-Length: 10\r\n\r\n0123456789", [])
    assert counts(server.dialogue) == (0, 0)
    assert server.dialogue.count("completed") == 1


def test_each_response_of_a_connection_is_told_anew() -> None:
    server = asked(10, requests=3)
    for whose in (OURS_SAYS, b"", OURS_SAYS):
        server.takes(server.sends(OK + whose + b"Content-Length: 10\r\n\r\n" + b"x" + FILL[1:10]))
    assert counts(server.dialogue) == (20, 2)


@pytest.mark.parametrize("first", [8, 1000])
def test_a_stream_of_tcp_clients_is_known_by_how_it_begins(first: int) -> None:
    server = TcpPeer(Dialogue("tcp-server")).connects([("MSS", 1460)])
    stream = (FILL * 10)[:2000]
    server.sends(stream[:first])
    server.sends(stream[first:1500])
    server.sends(b"\xff" + stream[1501:])
    assert counts(server.dialogue) == (2000, 1)


def test_a_stream_of_others_is_not_compared() -> None:
    server = TcpPeer(Dialogue("tcp-server")).connects([("MSS", 1460)])
    server.sends(FILL[:7] + b"x" * 100)
    server.sends(FILL)
    assert counts(server.dialogue) == (0, 0)


def test_a_changed_byte_at_the_begin_does_not_hide_a_stream() -> None:
    server = TcpPeer(Dialogue("tcp-server")).connects([("MSS", 1460)])
    server.sends(b"\xff" + FILL[1:])
    server.sends(FILL)
    assert counts(server.dialogue) == (2 * len(FILL), 1)


@pytest.mark.parametrize("place", [1000, 1999])
@pytest.mark.parametrize("first", [0, 500], ids=["before all others", ""])
@pytest.mark.parametrize("again", [False, True], ids=["", "sent again"])
def test_bytes_before_their_turn_are_compared_as_they_come(place: int, first: int, again: bool) -> None:
    """The early segment is held by its numbers; what overlaps it later hides nothing."""
    server = TcpPeer(Dialogue("tcp-server")).connects([("MSS", 1460)])
    begin, stream = server.seq, (FILL * 10)[:2000]
    changed = stream[:place] + bytes([stream[place] ^ 1]) + stream[place + 1 :]
    if first:
        server.sends(stream[:first])
    server.says("PA", changed[1000:2000], seq=begin + 1000)
    server.says("PA", stream[first:1000], seq=begin + first)
    if again:
        server.says("PA", stream[1000:2000], seq=begin + 1000)
    assert counts(server.dialogue) == (2000, 1)
    assert server.dialogue.count("bytes_received") == 2000


def test_early_bytes_that_are_dropped_are_compared_too() -> None:
    """No more than two blocks are kept, so the third one comes again, and is right then."""
    server = TcpPeer(Dialogue("tcp-server")).connects([("MSS", 1460)])
    begin, stream = server.seq, (FILL * 10)[:1000]
    for place, octet in ((200, b""), (400, b""), (600, b"\xff")):
        server.says("PA", (octet + stream[place + len(octet) :])[:100], seq=begin + place)
    server.says("PA", stream, seq=begin)
    assert counts(server.dialogue) == (1300, 1)


def test_early_bytes_of_others_are_not_compared() -> None:
    server = TcpPeer(Dialogue("tcp-server")).connects([("MSS", 1460)])
    begin = server.seq
    server.says("PA", b"x" * 100, seq=begin + 100)
    server.says("PA", FILL[:7] + b"x" * 93, seq=begin)
    server.says("PA", FILL, seq=begin + 300)
    assert counts(server.dialogue) == (0, 0)


@pytest.mark.parametrize("early", [0, 1460, 4000])
@pytest.mark.parametrize("form", ["length", "until the end"])
def test_a_body_before_its_turn_is_compared_as_it_comes(early: int, form: str) -> None:
    """Also before the head, where a server of our own is the source."""
    length = b"Content-Length: %10d\r\n" % SIZE if form == "length" else b""
    head = OK + b"Server: TesterLibrary\r\n" + OURS_SAYS + length + b"\r\n"
    server = asked(SIZE)
    begin = server.seq
    body = BODY[:5000] + bytes([BODY[5000] ^ 1]) + BODY[5001:]
    whole = head + BODY
    if early:
        server.says("A", whole[:early], seq=begin)
    server.says("A", (head + body)[4200:], seq=begin + 4200)
    server.says("A", whole[early:4200], seq=begin + early)
    server.says("A", whole[4200:], seq=begin + 4200)
    is_seen = early > 0 or form == "length"
    assert server.dialogue.count("changed") == (1 if is_seen else 0)


def test_the_head_of_our_server_has_the_length_that_the_client_expects() -> None:
    server = connected_server()
    (answer,) = server.says("PA", b"GET /5 HTTP/1.1\r\nHost: a\r\n\r\n")
    head, _, body = bytes(answer[TCP].payload).partition(b"\r\n\r\n")
    table = (Path(__file__).parents[3] / "resources" / "protocols" / "http-client.yaml").read_text()
    assert f"OWN_HEAD: {len(head) + 4} " in table
    assert body == FILL[:5]


@pytest.mark.parametrize(("place", "seen"), [(100, 1), (699, 1)])
def test_bytes_of_a_chunk_before_their_turn_are_compared(place: int, seen: int) -> None:
    server = asked(SIZE)
    begin = server.seq
    head = OK + OURS_SAYS + b"Transfer-Encoding: chunked\r\n\r\n"
    whole = head + chunked(BODY, 700)
    body_begin = len(head) + len(b"2bc\r\n")
    changed = bytearray(whole)
    changed[body_begin + place] ^= 1
    server.says("A", whole[: body_begin + 50], seq=begin)
    server.says("A", bytes(changed[body_begin + 90 : body_begin + 700]), seq=begin + body_begin + 90)
    server.says("A", whole[body_begin + 50 : body_begin + 90], seq=begin + body_begin + 50)
    assert server.dialogue.count("changed") == seen


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "own.yaml"
    file.write_text(ECHO)
    return file


@pytest.mark.parametrize(
    ("payload", "compared", "changed"),
    [(b"bcabcabcab", 8, 0), (b"bcaxcaxc", 8, 2), (b"bca", 3, 0), (b"", 0, 0)],
)
def test_a_table_of_ones_own_says_what_is_right(
    own: Path, payload: bytes, compared: int, changed: int
) -> None:
    dialogue = Dialogue(str(own))
    packet = LINK / IP(src=PEER, dst=OURS) / UDP(sport=5, dport=9)
    dialogue.hears(packet / Raw(payload) if payload else packet)
    assert (dialogue.count("all"), dialogue.count("changed")) == (compared, changed)


def test_a_counter_that_is_not_there_is_refused(own: Path) -> None:
    own.write_text(ECHO.replace("changed: changed}", "changed: other}"))
    with pytest.raises(PlanError, match="'other'"):
        load_protocol(str(own))


def test_a_switch_refuses_it(own: Path) -> None:
    with pytest.raises(PlanError, match="payload"):
        lower(load_protocol(str(own)), "tofino")
