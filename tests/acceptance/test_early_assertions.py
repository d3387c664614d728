# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Assertions on connections that a server of the kernel has not ended: what they may change is not judged."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords._session_getter import SessionGetter
from TesterLibrary.model.responder import Clients

from .lab import KERNEL, Lab, users

PORT, SIZE, TOTAL = 8090, 1000, 10
# Each connection is a thread of a server that answers as {answers} says.
SERVER = """
import socket, struct, threading, time
def answers(c):
    c.recv(4096)
    head = b"HTTP/1.1 200 OK\\r\\nContent-Length: {size}\\r\\n\\r\\n"
    {answers}
def each(c):
    try: answers(c)
    except OSError: pass
server = socket.create_server(("{address}", {port}), backlog=64)
while True: threading.Thread(target=each, args=(server.accept()[0],), daemon=True).start()
"""
SLOW = (
    "c.sendall(head); "
    "[(c.sendall(bytes({size} // 10)), time.sleep(0.3)) for _ in range(10)]; c.recv(1); c.close()"
)
RESETS = (
    "c.sendall(head + bytes({size} // 2)); time.sleep(0.8); "
    'c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)); c.close()'
)
STOPS = "c.sendall(head + bytes({size} // 2)); time.sleep(600)"


@pytest.fixture
def asked(lab: Lab) -> Callable[..., Any]:
    """`Get Session Statistics    users    …`"""
    suite: Any = SimpleNamespace(
        connections=lab.connections, conclude=lambda verdict, message: verdict.enforce(message)
    )

    def ask(statistic: str, operator: str, expected: Any) -> Any:
        return SessionGetter(suite).statistic("users", statistic, AssertionOperator[operator], expected, None)

    return ask


def begin(lab: Lab, answers: str) -> None:
    """Ten connections to a server that answers so."""
    program = SERVER.format(answers=answers.format(size=SIZE), size=SIZE, address=KERNEL, port=PORT)
    server = lab.begin(sys.executable, "-c", program)
    lab.await_listening(PORT)
    lab.start(users(PORT, connections=TOTAL, total=TOTAL, parameters={"size": SIZE, "linger": 0}))
    lab.until("users", lambda seen: seen.established == TOTAL, 5)
    assert server.poll() is None


def test_a_server_that_sends_slowly_is_not_blamed(lab: Lab, asked: Callable[..., Any]) -> None:
    begin(lab, SLOW)
    assert asked("established", "==", TOTAL) == TOTAL
    with pytest.raises(Inconclusive, match=f"{TOTAL} connections of users are open"):
        asked("failed", "==", 0)
    for statistic, bound in (("completed", TOTAL), ("bytes_received", TOTAL * SIZE), ("goodput", 10**9)):
        with pytest.raises(Inconclusive, match=f"{TOTAL} connections of users are open; wait for them first"):
            asked(statistic, ">=", bound)
    lab.until("users", lambda seen: seen.completed == TOTAL, 10)
    assert asked("completed", "==", TOTAL) == TOTAL


def test_a_server_that_was_not_waited_for_is_not_blamed(lab: Lab, asked: Callable[..., Any]) -> None:
    begin(lab, SLOW)
    lab.connections.stop(["users"], Clients)
    for statistic, bound in (("completed", TOTAL), ("bytes_received", TOTAL * SIZE)):
        with pytest.raises(Inconclusive, match=f"{TOTAL} connections of users were open when they were stop"):
            asked(statistic, ">=", bound)


def test_a_server_that_will_reset_does_not_pass_yet(lab: Lab, asked: Callable[..., Any]) -> None:
    begin(lab, RESETS)
    # It is looked at until nothing comes any more, so the resets may be there.
    with pytest.raises(
        (Inconclusive, VerdictFailed), match=f"{TOTAL} connections of users are open|is {TOTAL},"
    ):
        asked("failed", "==", 0)
    lab.until("users", lambda seen: seen.failed == TOTAL, 5)
    with pytest.raises(VerdictFailed, match=f"failed of users is {TOTAL}"):
        asked("failed", "==", 0)


def test_a_server_that_stops_in_the_middle_fails(lab: Lab, asked: Callable[..., Any]) -> None:
    begin(lab, STOPS)
    time.sleep(0.2)
    with pytest.raises(VerdictFailed, match="completed of users is 0"):
        asked("completed", "==", TOTAL)
    with pytest.raises(Inconclusive, match=f"{TOTAL} connections of users are open"):
        asked("failed", "==", 0)
