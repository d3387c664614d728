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
