# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients of the engine with the kernel's own TCP: curl, Python's sockets and nginx."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Timer

import pytest

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.opening import OpenTestbed

from .defects import device_that
from .lab import KERNEL, SERVER, Lab, pattern, users, web
from .opened import opened
from .robots import check_passed, robot

# The router loses one arriving frame in a hundred. Its own TCP's frames cannot be lost there: TCP would be
# told of the loss, and send again at once.
LOSS = """\
table inet lossy {
  chain arriving { type filter hook prerouting priority raw; numgen random mod 100 == 0 drop; }
}
"""
DEAD = """\
table inet dead {
  chain arriving { type filter hook prerouting priority raw; drop; }
}
"""


def test_curl_gets_every_byte(lab: Lab) -> None:
    lab.start(web())
    for size in (0, 1, 1000, 65_536, 10_000_000):
        assert lab.curl(str(size)) == pattern(size)
    assert lab.curl("10", "20", "30") == pattern(10) + pattern(20) + pattern(30)
    counted = lab.until("web", lambda s: s.ended == 6)
    assert (counted.established, counted.transactions, counted.concurrent) == (6, 8, 0)


def test_curl_gets_every_byte_through_loss(lab: Lab) -> None:
    lab.start(web(rto="50 ms"))
    lab.run("nft", "-f", "-", given=LOSS.encode())
    for _ in range(3):
        assert lab.curl("1000000") == pattern(1_000_000)
    assert lab.connections.statistics("web").count("retransmitted") > 0


def test_curl_gets_a_hundred_million_bytes(lab: Lab) -> None:
    lab.start(web())
    assert lab.curl("100000000") == pattern(100_000_000)


@pytest.mark.parametrize("size", [1000, pytest.param(100_000, marks=pytest.mark.long)])
def test_wrk_has_no_errors(lab: Lab, size: int) -> None:
    """Connections that stay, and one for each request."""
    lab.start(web())
    command = ["wrk", "-t1", "-c50", "-d2s", f"http://{SERVER}/{size}"]
    for header in ([], ["-H", "Connection: close"]):
        said = lab.run(*command, *header).decode()
        done = int(said.split(" requests in ")[0].split()[-1])
        assert done > 100
        assert "Socket errors" not in said
        assert "Non-2xx" not in said
        assert lab.connections.statistics("web").transactions >= done
    assert lab.connections.statistics("web").failed == 0


def test_streams_of_python_sockets_arrive_whole_both_ways(lab: Lab) -> None:
    size = 3_000_000
    lab.start(Responder(name="web", port="p2", protocol="tcp-server", parameters={"size": size}))
    script = (
        f"import socket, sys; s = socket.create_connection(({SERVER!r}, 5001), timeout=60);"
        f"s.sendall(bytes(range(256)) * {size // 256}); s.shutdown(socket.SHUT_WR);"
        "[sys.stdout.buffer.write(b) for b in iter(lambda: s.recv(65536), b'')]"
    )
    assert lab.run(sys.executable, "-c", script) == pattern(size)
    counted = lab.until("web", lambda s: s.ended == 1)
    assert counted.bytes_received == size // 256 * 256


def test_every_byte_of_iperf3_is_counted(lab: Lab) -> None:
    lab.start(
        Responder(name="web", port="p2", protocol="iperf3-server", servers=Endpoints.parse(f"{SERVER}:5201"))
    )
    for streams in (1, 3):
        before = lab.connections.statistics("web").count("bytes_of_streams")
        said = json.loads(lab.run("iperf3", "--json", "-c", SERVER, "-n", "30M", "-P", str(streams)))
        sent = sum(stream["sender"]["bytes"] for stream in said["end"]["streams"])
        assert sent >= 30 * 2**20
        counted = lab.until("web", lambda s: s.concurrent == 0)
        assert counted.count("bytes_of_streams") - before == sent
    assert (counted.count("tests"), counted.count("streams"), counted.failed) == (2, 4, 0)


def test_the_resolver_of_the_system_gets_its_answer(lab: Lab, tmp_path: Path) -> None:
    lab.start(Responder(name="names", port="p2", protocol="dns"))
    (tmp_path / "resolv.conf").write_text(f"nameserver {SERVER}\n")
    ask = f"mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && getent ahostsv4 www.example.com"
    assert b"198.51.100.1" in lab.run("unshare", "--mount", "sh", "-c", ask)
    assert lab.connections.statistics("names").transactions >= 1


@pytest.mark.parametrize(
    ("size", "connections", "requests"), [(1000, 50, 20), (1_000_000, 5, 4), (100_000_000, 1, 1)]
)
def test_our_clients_get_every_byte_of_nginx(nginx: Lab, size: int, connections: int, requests: int) -> None:
    parameters = {"size": size, "requests": requests, "linger": 0}
    nginx.start(users(8080, connections=connections, total=connections, parameters=parameters))
    counted = nginx.until("users", lambda s: s.ended == connections)
    wanted = connections * requests
    assert (counted.completed, counted.failed, counted.transactions) == (connections, 0, wanted)
    heads = counted.bytes_received - wanted * size
    assert 150 * wanted < heads < 400 * wanted


def peers(lab: Lab) -> set[str]:
    """The clients of nginx whose connections the kernel has, in whatever state."""
    lines = lab.run("ss", "-Hant", "sport = :8080").decode().splitlines()
    return {line.split()[4] for line in lines if not line.startswith("LISTEN")}


def test_a_stop_leaves_nothing_open_at_the_server(nginx: Lab) -> None:
    holding = {"size": 0, "hold": "60 s", "linger": 0}
    earlier: set[str] = set()
    for _ in range(3):
        nginx.start(users(8080, protocol="tcp-client", connections=300, total=300, parameters=holding))
        counted = nginx.until("users", lambda s: s.established == 300)
        assert (counted.established, counted.failed) == (300, 0)
        now = peers(nginx)
        assert len(now) == 300
        assert not now & earlier  # a server may still know the connections of the clients before
        earlier |= now
        stopped = nginx.connections.stop(["users"], Clients)
        assert stopped is not None
        assert (stopped.stopped, stopped.concurrent, stopped.failed) == (300, 0, 0)
        deadline = time.monotonic() + 10
        while peers(nginx) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert peers(nginx) == set()


def test_a_stop_in_the_middle_of_bodies_leaves_nothing_open(nginx: Lab) -> None:
    parameters = {"size": 100_000_000, "requests": 1, "linger": 0}
    nginx.start(users(8080, connections=20, parameters=parameters))
    nginx.until("users", lambda s: s.bytes_received > 20_000_000)
    stopped = nginx.connections.stop(["users"], Clients)
    assert stopped is not None
    assert stopped.stopped
    assert stopped.concurrent == 0
    deadline = time.monotonic() + 10
    while peers(nginx) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert peers(nginx) == set()


def test_our_clients_get_every_byte_of_our_server_through_loss(lab: Lab) -> None:
    lab.start(web(rto="50 ms"))
    lab.run("nft", "-f", "-", given=LOSS.encode())
    parameters = {"size": 1_000_000, "linger": 0, "rto": "50 ms"}
    target = Endpoints.parse(f"{SERVER}:80")
    lab.start(users(80, target=target, connections=4, total=4, parameters=parameters))
    counted = lab.until("users", lambda s: s.ended == 4)
    assert (counted.completed, counted.failed, counted.transactions) == (4, 0, 4)
    assert counted.bytes_received == 4 * (1_000_000 + 110)
    assert counted.count("out_of_order") > 0
    assert counted.count("verified") > 1_000_000
    assert lab.connections.statistics("web").count("retransmitted") > 0


def test_a_byte_that_a_device_changes_fails_its_connection_and_is_named(bed: OpenTestbed) -> None:
    server, size, count = "198.18.0.88", 10_000, 60
    bed.connections.start(replace(web(), servers=Endpoints.parse(f"{server}:80")))
    target, parameters = Endpoints.parse(f"{server}:80"), {"size": size, "linger": 0}
    with device_that(bed, flip_every=50):
        bed.connections.start(users(80, target=target, connections=20, total=count, parameters=parameters))
        counted = Lab(bed).until("users", lambda s: s.ended == count)
    assert counted.count("verified") == count * size
    assert counted.failed == counted.count("changed") > 0  # a body has seven segments
    place = (
        rf"first change: byte [\d,]+ of the content from {server} port 80 to [\d.]+ port \d+ is 0xff, not 0x"
    )
    assert re.search(place, counted.failed_text)


@pytest.mark.long
def test_no_buffer_is_lost_between_the_engine_and_a_port(tmp_path: Path) -> None:
    """More frames at once than a port has buffers: those that the kernel never gives back are missed then."""
    with closing(opened("embedded/l7-balancer", tmp_path / "evidence")) as tester:
        lab = Lab(tester)
        for last in range(10, 14):
            servers = Endpoints.parse(f"198.19.1.{last}:80")
            lab.start(Responder(name=f"server-{last}", port="p2", protocol="http-server", servers=servers))
        target = Endpoints.parse("192.0.2.10:80")
        parameters = {"size": 100_000, "linger": 0}
        lab.start(users(80, target=target, connections=4000, total=4000, parameters=parameters))
        counted = lab.until("users", lambda s: s.ended == 4000)
        assert (counted.completed, counted.failed) == (4000, 0)


@pytest.mark.long
def test_a_device_that_stops_does_not_hold_a_measurement_up(lab: Lab) -> None:
    lab.start(web())
    parameters = {"size": 1000, "linger": 0, "rto": "50 ms"}
    lab.start(users(80, target=Endpoints.parse(f"{SERVER}:80"), connections=10, parameters=parameters))
    stops = Timer(0.5, lab.run, ("nft", "-f", "-"), {"given": DEAD.encode()})
    stops.start()
    began = time.monotonic()
    trial = lab.connections.measure("users", Duration(2 * 10**9))
    assert 2 <= time.monotonic() - began < 5
    stops.join()
    reached = trial.statistics
    assert reached.completed > 100
    assert reached.count("retransmitted") > 0
    later = lab.connections.measure("users", Duration(10**9)).statistics
    assert later.completed == 0


def test_a_router_with_new_mac_addresses_is_not_blamed_by_clients_and_answered(lab: Lab) -> None:
    """Clients go on with the address that was asked for; a responder answers to where packets come from."""
    lab.start(web())
    parameters = {"size": 1000, "linger": 0, "rto": "50 ms"}
    lab.start(users(80, target=Endpoints.parse(f"{SERVER}:80"), connections=10, parameters=parameters))
    lab.until("users", lambda s: s.completed >= 10)
    for port in ("p1", "p2"):
        lab.run("ip", "link", "set", "dev", port, "address", f"02:00:00:00:99:0{port[1]}")
    trial = lab.connections.measure("users", Duration(10**9))
    moved = f"the gateway {KERNEL} of port p1 has another MAC address, 02:00:00:00:99:01 in place of "
    (said,) = [text for text in trial.objections if text.startswith(moved)]
    assert said.endswith("to which clients 'users' opened; open the tester again if it is the same device")
    assert lab.curl("1000") == pattern(1000)


def examples(page: str) -> Sequence[str]:
    """Suites of a page."""
    return re.findall(r"^```robotframework\n(.*?)^```", Path(page).read_text(encoding="utf-8"), re.M | re.S)


def test_the_examples_of_the_page_about_connections(lab: Lab, tmp_path: Path) -> None:
    lab.start(web())
    (example,) = examples("docs/stateful.md")
    suite = tmp_path / "example.robot"
    suite.write_text(example)
    tests = robot(suite, tmp_path / "output")
    assert len(tests) == 1
    check_passed(tests)
