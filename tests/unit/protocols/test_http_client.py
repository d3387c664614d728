# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The client of HTTP completes every response that RFC 9112 allows, and no other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import TCP

from TesterLibrary.protocols.checker import load_protocol

from .dialogue import Dialogue, TcpPeer, flags

pytestmark = pytest.mark.usefixtures("machine")

OK = b"HTTP/1.1 200 OK\r\n"
TEN = b"Content-Length: 10\r\n\r\n0123456789"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH = OK + TEN
FAILURES = load_protocol("http-client").failures
RIGHT = {
    "a length": LENGTH,
    "a length, with blanks": OK + b"content-length: \t 10 \t\r\n\r\n0123456789",
    "no reason": b"HTTP/1.1 200\r\n" + TEN,
    "one chunk": CHUNKED + b"a\r\n0123456789\r\n0\r\n\r\n",
    "many chunks": CHUNKED + b"1\r\n0\r\n008\r\n12345678\r\n1\r\n9\r\n000\r\n\r\n",
    "chunks with extensions and trailers": CHUNKED
    + b'A;x=y\r\n0123456789\r\n0;last="a;b"\r\nX: 1\r\n12: 3\r\n\r\n',
    "chunks without a blank": OK + b"transfer-encoding:Chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n",
    "100 first": b"HTTP/1.1 100 Continue\r\n\r\n" + LENGTH,
    "103 first, with fields": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 3\r\n\r\n" + LENGTH,
    "two before chunks": b"HTTP/1.1 100 \r\n\r\n" * 2 + CHUNKED + b"a\r\n0123456789\r\n0\r\n\r\n",
}
WRONG = {
    "another status": (b"HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\n0123456789", "refused"),
    "another length": (OK + b"Content-Length: 9\r\n\r\n012345678", "other_length"),
    "no content": (OK + b"Content-Length: 0\r\n\r\n", "other_length"),
    "more than the length": (LENGTH + b"x", "surplus"),
    "two lengths": (OK + b"Content-Length: 10\r\nContent-Length: 11\r\n\r\n0123456789", "malformed"),
    "three lengths": (OK + b"Content-Length: 10\r\n" * 3 + b"\r\n0123456789", "malformed"),
    "five lengths": (OK + b"Content-Length: 10\r\n" * 5 + b"\r\n0123456789", "malformed"),
    "a list of lengths": (OK + b"Content-Length: 10, 10\r\n\r\n0123456789", "malformed"),
    "a length without digits": (OK + b"Content-Length: \r\n\r\n0123456789", "malformed"),
    "a negative length": (OK + b"Content-Length: -10\r\n\r\n0123456789", "malformed"),
    "a length with a unit": (OK + b"Content-Length: 10b\r\n\r\n0123456789", "malformed"),
    "a length of 2^32 + 10": (OK + b"Content-Length: 4294967306\r\n\r\n0123456789", "malformed"),
    "a length of 2^64 + 10": (OK + b"Content-Length: 18446744073709551626\r\n\r\n0123456789", "malformed"),
    "a length and chunks": (CHUNKED[:-2] + TEN, "malformed"),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "malformed"),
    "HTTP/2": (b"HTTP/2 200 OK\r\n" + TEN, "malformed"),
    "a protocol that nobody asked for": (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "refused",
    ),
    "a head without end": (OK + b"x" * 8192, "malformed"),
    "a chunk of letters": (CHUNKED + b"xyz\r\n", "malformed"),
    "a chunk without a number": (CHUNKED + b"\r\n0123456789", "malformed"),
    "a chunk of 2^32 + 10": (CHUNKED + b"10000000a\r\n", "malformed"),
    "a chunk in decimal": (CHUNKED + b"10\r\n0123456789\r\n0\r\n\r\n", "other_length"),
    "a chunk that goes on": (CHUNKED + b"a\r\n0123456789x\r\n", "malformed"),
    "a chunk with an extension without end": (CHUNKED + b"a;" + b"x" * 1024, "malformed"),
    "too few chunks": (CHUNKED + b"9\r\n012345678\r\n0\r\n\r\n", "other_length"),
    "too many chunks": (CHUNKED + b"9\r\n012345678\r\n2\r\n", "other_length"),
    "more than the last chunk": (CHUNKED + b"a\r\n0123456789\r\n0\r\n\r\nx", "surplus"),
    "another coding": (OK + b"Transfer-Encoding: gzip\r\n\r\n", "coded"),
    "two codings": (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", "coded"),
    "more than fits until the end": (OK + b"\r\n0123456789x", "other_length"),
}


def asked(**parameters: object) -> tuple[TcpPeer, bytes]:
    """A server that has got a request of our client."""
    client = Dialogue("http-client", **parameters)
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    server = TcpPeer(client, sport=80, dport=50_000)
    server.ack = syn[TCP].seq + 1
    request = server.says("SA", options=[("MSS", 1460)])
    server.seq += 1
    assert flags(request) == ["A"]  # with the acknowledgment of the SYN
    return server, server.takes(request)


def failed(server: TcpPeer) -> dict[str, int]:
    """The failures of the client, by counter."""
    counted = {name: server.dialogue.count(name) for name in FAILURES}
    return {name: count for name, count in counted.items() if count}


def answered(answer: bytes, *cuts: int, ends: bool = False, **parameters: object) -> TcpPeer:
    """A server whose answer was cut at these bytes, and with `ends` was the last that it sends."""
    server, _ = asked(size=10, **parameters)
    edges = [0, *sorted(min(cut, len(answer)) for cut in cuts), len(answer)]
    for begin, end in pairwise(edges):
        for start in range(begin, end, 1400):
            server.sends(answer[start : min(start + 1400, end)])
    if ends:
        server.says("FA")
        server.seq += 1
    return server


def test_a_client_asks_as_often_as_told_and_closes() -> None:
    server, request = asked(requests=2, size=10)
    assert request.startswith(b"GET /0000000010 HTTP/1.1\r\nHost: ")
    server.dialogue.ms += 3
    again = server.takes(server.sends(LENGTH))
    assert again == request
    server.dialogue.ms += 4
    last = server.sends(LENGTH)
    assert "F" in flags(last)[-1]
    assert (server.dialogue.count("completed"), server.dialogue.count("finished")) == (2, 1)
    assert server.dialogue.took("time_to_last_byte") == 3000 + 4000


@pytest.mark.parametrize("answer", RIGHT.values(), ids=RIGHT)
@pytest.mark.parametrize("requests", [1, 3])
def test_every_response_that_is_allowed_completes(answer: bytes, requests: int) -> None:
    server, _ = asked(requests=requests, size=10)
    for _ in range(requests):
        server.takes(server.sends(answer))
    assert (server.dialogue.count("completed"), failed(server)) == (requests, {})
    assert server.dialogue.count("finished") == 1


@pytest.mark.parametrize(
    "head",
    [OK, b"HTTP/1.0 200 OK\r\n", OK + b"Connection: close\r\n"],
    ids=["HTTP/1.1", "HTTP/1.0", "said"],
)
@pytest.mark.parametrize("requests", [1, 3])
def test_a_response_may_end_with_its_connection(head: bytes, requests: int) -> None:
    server = answered(head + b"\r\n0123456789", 30, ends=True, requests=requests)
    assert (server.dialogue.count("completed"), server.dialogue.count("finished")) == (1, 1)
    assert failed(server) == {}


def test_the_last_bytes_may_come_with_the_end_of_the_connection() -> None:
    server = answered(OK + b"\r\n01234")
    server.says("FPA", b"56789")
    assert (server.dialogue.count("completed"), failed(server)) == (1, {})


def test_no_more_is_asked_of_a_server_of_http_1_0() -> None:
    server = answered(b"HTTP/1.0 200 OK\r\n" + TEN, requests=3)
    assert (server.dialogue.count("completed"), server.dialogue.count("finished")) == (1, 1)


@pytest.mark.parametrize(("answer", "name"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("requests", [1, 3])
def test_every_other_response_fails_by_name(answer: bytes, name: str, requests: int) -> None:
    server = answered(answer, requests=requests)
    completed = int(answer.startswith(LENGTH) or answer.endswith(b"0\r\n\r\nx"))
    if name == "surplus" and requests > 1:
        server.sends(b"yz" + b"\r\n\r\n")  # it stands where the head of the next response should be
        name = "malformed"
    assert failed(server) == {name: 1}
    assert (server.dialogue.count("completed"), server.dialogue.count("finished")) == (
        completed,
        completed if requests == 1 else 0,
    )


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (b"", "lost"),
        (OK + b"Content-Length: 10\r\n", "lost"),
        (LENGTH[:-1], "lost"),
        (CHUNKED, "lost"),
        (CHUNKED + b"a\r\n01234", "lost"),
        (CHUNKED + b"a\r\n0123456789", "lost"),
        (CHUNKED + b"a\r\n0123456789\r\n0\r\n", "lost"),
        (OK + b"\r\n012345678", "other_length"),
        (OK + b"\r\n", "other_length"),
    ],
)
def test_what_ends_too_early_is_a_failure(answer: bytes, name: str) -> None:
    server = answered(answer, ends=True)
    assert (failed(server), server.dialogue.count("completed")) == ({name: 1}, 0)


@pytest.mark.parametrize("answer", [RIGHT["chunks with extensions and trailers"], RIGHT["100 first"]])
def test_a_response_may_be_split_at_every_byte(answer: bytes) -> None:
    server = answered(answer, *range(1, len(answer)))
    assert (server.dialogue.count("completed"), failed(server)) == (1, {})


@pytest.mark.parametrize("answer", RIGHT.values(), ids=RIGHT)
def test_a_response_of_any_length_completes_where_the_length_is_not_compared(answer: bytes) -> None:
    server, _ = asked(size=77, any_size=1)
    server.sends(answer)
    assert (server.dialogue.count("completed"), failed(server)) == (1, {})


def test_until_the_end_of_a_connection_any_length_completes_too() -> None:
    server, _ = asked(size=77, any_size=1)
    server.sends(OK + b"\r\n" + b"x" * 99)
    server.sends(b"x" * 99)
    server.says("FA")
    assert (server.dialogue.count("completed"), failed(server)) == (1, {})


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"H",
        b"garbage",
        OK,
        b"HTTP/1.1 100 Continue\r\n\r\n",
        OK + b"Content-Length: 10\r\n\r\n",
        LENGTH[:-1],
        CHUNKED,
        CHUNKED + b"a\r\n01",
        CHUNKED + b"a\r\n0123456789",
        CHUNKED + b"a\r\n0123456789\r\n0\r\n",
        OK + b"\r\n0123456789",
    ],
)
def test_a_request_that_is_not_answered_in_time_fails(answer: bytes) -> None:
    server = answered(answer, request_timeout="5 s")
    server.says("A")
    assert server.dialogue.waits(4990) == []
    assert flags(server.dialogue.waits(20)) == ["RA"]
    assert server.dialogue.count("timed_out") == 1
    assert server.dialogue.count("completed") == 0
    assert server.dialogue.interpreter.flows == {}


def test_a_head_that_trickles_is_not_waited_for_but_a_body_is() -> None:
    server, _ = asked(size=10, request_timeout="5 s")
    for octet in LENGTH[:10]:
        server.dialogue.waits(490)
        server.sends(bytes([octet]))
    server.sends(LENGTH[10:-10])
    for octet in LENGTH[-10:]:
        server.dialogue.waits(4900)
        server.sends(bytes([octet]))
    assert (server.dialogue.count("completed"), failed(server)) == (1, {})


def test_garbage_without_end_keeps_no_connection_open() -> None:
    server, _ = asked(size=10, request_timeout="5 s")
    sent = []
    for _ in range(100):
        sent += server.dialogue.waits(100)
        sent += server.sends(b"?")
    assert "RA" in flags(sent)
    assert server.dialogue.count("timed_out") == 1


def test_each_request_has_its_own_time() -> None:
    server, _ = asked(requests=3, size=10, request_timeout="5 s")
    for _ in range(3):
        server.dialogue.waits(4900)
        server.takes(server.sends(LENGTH))
    server.dialogue.waits(60_000)
    assert (server.dialogue.count("completed"), server.dialogue.count("timed_out")) == (3, 0)


BODY = st.binary(min_size=10, max_size=10)
FIELD = st.sampled_from([b"X: y\r\n", b"Server: nginx/1.22\r\n", b"X-Content-Length: 3\r\n", b"A:\t\r\n"])


@st.composite
def responses(draw: st.DrawFn) -> bytes:
    """A response that is right, in one of its forms."""
    body = draw(BODY)
    fields = draw(st.lists(FIELD, max_size=3))
    interim = draw(
        st.sampled_from([b"", b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 102 P\r\nA: b\r\n\r\n"])
    )
    if draw(st.booleans()):
        given = draw(st.sampled_from([b"Content-Length: %d\r\n", b"CONTENT-LENGTH:000%d \r\n"])) % len(body)
        return interim + OK + b"".join(draw(st.permutations([given, *fields]))) + b"\r\n" + body
    edges = [0, *sorted(draw(st.sets(st.integers(1, 9)))), 10]
    sizes = draw(st.sampled_from([b"%x", b"%X", b"00%x", b"%x;a=b", b"%x ;a"]))
    chunks = b"".join(
        sizes % (end - begin) + b"\r\n" + body[begin:end] + b"\r\n" for begin, end in pairwise(edges)
    )
    trailer = b"".join(draw(st.lists(FIELD, max_size=2)))
    coding = b"Transfer-Encoding: chunked\r\n"
    head = b"".join(draw(st.permutations([coding, *fields])))
    return interim + OK + head + b"\r\n" + chunks + sizes % 0 + b"\r\n" + trailer + b"\r\n"


ONE_EXAMPLE_AT_A_TIME = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


@settings(max_examples=25, deadline=None, suppress_health_check=ONE_EXAMPLE_AT_A_TIME)
@given(answer=responses(), cuts=st.lists(st.integers(1, 200), max_size=6))
def test_whatever_is_right_completes_however_it_is_cut(answer: bytes, cuts: list[int]) -> None:
    server = answered(answer, *cuts)
    assert (server.dialogue.count("completed"), failed(server)) == (1, {})


@settings(max_examples=25, deadline=None, suppress_health_check=ONE_EXAMPLE_AT_A_TIME)
@given(answer=responses(), kept=st.integers(0, 200), cuts=st.lists(st.integers(1, 200), max_size=6))
def test_no_part_of_what_is_right_completes(answer: bytes, kept: int, cuts: list[int]) -> None:
    part = answer[: min(kept, len(answer) - 1)]
    server = answered(part, *cuts, ends=True)
    assert (server.dialogue.count("completed"), sum(failed(server).values())) == (0, 1)


@settings(max_examples=25, deadline=None, suppress_health_check=ONE_EXAMPLE_AT_A_TIME)
@given(
    answer=st.one_of(st.binary(max_size=60), responses()),
    place=st.integers(0, 200),
    octet=st.integers(0, 255),
)
def test_whatever_comes_every_request_ends_in_one_way(answer: bytes, place: int, octet: int) -> None:
    changed = bytearray(answer)
    if changed:
        changed[place % len(changed)] = octet
    server = answered(bytes(changed), request_timeout="5 s")
    server.dialogue.waits(100_000)
    failures = sum(failed(server).values()) - server.dialogue.count("surplus")
    assert server.dialogue.count("completed") + failures == 1
