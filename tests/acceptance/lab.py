# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's own TCP, in the namespace of an embedded router, and ends of the engine that talk with it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.message import FILL
from TesterLibrary.model.responder import Clients, End, Responder
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.opening import OpenTestbed

_PATTERN = FILL
SERVER = "198.19.1.2"  # ours, behind p2 of the router
KERNEL = "198.18.1.1"  # the router itself, as p1 sees it


class Lab:
    """The router's namespace on one side, the tester's responders and clients on the other."""

    def __init__(self, bed: OpenTestbed) -> None:
        self.connections: Connections = bed.connections
        self._inside = bed.testbed.dut_prefix

    def start(self, end: End) -> None:
        self.connections.start(end)

    def run(self, *command: str, given: bytes = b"") -> bytes:
        """A program inside, and what it prints."""
        return subprocess.run(
            [*self._inside, *command], input=given, stdout=subprocess.PIPE, timeout=120, check=True
        ).stdout

    def begin(self, *command: str, talks: bool = False) -> subprocess.Popen[bytes]:
        """A program inside that runs on, whose input and output are read and written here if it `talks`."""
        pipe = subprocess.PIPE if talks else None
        return subprocess.Popen([*self._inside, *command], stdin=pipe, stdout=pipe)

    def await_listening(self, port: int) -> None:
        """Waits until a program inside takes connections at the port."""
        deadline = time.monotonic() + 10
        while f":{port} ".encode() not in self.run("ss", "-ltn"):
            assert time.monotonic() < deadline, f"nobody listens on port {port}"
            time.sleep(0.1)

    def curl(self, *paths: str) -> bytes:
        urls = [f"http://{SERVER}/{path}" for path in paths]
        return self.run("curl", "--silent", "--show-error", "--fail", "--max-time", "60", *urls)

    def until(
        self, name: str, holds: Callable[[SessionStatistics], bool], seconds: float = 60
    ) -> SessionStatistics:
        deadline = time.monotonic() + seconds
        while not holds(counted := self.connections.statistics(name)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return counted


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
    return (_PATTERN * (size // len(_PATTERN) + 1))[:size]
