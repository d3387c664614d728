# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Services that serve nobody: each verdict on clients as they are by default is FAIL."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import pytest

from TesterLibrary.methodology.maximum import MaximumSearch, Quantity, find_maximum
from TesterLibrary.methodology.sessions import (
    connection_rate_above,
    failures_below,
    goodput_above,
    time_below,
)
from TesterLibrary.model.responder import Clients
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.running.procedures.connection_trials import RateMeasurer
from TesterLibrary.verdict import Outcome, Verdict

from .lab import Lab, users

# Behind a port for each: a reset, two statuses, a body that ends too early, and two name servers.
SERVERS = """
import socket, struct, threading
def answers(port, answer, reset):
    listening = socket.create_server(("0.0.0.0", port), backlog=1024)
    while True:
        end, _ = listening.accept()
        with end:
            end.recv(4096)
            end.sendall(answer)
            if reset: end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
def names(port, answer):
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    end.bind(("0.0.0.0", port))
    while True:
        asked, client = end.recvfrom(512)
        if answer: end.sendto(asked[:2] + b"\\x81\\x82" + asked[4:], client)
page = b"HTTP/1.1 %s\\r\\nContent-Length: %d\\r\\n\\r\\n" + b"x" * 600
for each in (
    (answers, 8001, b"", True),
    (answers, 8002, page % (b"503 Service Unavailable", 600), False),
    (answers, 8003, page % (b"404 Not Found", 600), False),
    (answers, 8004, page % (b"200 OK", 1000), False),
    (names, 5301, True),
    (names, 5302, False),
): threading.Thread(target=each[0], args=each[1:]).start()
print("ready", flush=True)
"""
SILENT = "table inet silent { chain arriving { type filter hook input priority 0; tcp dport 8005 drop; }; }"
HTTP = {"refused": 8000, "reset": 8001, "503": 8002, "404": 8003, "short": 8004, "silent": 8005}
DNS = {"servfail": 5301, "silent": 5302}
SEARCHED = ("refused", "servfail")
RATE = Frequency(Fraction(200))
SHORTLY = Duration(2 * 10**8)


@contextmanager
def served(lab: Lab) -> Iterator[None]:
    lab.run("nft", "-f", "-", given=SILENT.encode())
    process = lab.begin(sys.executable, "-c", SERVERS, talks=True)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    try:
        yield
    finally:
        process.kill()
        process.communicate()


def judged(lab: Lab, clients: Clients, *, searched: bool) -> Iterator[Verdict]:
    """The verdicts on a service."""
    lab.start(clients)
    trial = lab.connections.measure("users", SHORTLY)
    yield failures_below([trial], Ratio.parse("1 %"))
    yield connection_rate_above(trial, Frequency(Fraction(50)))
    if clients.protocol == "http-client":
        yield goodput_above(trial, Bandwidth(100))
        yield time_below(trial, "time_to_last_byte", Duration(10**8), 99)
    else:
        yield time_below(trial, "time_to_answer", Duration(10**8), 99)
    if searched:
        search = MaximumSearch(Quantity.RATE, 1000, 2000, SHORTLY)
        yield find_maximum(RateMeasurer(lab.connections, "users"), search).verdict_above(50, "50/s")
    lab.connections.stop(["users"], Clients)


@pytest.mark.parametrize("rate", [RATE, pytest.param(None, marks=pytest.mark.long)])
def test_a_service_that_serves_nobody_fails(lab: Lab, rate: Frequency | None) -> None:
    given = {"connections": 10, "rate": rate}
    http = {"size": 1000, "requests": 1, "linger": 0}
    clients = [(name, users(port, parameters=http, **given)) for name, port in HTTP.items()]
    clients += [(name, users(port, protocol="dns-client", **given)) for name, port in DNS.items()]
    with served(lab):
        for name, asking in clients:
            verdicts = [*judged(lab, asking, searched=name in SEARCHED)]
            assert {str(v) for v in verdicts if v.outcome is not Outcome.FAIL} == set(), name
