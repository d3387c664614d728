# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A service for tests, in a process of its own, and users who talk to it over HTTP."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import requests

from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service.access import add_user, remove_user
from TesterLibrary.service.store import KIND, Store

ROOT = Path(__file__).parents[3]
PLACES = """
  north: {testbed: simulated/breakpoint, tags: {speed: 100G}, check: none}
  south: {testbed: simulated/queue, tags: {speed: 10G}, check: none}
"""
USERS = {"alice": "user", "bob": "user", "root": "admin", "looker": "reader"}
JOB = """
version: 1
name: two-ways
duration: 1 s
loss: 0
ports: [{name: p1, speed: 1 Gbps}, {name: p2, speed: 1 Gbps}]
streams: [{name: north, tx: p1, rx: p2, frame_size: 512, rate: 20 %}]
"""
PATIENCE_S = 60.0


class User:
    """Somebody who uses the service."""

    def __init__(self, url: str, token: str = "", **options: Any) -> None:
        self.url, self.token = url, token
        self.session = requests.Session()
        self.session.trust_env = False
        self.options = options

    def ask(self, method: str, path: str, expect: int = 200, **given: Any) -> Any:
        """The answer of the service; AssertionError if it has another status."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= given.pop("headers", {})
        url = f"{self.url}{path}"
        answer = self.session.request(method, url, headers=headers, timeout=90, **self.options, **given)
        assert answer.status_code == expect, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text

    def get(self, path: str, expect: int = 200, **given: Any) -> Any:
        return self.ask("GET", path, expect, **given)

    def post(self, path: str, content: Mapping[str, Any] | None = None, expect: int = 200) -> Any:
        return self.ask("POST", path, expect, json=content)

    def lease(self, place: str = "", expect: int = 201, **wish: Any) -> Any:
        asked = {
            "place": place,
            "ttl_s": 600,
            **wish,
        }  # a machine under load keeps nobody's heartbeat in time
        return self.post("/v1/leases", asked, expect)

    def acquire(self, place: str = "", **wish: Any) -> Any:
        """A lease, once it is acquired."""
        lease = self.lease(place, **wish)
        return self.get(f"/v1/leases/{lease['id']}?wait=60")

    def release(self, lease: Mapping[str, Any], expect: int = 200, query: str = "") -> Any:
        return self.ask("DELETE", f"/v1/leases/{lease['id']}{query}", expect)

    def submit(self, lease: Mapping[str, Any], text: str = JOB, expect: int = 201, query: str = "") -> Any:
        return self.ask("POST", f"/v1/leases/{lease['id']}/jobs{query}", expect, data=text.encode())

    def ended(self, job: Mapping[str, Any]) -> Any:
        """A job once it is over."""
        return self.get(f"/v1/jobs/{job['id']}?wait=60")

    def error(self, method: str, path: str, expect: int, **given: Any) -> str:
        """The sentence with which something is refused."""
        refused = self.ask(method, path, expect, **given)
        assert refused["status"] == expect
        return str(refused["error"])


class Served:
    """A service, and its users by their names."""

    def __init__(self, folder: Path, places: str = PLACES, more: str = "", database: str = "") -> None:
        self.folder, self.file = folder, folder / "lab.yaml"
        self.database = database or str(folder / "service" / "service.sqlite")
        listen = "" if "listen:" in more else "listen: 127.0.0.1:0\n"
        self.file.write_text(
            f"version: 1\n{listen}folder: {folder}/service\ndatabase: {self.database}\n"
            f"{more}\nplaces:{places}"
        )
        self.tokens: dict[str, str] = {}
        self.options: dict[str, Any] = {}
        self.url = ""
        self.python = [sys.executable]
        self._process: subprocess.Popen[str] | None = None

    def add(self, name: str, role: str = "user", days: float | None = None) -> None:
        """Gives a user a token."""
        store = Store(Address.parse(self.database, KIND), alone=False)
        self.tokens[name] = add_user(store, name, role, days)
        store.close()

    def remove(self, name: str) -> None:
        """Forgets the tokens of a user."""
        store = Store(Address.parse(self.database, KIND), alone=False)
        remove_user(store, name)
        store.close()

    def user(self, name: str) -> User:
        return User(self.url, self.tokens[name], **self.options)

    @property
    def output(self) -> IO[str] | None:
        """Its output, for readers of more than the first line."""
        assert self._process
        return self._process.stdout

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    def start(self) -> None:
        command = [*self.python, "-m", "TesterLibrary.commands.main", "serve", str(self.file)]
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))},
        )
        assert self._process.stdout
        line = self._process.stdout.readline()
        found = re.match(r"(https?://\S+): ", line)
        assert found, line
        self.url = found[1]

    def stop(self, number: int = signal.SIGTERM) -> None:
        assert self._process
        self._process.send_signal(number)
        self._process.wait(PATIENCE_S)
        assert self._process.stdout
        self._process.stdout.close()
        self._process = None

    def audit(self, admin: str = "root") -> list[tuple[str, str, int, str]]:
        """Who did what with which status, and what was said."""
        lines = self.user(admin).get("/v1/audit?after=0&limit=1000")
        return [(line["who"], line["did"], line["status"], line["said"]) for line in lines]

    def close(self) -> None:
        if self._process and self._process.poll() is None:
            self.stop(signal.SIGKILL)


@contextmanager
def served(folder: Path, places: str = PLACES, **options: str) -> Iterator[Served]:
    """A service that runs, with the usual users."""
    service = Served(folder, places, **options)
    for name, role in USERS.items():
        service.add(name, role)
    try:
        service.start()
        yield service
    finally:
        service.close()


def until(holds: Callable[[], object], seconds: float = 30.0) -> None:
    """Waits until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
