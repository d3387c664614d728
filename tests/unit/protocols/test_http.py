# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from scapy.layers.inet import TCP

from TesterLibrary.model.message import FILL

from .dialogue import Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")

GET = b"GET /300 HTTP/1.1\r\nHost: x\r\n\r\n"


def browser(**parameters: object) -> TcpPeer:
    return TcpPeer(Dialogue("http-server", **parameters)).connects([("MSS", 1460)])


def body(answer: bytes) -> bytes:
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    lengths = [int(line.split(b":")[1]) for line in head.splitlines() if line.startswith(b"Content-Length:")]
    assert lengths == [len(rest)]
    return rest


def test_a_get_is_answered_with_the_size_asked_for_and_the_connection_stays() -> None:
    ours = browser()
    for _ in range(3):
        assert body(ours.takes(ours.sends(GET))) == (FILL * 2)[:300]
    ours.says("A")
    assert (ours.dialogue.count("requests"), ours.dialogue.count("responses")) == (3, 3)


@pytest.mark.parametrize("cut", range(1, len(GET)))
def test_a_request_may_be_split_at_every_byte(cut: int) -> None:
    ours = browser()
    (answer,) = ours.sends(GET[:cut])
    assert (payload(answer), answer[TCP].ack) == (b"", ours.seq)
    assert len(body(ours.takes(ours.sends(GET[cut:])))) == 300


def test_a_request_may_come_byte_by_byte_and_with_zeros_the_body_parameter() -> None:
    ours = browser(body=7)
    answers = [ours.takes(ours.sends(bytes([octet]))) for octet in b"GET / HTTP/1.1\r\n\r\n"]
    assert body(answers[-1]) == FILL[:7]


def test_a_post_is_answered_when_all_of_its_body_is_there() -> None:
    ours = browser(body=1)
    head = b"POST /9 HTTP/1.1\r\ncontent-length: 3000\r\n\r\n"
    assert [payload(send) for send in ours.sends(head + b"x" * 1000)] == [b""]
    assert [payload(send) for send in ours.sends(b"x" * 1400)] == [b""]
    assert body(ours.takes(ours.sends(b"x" * 600))) == FILL[:9]
    assert body(ours.takes(ours.sends(GET)))


def test_a_head_has_no_body() -> None:
    ours = browser()
    answer = ours.takes(ours.sends(b"HEAD /12 HTTP/1.1\r\n\r\n"))
    assert b"Content-Length:         12\r\n" in answer
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("request_", "given"),
    [
        (b"GET /3 HTTP/1.1\r\nConnection: Close\r\n\r\n", FILL[:3]),
        (b"GET /3 HTTP/1.0\r\nHost: x\r\n\r\n", FILL[:3]),
        (b"HEAD /3 HTTP/1.1\r\nConnection: close\r\n\r\n", b""),
        (b"POST /3 HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nxx", FILL[:3]),
    ],
)
def test_the_connection_is_closed_when_the_client_says_so(request_: bytes, given: bytes) -> None:
    """RFC 9112 §9.6: and the answer says so, or the client would go on to ask."""
    ours = browser()
    head, _, content = ours.takes(ours.sends(request_)).partition(b"\r\n\r\n")
    assert head.endswith(b"\r\nConnection: close")
    assert content == given
    (end,) = ours.says("A")
    assert flags([end]) == ["FA"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"BREW /pot HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"501"),
        (b"GET /3 HTTP/1.1\r\n" + b"A: b\r\n" * 2000, b"431"),
    ],
)
def test_what_is_not_understood_is_refused_and_the_connection_closed(sent: bytes, status: bytes) -> None:
    ours = browser()
    answers = []
    for start in range(0, len(sent), 1400):
        answers += ours.sends(sent[start : start + 1400])
    assert ours.takes(answers).split()[1] == status
    (end,) = ours.says("A")
    assert "F" in flags([end])[0]


def test_a_pipelined_request_waits_until_the_first_is_answered() -> None:
    ours = browser()
    sent = ours.says("PA", GET + GET)
    ours.seq += len(GET)
    assert sent[0][TCP].ack == ours.seq  # the second one is not acknowledged, so it comes again
    assert len(body(ours.takes(sent))) == 300
    assert len(body(ours.takes(ours.sends(GET)))) == 300


def test_half_open_and_half_closed_flows_end() -> None:
    ours = browser()
    (end,) = ours.says("FA")
    assert flags([end]) == ["FA"]
    ours.seq += 1
    ours.says("A", ack=ours.ack + 1)
    assert ours.dialogue.interpreter.flows == {}
