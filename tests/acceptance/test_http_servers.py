# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The client of HTTP with servers that people run, in each way to end a response, and with hostile ones."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from TesterLibrary.protocols.interpreter import Interpreter

from .tap import tap
from .test_protocols import alone, arp, made

SIZE = 51_200
REQUESTS = 3
OPENED = 4
NGINX = """\
daemon off; master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  default_type text/html;
  root {folder};
  server {{ listen 8080; }}
  server {{ listen 8081; ssi on; }}
  server {{ listen 8082; ssi on; chunked_transfer_encoding off; }}
  server {{ listen 8083; keepalive_timeout 0; }}
}}
"""
HAPROXY = """\
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
listen lengths
  bind :9080
  server one 127.0.0.1:8080
listen chunks
  bind :9081
  server one 127.0.0.1:8081
listen closes
  bind :9082
  server one 127.0.0.1:8082
"""
# For each port, how many requests of a connection are answered before the server closes it.
PORTS = {8080: REQUESTS, 8081: REQUESTS, 8082: 1, 8083: 1, 9080: REQUESTS, 9081: REQUESTS, 9082: 1}
OK = b"HTTP/1.1 200 OK\r\n"
BODY = b"x" * SIZE
HOSTILE = {
    "shorter": (OK + b"Content-Length: %d\r\n\r\n" % SIZE + BODY[:-1], "lost"),
    "longer": (OK + b"Content-Length: %d\r\n\r\n" % SIZE + BODY + b"x", "surplus"),
    "another length": (OK + b"Content-Length: 5\r\n\r\nxxxxx", "other_length"),
    "two lengths": (OK + b"Content-Length: %d\r\nContent-Length: 5\r\n\r\n" % SIZE + BODY, "malformed"),
    "garbage": (b"\x16\x03\x01" + bytes(range(200)), "lost"),
    "a chunk too few": (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nxxxxx\r\n0\r\n\r\n", "other_length"),
    "gzip": (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", "coded"),
}


@contextmanager
def serving(folder: Path) -> Iterator[None]:
    """nginx, and HAProxy before it."""
    (folder / f"{SIZE:010}").write_bytes(BODY)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    (folder / "haproxy.cfg").write_text(HAPROXY)
    commands = [["nginx", "-c", f"{folder}/nginx.conf"], ["haproxy", "-db", "-f", f"{folder}/haproxy.cfg"]]
    processes = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for command in commands]
    try:
        for port in PORTS:
            _wait_for(port)
        yield
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def _wait_for(port: int) -> None:
    until = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < until, f"nobody listens on port {port}"
            time.sleep(0.05)


def asked(port: int, opened: int, **parameters: object) -> Interpreter:
    """Our client when all its connections have asked this port, and are over."""
    client = made("http-client", size=SIZE, **parameters)
    with tap(arp(), client) as network:
        for number in range(opened):
            network.start(client, {"TCP.sport": 20_000 + number, "TCP.dport": port})
        network.wait_for_flows(client)
    return client


def failed(client: Interpreter) -> dict[str, int]:
    counted = {name: client.counters[name] for name in client.protocol.failures}
    return {name: count for name, count in counted.items() if count}


@pytest.mark.skipif(not (shutil.which("nginx") and shutil.which("haproxy")), reason="not installed")
def test_every_response_of_nginx_and_haproxy_completes(tmp_path: Path) -> None:
    def work() -> None:
        with serving(tmp_path):
            for port, requests in PORTS.items():
                client = asked(port, OPENED, requests=REQUESTS)
                assert (port, failed(client)) == (port, {})
                assert (port, client.counters["completed"]) == (port, OPENED * requests)

    alone(work)


@contextmanager
def answering(answer: bytes, *, closes: bool = True) -> Iterator[int]:
    """A server that says the same to everybody; its port."""

    def serve() -> None:
        kept = []
        while True:
            try:
                end, _ = listening.accept()
            except OSError:
                return
            end.recv(4096)
            end.sendall(answer)
            if closes:
                end.shutdown(socket.SHUT_WR)
            kept.append(end)

    with socket.create_server(("0.0.0.0", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(("answer", "name"), HOSTILE.values(), ids=HOSTILE)
def test_a_wrong_answer_of_a_server_fails_by_its_name(answer: bytes, name: str) -> None:
    def work() -> None:
        with answering(answer) as port:
            client = asked(port, OPENED)
        completed = OPENED if name == "surplus" else 0
        assert (failed(client), client.counters["completed"]) == ({name: OPENED}, completed)

    alone(work)


def test_a_server_that_never_answers_fails_in_time() -> None:
    def work() -> None:
        with answering(b"HTTP/1.1 200", closes=False) as port:
            client = asked(port, OPENED, request_timeout="1 s")
        assert (client.counters["timed_out"], client.counters["completed"]) == (OPENED, 0)
        assert client.flows == {}

    alone(work)
