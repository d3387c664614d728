# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Shipped protocols with the kernel as their peer: real sockets, and every byte compared."""

from __future__ import annotations

import http.server
import multiprocessing
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable

import pytest

from TesterLibrary.model.message import FILL
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.interpreter import Interpreter

from .tap import KERNEL, PEER, own_namespace, tap

PATTERN = FILL


def made(name: str, **parameters: object) -> Interpreter:
    return Interpreter(load_protocol(name), parameters)


def arp() -> Interpreter:
    return made("arp", first=PEER, last=PEER)


def alone(work: Callable[[], None]) -> None:
    """Does work in a process with a network of its own."""

    def run() -> None:
        own_namespace()
        work()

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join(120)
    if process.is_alive():
        process.kill()
        pytest.fail("no end after two minutes")
    assert process.exitcode == 0


def curl(*arguments: str) -> bytes:
    return subprocess.run(
        ["curl", "--silent", "--show-error", "--fail", "--max-time", "60", *arguments],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout


def test_curl_gets_what_it_asks_for() -> None:
    def work() -> None:
        server = made("http-server")
        with tap(arp(), server):
            for size in (0, 1, 1000, 65_536, 1_000_000):
                assert curl(f"http://{PEER}/{size}") == (PATTERN * (size // 251 + 1))[:size]
            twice = curl(f"http://{PEER}/10", f"http://{PEER}/20")
            assert twice == PATTERN[:10] + PATTERN[:20]
            assert curl("--data", "x" * 100_000, f"http://{PEER}/3") == PATTERN[:3]
        assert (server.counters["requests"], server.counters["established"]) == (8, 7)

    alone(work)


def test_curl_gets_it_through_a_network_that_loses_and_reorders() -> None:
    def work() -> None:
        server = made("http-server", rto="50 ms")
        with tap(arp(), server, loss=0.01, late=0.02) as network:
            for _ in range(3):
                assert curl(f"http://{PEER}/200000") == (PATTERN * 800)[:200_000]
                assert curl("--data", "x" * 100_000, f"http://{PEER}/1") == PATTERN[:1]
            assert network.lost > 0
        assert server.counters["retransmitted"] > 0

    alone(work)


def test_streams_of_python_sockets_arrive_whole() -> None:
    def work() -> None:
        size = 300_000
        server = made("tcp-server", size=size)
        with tap(arp(), server), socket.create_connection((PEER, 80), timeout=60) as end:
            end.sendall(b"x" * size)
            end.shutdown(socket.SHUT_WR)
            given = b"".join(iter(lambda: end.recv(65_536), b""))
        assert given == (PATTERN * 1200)[:size]
        assert (server.counters["bytes_received"], server.counters["finished"]) == (size, 1)

    alone(work)


def test_a_client_of_ours_gets_pages_of_a_server_of_python() -> None:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            size = int(self.path[1:])
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.write(bytes(size))

        def log_message(self, *_: object) -> None:
            return

    def work() -> None:
        client = made("http-client", requests=5, size=51_200)
        with tap(arp(), client) as network:
            server = http.server.ThreadingHTTPServer((KERNEL, 8080), Handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            for port in range(20_000, 20_010):
                network.start(client, {"TCP.sport": port, "TCP.dport": 8080})
            until = time.monotonic() + 60
            while client.counters["finished"] < 10 and time.monotonic() < until:
                time.sleep(0.01)
            server.shutdown()
        expected = Counter(requests=50, completed=50, finished=10, established=10, attempted=10)
        assert {name: client.counters[name] for name in expected} == expected

    alone(work)


def test_datagrams_and_names() -> None:
    def work() -> None:
        with tap(arp(), made("udp-echo", port=7), made("dns")):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
                end.settimeout(10)
                end.connect((PEER, 7))
                for size in (0, 1, 1000, 1472):
                    end.send(b"x" * size)
                    assert end.recv(2000) == b"x" * size
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
                end.settimeout(10)
                end.connect((PEER, 53))
                end.send(bytes.fromhex("beef 0100 0001 0000 0000 0000 01 61 00 0001 0001"))
                assert end.recv(512)[-4:] == socket.inet_aton("198.51.100.1")

    alone(work)
