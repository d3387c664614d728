# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The client that fits a switch: what it takes for an answer, and what ends a connection without one."""

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP

from .dialogue import Dialogue, TcpPeer, flags

pytestmark = pytest.mark.usefixtures("machine")

_PAGE, _OLD_PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", b"HTTP/1.0 200 OK\r\n\r\nok"


def _asked() -> TcpPeer:
    """A server that a client has asked."""
    dialogue = Dialogue("http-get-client")
    (syn,) = dialogue.opens(TCP_sport=50_000, TCP_dport=80)
    assert flags([syn]) == ["S"]
    server = TcpPeer(dialogue, sport=80, dport=50_000)
    server.ack = syn[TCP].seq + 1
    (get,) = server.says("SA")
    assert bytes(get[TCP].payload).startswith(b"GET / HTTP/1.1\r\n")
    server.seq, server.ack = server.seq + 1, get[TCP].seq + len(get[TCP].payload)
    return server


@pytest.mark.parametrize("page", [_PAGE, _OLD_PAGE], ids=["1.1", "1.0"])
@pytest.mark.parametrize("last", ["PA", "FPA"])
def test_an_answer_that_begins_with_status_200_is_one(last: str, page: bytes) -> None:
    server = _asked()
    assert flags(server.says(last, page)) == ["FA"]
    if last == "PA":
        server.says("FA", seq=server.seq + len(page))
    assert (server.dialogue.count("answered"), server.dialogue.count("closed")) == (1, 1)
    assert server.dialogue.interpreter.flows == {}


@pytest.mark.parametrize(
    ("last", "data", "counter", "said"),
    [
        ("FA", b"", "unanswered", "FA"),
        ("FPA", b"HTTP", "unanswered", "FA"),
        ("FPA", b"HTTP/1.1 404 Not Found\r\n\r\n", "other_status", "R"),
        ("PA", b"HTTP/1.1 404 Not Found\r\n\r\n", "other_status", "R"),
        ("PA", b"HTTP/1.1 200 OK", "cut_short", "R"),
    ],
    ids=["closed", "closed in between", "404 and closed", "404", "status line in two"],
)
def test_a_connection_without_a_page_has_failed(last: str, data: bytes, counter: str, said: str) -> None:
    server = _asked()
    assert flags(server.says(last, data)) == [said]
    found = {name: server.dialogue.count(name) for name in ("answered", "closed", counter)}
    assert found == {"answered": 0, "closed": 0, counter: 1}
    assert server.dialogue.interpreter.flows == {}


@pytest.mark.parametrize("last", ["A", "FPA"])
def test_a_segment_that_overtakes_the_first_one_is_no_other_status(last: str) -> None:
    """The server hears nothing of it, so it sends it again."""
    server = _asked()
    first, rest = _PAGE + bytes(1000), bytes(500)
    assert server.says(last, rest, seq=server.seq + len(first)) == []
    assert flags(server.says("A", first)) == ["FA"]
    assert flags(server.says("FPA", rest, seq=server.seq + len(first))) == ["A"]
    found = {
        name: server.dialogue.count(name) for name in ("answered", "closed", "disordered", "other_status")
    }
    assert found == {"answered": 1, "closed": 1, "disordered": 1, "other_status": 0}


def test_what_a_switch_may_have_missed_is_not_held_against_a_device() -> None:
    protocol = Dialogue("http-get-client").interpreter.protocol
    assert {"unanswered", "cut_short"} == {name for name, _ in protocol.unread}
    assert {"unanswered", "cut_short", "other_status"} <= set(protocol.failures)
