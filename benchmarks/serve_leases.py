# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast one service hands testers from user to user, while a thousand of them wait."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service.access import add_user
from TesterLibrary.service.store import KIND, Store

from .harness.machine import load_average
from .harness.outcome import Outcome, Run, above
from .harness.registry import Settings, benchmark

_USERS = 1000
_PLACES = 10
_MOST_ROUNDS = 3  # of a thousand leases each


@benchmark(unit="leases/s", bound=above(200, "leases/s"))
def serve_leases(settings: Settings) -> Outcome:
    """Leases granted and released each second, from a queue of 1,000 users who wait for 10 testers"""
    runs = []
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        tokens = _write(folder)
        for _ in range(min(settings.runs, _MOST_ROUNDS)):
            load = load_average()
            runs.append(Run(_round(folder, tokens), None, load))
    return Outcome(tuple(runs), note="over HTTP, each on the disk before it is answered; simulated testers")


def _write(folder: Path) -> list[str]:
    """A service with its users."""
    places = "".join(f"\n  p{n}: {{testbed: simulated/queue, check: none}}" for n in range(_PLACES))
    (folder / "lab.yaml").write_text(
        f"version: 1\nlisten: 127.0.0.1:0\nfolder: {folder}\nplaces:{places}\n", encoding="utf-8"
    )
    store = Store(Address.parse(folder / "service.sqlite", KIND))
    try:
        return [add_user(store, f"user{number}", "user", None) for number in range(_USERS)]
    finally:
        store.close()


def _round(folder: Path, tokens: list[str]) -> float:
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "serve", str(folder / "lab.yaml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            found = re.match(r"http://(.*):(\d+): ", service.stdout.readline())
            if found is None:
                raise RuntimeError("the service has not started")
            return asyncio.run(_leases_each_second(found[1], int(found[2]), tokens))
        finally:
            service.terminate()


async def _leases_each_second(host: str, port: int, tokens: list[str]) -> float:
    users = [_User(host, port, token) for token in tokens]
    for user in users:
        await user.open()
        await user.ask()
    waiting = [asyncio.create_task(user.wait_and_release()) for user in users]
    await asyncio.sleep(0)
    ended = await asyncio.gather(*waiting)
    return (len(users) - _PLACES) / (max(ended) - sorted(ended)[_PLACES - 1])


class _User:
    """A user with a connection of his own."""

    def __init__(self, host: str, port: int, token: str) -> None:
        self._host, self._port, self._token = host, port, token
        self._lease = ""

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port)

    async def ask(self) -> None:
        self._lease = (await self._call("POST", "/v1/leases", b'{"ttl_s": 600}'))["id"]

    async def wait_and_release(self) -> float:
        """Waits in the queue, and gives the tester to the next one. Returns when."""
        lease = {"state": "waiting"}
        while lease["state"] == "waiting":
            lease = await self._call("GET", f"/v1/leases/{self._lease}?wait=60")
        if lease["state"] != "acquired":
            raise RuntimeError(f"the lease is {lease['state']}")
        await self._call("DELETE", f"/v1/leases/{self._lease}")
        self._writer.close()
        return time.monotonic()

    async def _call(self, method: str, path: str, body: bytes = b"") -> Any:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", answer, re.I)
        content = await self._reader.readexactly(int(length[1])) if length else b""
        if not re.match(r"HTTP/1.1 20[01] ", answer):
            raise RuntimeError(f"{method} {path}: {answer.partition(chr(13))[0]} {content.decode()}")
        return json.loads(content)
