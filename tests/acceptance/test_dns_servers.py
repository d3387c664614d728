# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The client of DNS with a server behind a real socket, which answers rightly or in a wrong way."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from TesterLibrary.protocols.interpreter import Interpreter

from .tap import tap
from .test_protocols import alone, arp, made

OPENED = 4
RECORD = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\1"
HEAD = b"\x81\x80\0\1\0\1\0\0\0\0"  # behind the number: an answer with one question and one record


def right(question: bytes) -> bytes:
    return question[:2] + HEAD + question[12:] + RECORD


ANSWERS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "right": (right, "answered"),
    "another name": (lambda asked: right(asked).replace(b"example", b"exbmple"), "mismatched"),
    "cut in its record": (lambda asked: right(asked)[:-2], "malformed"),
    "without its record": (lambda asked: right(asked)[: -len(RECORD)], "malformed"),
    "with something behind it": (lambda asked: right(asked) + b"x", "malformed"),
    "no such name": (lambda asked: asked[:2] + b"\x81\x83" + asked[4:], "refused"),
    "for TCP": (lambda asked: asked[:2] + b"\x83\x80" + asked[4:], "truncated"),
}


@contextmanager
def answering(answer: Callable[[bytes], bytes]) -> Iterator[int]:
    """A name server; its port."""

    def serve() -> None:
        while not over.is_set():
            try:
                question, client = end.recvfrom(2048)
            except TimeoutError:
                continue
            end.sendto(answer(question), client)

    over = threading.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind(("0.0.0.0", 0))
        end.settimeout(0.1)
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield end.getsockname()[1]
        finally:
            over.set()
            thread.join()


def asked(port: int) -> Interpreter:
    client = made("dns-client")
    with tap(arp(), client) as network:
        for number in range(OPENED):
            network.start(client, {"UDP.sport": 20_000 + number, "UDP.dport": port})
        network.wait_for_flows(client)
    return client


@pytest.mark.parametrize(("answer", "name"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_of_a_server_is_right_or_fails_by_its_name(
    answer: Callable[[bytes], bytes], name: str
) -> None:
    def work() -> None:
        with answering(answer) as port:
            client = asked(port)
        counted = ["answered", *client.protocol.failures]
        assert {one: client.counters[one] for one in counted if client.counters[one]} == {name: OPENED}

    alone(work)
