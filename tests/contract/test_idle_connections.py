# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections that say nothing keep no client out, and an engine that is not reached ends."""

from __future__ import annotations

import resource
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from TesterLibrary.targets.engine.client import EngineTarget

from .started import started
from .test_engine_tls import Identity, free_address, identity, tls_options

pytestmark = pytest.mark.usefixtures("engine")

FREE_DESCRIPTORS = 64  # beside those that the engine has without connections
IDLE = 200


def descriptors(engine: subprocess.Popen[bytes]) -> int:
    return len(list(Path(f"/proc/{engine.pid}/fd").iterdir()))


@contextmanager
def idle_connections(address: str, first: bytes) -> Iterator[list[socket.socket]]:
    """So many that the engine would have no descriptor for another one."""
    with ExitStack() as stack:
        connections = []
        for _ in range(IDLE):
            family = socket.AF_UNIX if address.startswith("unix:") else socket.AF_INET
            connection = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            host, _, port = address.rpartition(":")
            connection.connect(port if host == "unix" else ("127.0.0.1", int(port)))
            connection.setblocking(False)
            connection.send(first)
            connections.append(connection)
        yield connections


def is_open(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


@pytest.mark.parametrize(
    ("secure", "first"), [(False, b""), (True, b""), (True, b"\x16")], ids=["unix", "silent", "half a hello"]
)
def test_idle_connections_keep_no_client_out(tmp_path: Path, secure: bool, first: bytes) -> None:
    server, client = identity(tmp_path, "server"), identity(tmp_path, "client")
    address = free_address() if secure else f"unix:{tmp_path}/socket"
    certificates = Identity(client.certificate, client.key, server.ca) if secure else None
    metrics = free_address().removeprefix("grpc+tls:")
    options = ("--metrics", metrics, *(tls_options(server, client.ca) if secure else ()))
    with started(tmp_path / "log", address, *options) as engine:
        limit = descriptors(engine) + FREE_DESCRIPTORS
        resource.prlimit(engine.pid, resource.RLIMIT_NOFILE, (limit, limit))
        with closing(EngineTarget.connect(address, certificates=certificates)) as early:
            early.capabilities()
            with idle_connections(address, first) as idle:
                for _ in range(3):
                    with closing(EngineTarget.connect(address, certificates=certificates)) as target:
                        assert len(target.capabilities().ports) == 2
                with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=30) as answer:
                    assert answer.status == 200
                open_connections = sum(map(is_open, idle))
                assert 1 <= open_connections < FREE_DESCRIPTORS
                assert descriptors(engine) < limit
                early.capabilities()  # who has called before is not closed for others
        with closing(EngineTarget.connect(address, certificates=certificates)) as target:
            target.capabilities()
    assert "too many connections" in (tmp_path / "log").read_text()


def test_descriptors_are_raised_to_what_is_allowed(tmp_path: Path) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with started(tmp_path / "log", f"unix:{tmp_path}/socket") as engine:
        assert resource.prlimit(engine.pid, resource.RLIMIT_NOFILE) == (hard, hard)


def look(engine: subprocess.Popen[bytes]) -> None:
    """Lets the engine look after itself now, instead of in two seconds."""
    engine.send_signal(signal.SIGHUP)
    time.sleep(0.01)


def test_an_engine_that_is_not_reached_ends_with_an_error(tmp_path: Path) -> None:
    log, path = tmp_path / "log", tmp_path / "socket"
    with started(log, f"unix:{path}", "--verbose") as engine:
        while "the watchdog has reached the server" not in log.read_text():
            assert engine.poll() is None
            look(engine)
        path.unlink()
        while engine.poll() is None:
            look(engine)
        assert engine.returncode == 1
    assert "it no longer answers connections of its own to --listen" in log.read_text()
    assert "traffic stopped" in log.read_text()


def test_systemd_is_told_that_it_is_ready_and_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        with started(tmp_path / "log", f"unix:{tmp_path}/socket") as engine:
            assert manager.recv(100) == b"READY=1"
            look(engine)
            assert manager.recv(100) == b"WATCHDOG=1"
