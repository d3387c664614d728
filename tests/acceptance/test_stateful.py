# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients of the engine with the kernel's own TCP: curl, Python's sockets and nginx."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from TesterLibrary.ends import Ends
from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, End, Responder
from TesterLibrary.opening import OpenTester, open_tester
from TesterLibrary.reporting.progress import Progress
from TesterLibrary.reporting.recorder import Recorder

from .robots import check_passed, robot

PATTERN = bytes(range(256))
SERVER = "198.19.1.2"  # ours, behind p2 of the router
KERNEL = "198.18.1.1"  # the router itself, as p1 sees it
# One frame in a hundred of those that arrive at the router. What its own TCP sends cannot be lost there: it
# would be told, and send again at once.
LOSS = """\
table inet lossy {
  chain arriving { type filter hook prerouting priority raw; numgen random mod 100 == 0 drop; }
}
"""
NGINX = """\
daemon off; master_process off; pid {folder}/pid; error_log stderr; events {{ worker_connections 2048; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen {address}:8080; root {folder}; keepalive_requests 100000; }}
}}
"""


class Lab:
    """The router's namespace on one side, the tester's responders and clients on the other."""

    def __init__(self, tester: OpenTester) -> None:
        self.ends: Ends = tester.ends
        self._inside = tester.testbed.dut_prefix

    def start(self, end: End) -> None:
        self.ends.start(end)

    def run(self, *command: str, given: bytes = b"") -> bytes:
        """A program inside, and what it prints."""
        return subprocess.run(
            [*self._inside, *command], input=given, stdout=subprocess.PIPE, timeout=120, check=True
        ).stdout

    def begin(self, *command: str) -> subprocess.Popen[bytes]:
        """A program inside that runs on."""
        return subprocess.Popen([*self._inside, *command])

    def curl(self, *paths: str) -> bytes:
        urls = [f"http://{SERVER}/{path}" for path in paths]
        return self.run("curl", "--silent", "--show-error", "--fail", "--max-time", "60", *urls)

    def until(
        self, name: str, holds: Callable[[SessionStatistics], bool], seconds: float = 60
    ) -> SessionStatistics:
        deadline = time.monotonic() + seconds
        while not holds(counted := self.ends.statistics(name)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return counted


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    tester = open_tester(
        "embedded/l3-router", seed=1, recorder=Recorder(tmp_path / "evidence"), progress=Progress()
    )
    try:
        yield Lab(tester)
    finally:
        tester.close()


def web(**parameters: Any) -> Responder:
    return Responder(
        name="web",
        port="p2",
        protocol="http-server",
        servers=Endpoints.parse(f"{SERVER}:80"),
        parameters=parameters,
    )


def users(port: int, **given: Any) -> Clients:
    target = Endpoints.parse(f"{KERNEL}:{port}")
    return Clients(**{"name": "users", "port": "p1", "protocol": "http-client", "target": target, **given})


def pattern(size: int) -> bytes:
    return (PATTERN * (size // 256 + 1))[:size]


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
    assert lab.ends.statistics("web").count("retransmitted") > 0


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


def test_the_resolver_of_the_system_gets_its_answer(lab: Lab, tmp_path: Path) -> None:
    lab.start(Responder(name="names", port="p2", protocol="dns"))
    (tmp_path / "resolv.conf").write_text(f"nameserver {SERVER}\n")
    ask = f"mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && getent ahostsv4 www.example.com"
    assert b"198.51.100.1" in lab.run("unshare", "--mount", "sh", "-c", ask)
    assert lab.ends.statistics("names").transactions >= 1


@pytest.fixture
def nginx(lab: Lab, tmp_path: Path) -> Iterator[Lab]:
    """Serves `small` and `large` inside."""
    if not shutil.which("nginx"):
        pytest.skip("nginx is not installed")
    for size in (1000, 1_000_000, 100_000_000):
        (tmp_path / f"{size:010}").write_bytes(pattern(size))
    tmp_path.chmod(0o755)
    (tmp_path / "nginx.conf").write_text(NGINX.format(folder=tmp_path, address=KERNEL))
    process = lab.begin("nginx", "-c", str(tmp_path / "nginx.conf"))
    try:
        for _ in range(100):
            if b":8080" in lab.run("ss", "-ltn"):
                break
            time.sleep(0.1)
        yield lab
    finally:
        process.kill()
        process.wait()


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
    assert lab.ends.statistics("web").count("retransmitted") > 0


def test_no_buffer_is_lost_between_the_engine_and_a_port(tmp_path: Path) -> None:
    """More frames at once than a port has buffers: those that the kernel never gives back are missed then."""
    tester = open_tester(
        "embedded/l7-balancer", seed=1, recorder=Recorder(tmp_path / "evidence"), progress=Progress()
    )
    try:
        lab = Lab(tester)
        for last in range(10, 14):
            servers = Endpoints.parse(f"198.19.1.{last}:80")
            lab.start(Responder(name=f"server-{last}", port="p2", protocol="http-server", servers=servers))
        target = Endpoints.parse("192.0.2.10:80")
        parameters = {"size": 100_000, "linger": 0}
        lab.start(users(80, target=target, connections=4000, total=4000, parameters=parameters))
        counted = lab.until("users", lambda s: s.ended == 4000)
        assert (counted.completed, counted.failed) == (4000, 0)
    finally:
        tester.close()


def examples(page: str) -> Sequence[str]:
    """Suites of a page: what is indented and has settings."""
    text = Path(page).read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n|^\n)+", text, re.MULTILINE)
    return [dedent(block) for block in blocks if "*** Settings ***" in block]


def test_the_examples_of_the_page_about_connections(lab: Lab, tmp_path: Path) -> None:
    lab.start(web())
    (example,) = examples("docs/stateful.md")
    suite = tmp_path / "example.robot"
    suite.write_text(example)
    tests = robot(suite, tmp_path / "output")
    assert len(tests) == 1
    check_passed(tests)
