# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Ends of the engine and the kernel's own TCP; packets between them change places, come twice or are lost."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Responder

from .lab import KERNEL, SERVER, Lab, pattern, users, web
from .robots import quick_or_long

DETOUR = Path(__file__).with_name("detour.py")
WAYS = {
    "reordered": {"hold_every": 20, "overtaken_by": 3},
    "duplicated": {"duplicate_every": 7},
    "both": {"hold_every": 50, "overtaken_by": 5, "duplicate_every": 11},
}
# The way of both has each of them in it.
ONE_BY_ONE_LONG = [quick_or_long(way, long=way != "both") for way in WAYS]
# For what is long: 5 % change places, 1 % come twice, 1 % are lost.
LONG_WAYS = {
    "5 % reordered": {"hold_every": 20, "overtaken_by": 3},
    "1 % duplicated": {"duplicate_every": 100},
    "1 % lost": {"lose_every": 100},
    "all of it": {"hold_every": 20, "overtaken_by": 3, "duplicate_every": 99, "lose_every": 101},
}
SIZES = (1000, 100_000, 10_000_000)
LONG = {"all of it": 10_000_000}  # the others 100 MB
# Takes what comes until the end, says how much and whether it was the pattern, and gives as much.
SINK = """\
import socket, sys
server = socket.create_server((sys.argv[1], 5002))
for size in map(int, sys.argv[2:]):
    pattern = (bytes((157 * n + 101) % 251 for n in range(251)) * (size // 251 + 1))[:size]
    with server.accept()[0] as taken:
        data = b"".join(iter(lambda: taken.recv(65536), b""))
        taken.sendall(pattern)
    print(len(data), data == pattern)
"""
# Gives so many bytes, and takes what comes until the end.
SOURCE = """\
import socket, sys
size = int(sys.argv[2])
with socket.create_connection((sys.argv[1], 5001)) as given:
    given.sendall((bytes(range(256)) * (size // 256 + 1))[:size])
    given.shutdown(socket.SHUT_WR)
    print(len(b"".join(iter(lambda: given.recv(65536), b""))))
"""


@contextmanager
def detour(lab: Lab, way: dict[str, int]) -> Iterator[None]:
    """All of TCP goes that way meanwhile; what it promises has happened in the end."""
    process = lab.begin(sys.executable, str(DETOUR), json.dumps(way), talks=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        yield
        process.stdin.write(b"\n")
        process.stdin.flush()
        done = map(int, process.stdout.readline().split())
        wanted = ("hold_every", "duplicate_every", "lose_every")
        assert {name for name, count in zip(wanted, done, strict=True) if count > 10} == way.keys() & set(
            wanted
        )
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("way", ONE_BY_ONE_LONG)
def test_curl_gets_every_byte(lab: Lab, way: str) -> None:
    lab.start(web(rto="50 ms"))
    with detour(lab, WAYS[way]):
        for size in SIZES:
            assert lab.curl(str(size)) == pattern(size)
    counted = lab.until("web", lambda s: s.ended == len(SIZES))
    assert (counted.established, counted.transactions) == (len(SIZES), len(SIZES))


@pytest.mark.parametrize("way", ONE_BY_ONE_LONG)
def test_our_clients_get_every_byte_of_nginx(nginx: Lab, way: str) -> None:
    size, connections = 100_000, 10
    parameters = {"size": size, "requests": 1, "linger": 0, "rto": "50 ms"}
    with detour(nginx, WAYS[way]):
        nginx.start(users(8080, connections=connections, total=connections, parameters=parameters))
        counted = nginx.until("users", lambda s: s.ended == connections)
    assert (counted.completed, counted.failed, counted.transactions) == (connections, 0, connections)
    assert 150 * connections < counted.bytes_received - connections * size < 400 * connections


@pytest.mark.parametrize("way", ONE_BY_ONE_LONG)
def test_python_gets_every_byte_of_our_clients_and_gives_its_own(lab: Lab, way: str) -> None:
    sink = lab.begin(sys.executable, "-c", SINK, KERNEL, *map(str, SIZES), talks=True)
    try:
        lab.await_listening(5002)
        with detour(lab, WAYS[way]):
            for size in SIZES:
                name = f"giving {size}"
                lab.start(givers(name, size))
                counted = lab.until(name, lambda s: s.ended == 1)
                assert (counted.completed, counted.failed) == (1, 0)
                assert counted.bytes_received == counted.bytes_delivered == size
                lab.connections.stop([name], Clients)  # or it would answer for the port that the next one has
        said, _ = sink.communicate(timeout=10)
    finally:
        sink.kill()
        sink.wait()
    assert said.decode().splitlines() == [f"{size} True" for size in SIZES]


@pytest.mark.long
@pytest.mark.parametrize("way", LONG_WAYS)
def test_the_kernel_gives_much(lab: Lab, way: str) -> None:
    size = LONG.get(way, 100_000_000)
    lab.start(Responder(name="sink", port="p2", protocol="tcp-server"))
    with detour(lab, LONG_WAYS[way]):
        begun = time.monotonic()
        taken = lab.run(sys.executable, "-c", SOURCE, SERVER, str(size))
        took = time.monotonic() - begun
    assert int(taken) == 0
    counted = lab.until("sink", lambda s: s.ended == 1)
    assert (counted.bytes_received, counted.count("finished")) == (size, 1)
    assert took < 60


def givers(name: str, size: int) -> Clients:
    """One client, which gives so many bytes and takes what comes."""
    return Clients(
        name=name,
        port="p1",
        protocol="tcp-client",
        target=Endpoints.parse(f"{KERNEL}:5002"),
        connections=1,
        total=1,
        parameters={"size": size, "linger": 0, "rto": "50 ms"},
    )
