# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The client that fits a switch: what it takes for an answer, and what ends a connection without one."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP

from .dialogue import Dialogue, TcpPeer, flags

pytestmark = pytest.mark.usefixtures("machine")

_PAGE, _OLD_PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", b"HTTP/1.0 200 OK\r\n\r\nok"


def _asked(begin: int = 1000) -> TcpPeer:
    """A server that a client has asked, whose sequence numbers begin there."""
    dialogue = Dialogue("http-get-client")
    (syn,) = dialogue.opens(TCP_sport=50_000, TCP_dport=80)
    assert flags([syn]) == ["S"]
    server = TcpPeer(dialogue, sport=80, dport=50_000, isn=begin)
    server.ack = syn[TCP].seq + 1
    (get,) = server.says("SA")
    assert bytes(get[TCP].payload).startswith(b"GET / HTTP/1.1\r\n")
    server.seq, server.ack = server.seq + 1, get[TCP].seq + len(get[TCP].payload)
    return server


@pytest.mark.parametrize("page", [_PAGE, _OLD_PAGE], ids=["1.1", "1.0"])
@pytest.mark.parametrize("last", ["PA", "FPA"])
def test_an_answer_that_begins_with_status_200_is_one_when_it_is_whole(last: str, page: bytes) -> None:
    server = _asked()
    assert flags(server.says(last, page)) == [last.replace("P", "") if last == "FPA" else "A"]
    if last == "PA":
        assert server.dialogue.count("answered") == 0
        (end,) = server.says("FA", seq=server.seq + len(page))
        assert (str(end[TCP].flags), end[TCP].ack) == ("FA", server.seq + len(page) + 1)
    assert (server.dialogue.count("answered"), server.dialogue.count("closed")) == (1, 1)
    assert server.dialogue.count("bytes_received") == len(page)
    assert server.dialogue.interpreter.flows == {}


@pytest.mark.parametrize(
    ("last", "data", "counter", "said"),
    [
        ("FA", b"", "unanswered", "FA"),
        ("FPA", b"HTTP", "unanswered", "FA"),
        ("FPA", b"SSH-2.0-OpenSSH_9.2", "unanswered", "FA"),
        ("PA", b"SSH-2.0-OpenSSH_9.2", "malformed", "R"),
        ("FPA", b"HTTP/1.1 404 Not Found\r\n\r\n", "other_status", "R"),
        ("PA", b"HTTP/1.1 404 Not Found\r\n\r\n", "other_status", "R"),
        ("PA", b"HTTP/1.1 200 OK", "cut_short", "R"),
    ],
    ids=[
        "closed",
        "closed in between",
        "SSH and closed",
        "SSH",
        "404 and closed",
        "404",
        "status line in two",
    ],
)
def test_a_connection_without_a_page_has_failed(last: str, data: bytes, counter: str, said: str) -> None:
    server = _asked()
    assert flags(server.says(last, data)) == [said]
    found = {name: server.dialogue.count(name) for name in ("answered", "closed", counter)}
    assert found == {"answered": 0, "closed": 0, counter: 1}
    assert server.dialogue.interpreter.flows == {}


def test_a_page_may_have_anything_in_it() -> None:
    server = _asked()
    server.says("A", _PAGE)
    first = server.seq + len(_PAGE)
    inside = [b"HTTP/1.1 404 Not Found", b"HTTP/1.1 200 OK, again", b"x"]
    for data in inside:
        assert flags(server.says("A", data, seq=first)) == ["A"]
        first += len(data)
    assert flags(server.says("FPA", b"HTTP/1.1 500 Internal", seq=first)) == ["FA"]
    assert (server.dialogue.count("answered"), server.dialogue.count("closed")) == (1, 1)
    assert server.dialogue.count("bytes_received") == len(_PAGE) + sum(map(len, inside)) + 21


def test_no_content_length_is_read_so_that_bytes_alone_tell_of_a_short_body() -> None:
    server, page = _asked(), _PAGE.replace(b": 2", b": 900")
    assert flags(server.says("FPA", page)) == ["FA"]
    assert (server.dialogue.count("answered"), server.dialogue.count("cut_short")) == (1, 0)
    assert server.dialogue.count("bytes_received") == len(page)


@pytest.mark.parametrize("last", ["A", "FPA"])
@pytest.mark.parametrize("begin", [1000, 2**32 - 700], ids=["low", "across 2^32"])
def test_what_is_missing_is_not_acknowledged(last: str, begin: int) -> None:
    server = _asked(begin)
    first, rest = _PAGE + bytes(1000), bytes(500)
    after = (server.seq + len(first)) % 2**32
    (early,) = server.says(last, rest, seq=after)
    assert (str(early[TCP].flags), early[TCP].ack) == ("A", server.seq)
    (answer,) = server.says("A", first)
    assert (str(answer[TCP].flags), answer[TCP].ack) == ("A", after)
    (again,) = server.says("A", first)
    assert (str(again[TCP].flags), again[TCP].ack) == ("A", after), "it came twice"
    assert flags(server.says("FPA", rest, seq=after)) == ["FA"]
    found = [server.dialogue.count(name) for name in ("answered", "closed", "disordered", "other_status")]
    assert found == [1, 1, 2, 0]
    assert server.dialogue.count("bytes_received") == len(first + rest)


def test_a_syn_ack_that_comes_again_is_asked_again_unless_an_answer_comes() -> None:
    server = _asked()
    first = server.seq - 1
    assert flags(server.says("SA", seq=first, ack=1)) == ["PA"]
    server.says("A", _PAGE)
    assert flags(server.says("SA", seq=first, ack=1)) == ["R"]
    assert [server.dialogue.count(name) for name in ("again", "established", "answered")] == [1, 1, 0]
    assert server.dialogue.interpreter.flows == {}


def test_a_fin_that_comes_again_is_acknowledged_again() -> None:
    server = _asked()
    server.says("FPA", _PAGE)
    (again,) = server.says("FPA", _PAGE)
    assert (str(again[TCP].flags), again[TCP].ack) == ("FA", server.seq + len(_PAGE) + 1)


def test_what_a_switch_cannot_read_is_not_held_against_a_device() -> None:
    protocol = Dialogue("http-get-client").interpreter.protocol
    assert [name for name, _ in protocol.unread] == ["cut_short", "again", "optional"]
    assert {"cut_short", "again", "optional", "other_status"} <= set(protocol.failures)
