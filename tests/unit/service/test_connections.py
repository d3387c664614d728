# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Who is connected and says nothing, or too little, keeps nobody from the service."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service.config import shipped_places
from TesterLibrary.service.door import Door
from TesterLibrary.service.ledger import Ledger
from TesterLibrary.service.store import KIND, Store
from TesterLibrary.service.user import Role, User, digest_of
from TesterLibrary.service.web.connections import Connections, connection_class, handshake_class
from TesterLibrary.service.web.guard import App, Message, Receive, Send

from .served import User as Client
from .served import served, until
from .test_access import identity

_REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
_HEADER_S = 0.5
_BODY_S = 0.5
_PATIENCE_S = 60  # with a server whose machine is busy
_MOST = 8
_CLIENT = ("127.0.0.1", 4711)
_going: set[int] = set()  # ports of clients that get a long answer


_is_asked, _may_answer = threading.Event(), threading.Event()  # of the path /held


async def _answer(scope: Any, _: Any, send: Any) -> None:
    """An application that answers after 1.5 s, when it may, or at length, if the path says so."""
    await asyncio.sleep(1.5 if scope["path"] == "/slow" else 0)
    if scope["path"] == "/held":
        _is_asked.set()
        while not _may_answer.is_set():
            await asyncio.sleep(0.01)
    if scope["path"] != "/long":
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})
        return
    _going.add(port := scope["client"][1])
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(1000):
        await send({"type": "http.response.body", "body": bytes(1 << 20), "more_body": True})
    await send({"type": "http.response.body"})
    _going.discard(port)


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server with few connections, and little patience."""
    with _serving(connection_class(Connections(_MOST, header_s=_HEADER_S))) as port:
        yield port


@contextmanager
def _serving(protocol: type[asyncio.Protocol]) -> Iterator[int]:
    settings = uvicorn.Config(_answer, http=protocol, ws="none", lifespan="off", log_level="error")
    server = uvicorn.Server(settings)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def _connect(port: int, address: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), _PATIENCE_S, (address, 0))


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1000) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("before", [b"", _REQUEST], ids=["first", "second"])
def test_a_header_that_does_not_come_is_not_waited_for(port: int, before: bytes) -> None:
    """Also if it comes byte by byte, for 11 s, and if a whole request was before it."""
    began = time.monotonic()
    with _connect(port) as connection:
        if before:
            connection.sendall(before)
            assert connection.recv(1000).startswith(b"HTTP/1.1 204")
        connection.settimeout(0.1)
        for byte in _REQUEST * 3:
            try:
                connection.sendall(bytes([byte] if byte > 32 else b"a"))
                if _is_closed(connection):
                    break
            except ConnectionError:
                break
            except TimeoutError:
                continue
        else:
            pytest.fail("it was waited for")
        assert time.monotonic() - began > _HEADER_S * 0.8


def test_an_answer_that_takes_longer_than_a_header_may_is_given(port: int) -> None:
    with _connect(port) as connection:
        connection.sendall(_REQUEST.replace(b"/ ", b"/slow ", 1))
        assert connection.recv(1000).startswith(b"HTTP/1.1 204")


def test_a_client_that_resets_is_no_error(port: int, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(20):  # the reset may come before or after the end of the answer
        with _connect(port) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall(_REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    with _connect(port) as connection:
        connection.sendall(_REQUEST)
        assert connection.recv(1000).startswith(b"HTTP/1.1 204")
    assert not caplog.records


def test_a_client_that_does_not_read_is_left() -> None:
    """Its connection, and all that it holds, stayed for ever."""
    connections = Connections(_MOST, write_s=0.5)
    with _serving(connection_class(connections)) as port, _connect(port) as connection:
        connection.sendall(_REQUEST.replace(b"/ ", b"/long ", 1))
        until(lambda: _going)
        until(lambda: not (_going or connections._open))


def test_who_has_most_silent_connections_loses_the_oldest(port: int) -> None:
    with ExitStack() as stack:
        other = stack.enter_context(_connect(port, "127.0.0.2"))
        busy = stack.enter_context(_connect(port))
        _is_asked.clear()
        _may_answer.clear()
        busy.sendall(_REQUEST.replace(b"/ ", b"/held ", 1))
        assert _is_asked.wait(_PATIENCE_S)
        silent = [stack.enter_context(_connect(port)) for _ in range(_MOST)]
        assert _is_closed(silent[0])
        for connection in (other, silent[-1]):
            connection.sendall(_REQUEST)
            assert connection.recv(1000).startswith(b"HTTP/1.1 204")
        _may_answer.set()
        assert busy.recv(1000).startswith(b"HTTP/1.1 204")


def test_requests_beyond_the_most_are_refused_as_all_and_heartbeats_are_not(tmp_path: Path) -> None:
    async def asked() -> list[int]:
        done = asyncio.Event()

        async def app(scope: Any, _: Any, send: Any) -> None:
            if not scope["path"].endswith("/heartbeat"):
                await done.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        ledger = Ledger(Store(Address.parse(tmp_path / "service.sqlite", KIND)))
        connections = Connections(_MOST)
        connections.uids[_CLIENT] = os.geteuid()
        door = Door(app, shipped_places(), ledger, connections)

        async def ask(path: str) -> int:
            sent: list[Any] = []

            async def send(message: Any) -> None:
                sent.append(message)

            headers = [(b"host", b"localhost")]
            scope = {"type": "http", "method": "POST", "path": path, "headers": headers, "client": _CLIENT}
            await door(scope, lambda: asyncio.sleep(0, {}), send)
            if sent[0]["status"] == 503:
                refused = json.loads(sent[1]["body"])
                assert refused["status"] == 503
                assert refused["error"].startswith("4 requests are being answered")
            return int(sent[0]["status"])

        going = [asyncio.create_task(ask("/v1/leases")) for _ in range(_MOST // 2)]
        await asyncio.sleep(0)
        told = [await ask("/v1/leases"), await ask("/v1/leases/1/heartbeat")]
        told.append(await ask("/v1/jobs/1/reports/heartbeat"))  # anybody's file
        done.set()
        told += [await task for task in going]
        told.append(await ask("/v1/leases"))
        ledger.close()
        return told

    assert asyncio.run(asked()) == [503, 200, 503, 200, 200, 200, 200, 200]


def _door(folder: Path, app: App, **more: Any) -> Door:
    ledger = Ledger(Store(Address.parse(folder / "service.sqlite", KIND)))
    door = Door(app, shipped_places(), ledger, Connections(_MOST), **more)
    door.users = {digest_of(name): User(name, Role.USER) for name in ("alice", "bob")}
    return door


async def _ask(door: Door, user: str, receive: Receive) -> tuple[int, str]:
    """The status of an answer, and what it says if it is a refusal."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {user}".encode())]
    await door({"type": "http", "method": "POST", "path": "/v1/leases", "headers": headers}, receive, send)
    said = json.loads(sent[1]["body"])["error"] if len(sent) > 1 else ""
    return int(sent[0]["status"]), said


@pytest.mark.parametrize("plain", [False, True])
def test_who_begins_no_tls_keeps_nobody_out(tmp_path: Path, plain: bool) -> None:
    certificate, key = identity(tmp_path, "server")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    connections = Connections(_MOST, header_s=5.0)
    trust = ssl.create_default_context(cafile=str(certificate))
    with _serving(handshake_class(connections, context, plain=plain)) as port:
        with ExitStack() as stack:
            silent = [stack.enter_context(_connect(port, "127.0.0.2")) for _ in range(_MOST)]
            with trust.wrap_socket(_connect(port), server_hostname="127.0.0.1") as client:
                client.sendall(_REQUEST)
                assert client.recv(1000).startswith(b"HTTP/1.1 204")
            assert _is_closed(silent[0]), "it gave way"
            silent[-1].settimeout(0.1)
            with pytest.raises(TimeoutError):
                silent[-1].recv(1)
            silent[-1].settimeout(20)
            assert _is_closed(silent[-1]), "its time is over"
        until(lambda: not connections._open)


def test_one_user_leaves_requests_to_others(tmp_path: Path) -> None:
    async def asked() -> list[tuple[int, str]]:
        done = asyncio.Event()

        async def app(_: Any, __: Any, send: Any) -> None:
            await done.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        door = _door(tmp_path, app)
        going = [asyncio.create_task(_ask(door, user, _nothing)) for user in ("alice",) * 4 + ("bob",)]
        await asyncio.wait(going, timeout=0.5)  # the one that is refused
        done.set()
        return [await task for task in going]

    answers = asyncio.run(asked())
    assert [status for status, _ in answers] == [200, 200, 200, 429, 200]
    assert answers[3][1].startswith("3 requests of alice are being answered; others have the rest")


async def _nothing() -> Message:
    return {"type": "http.request"}


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    """Also if it comes byte by byte; whoever waits for an answer, which takes longer, is not meant."""

    async def app(_: Any, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        await asyncio.sleep(2 * _BODY_S)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(receive(), 2 * _BODY_S)  # until the client is gone
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def slowly() -> Message:
        await asyncio.sleep(_BODY_S / 5)
        return {"type": "http.request", "body": b"{", "more_body": True}

    parts = iter([_nothing()])

    async def at_once() -> Message:
        for part in parts:
            return await part
        await asyncio.Event().wait()
        raise AssertionError

    async def asked() -> list[tuple[int, str]]:
        door = _door(tmp_path, app, body_s=_BODY_S)
        return [await asyncio.wait_for(_ask(door, "bob", receive), 20) for receive in (slowly, at_once)]

    (status, said), answered = asyncio.run(asked())
    assert status == 408
    assert re.fullmatch(r"the body did not come within 0\.5 s; [1-5] bytes of it did", said)
    assert answered == (200, "")


@contextmanager
def _many_files(most: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(most, before[1])), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_thousands_of_silent_connections_end_no_lease(tmp_path: Path) -> None:
    with served(tmp_path) as service, _many_files(5000), ExitStack() as stack:
        alice = service.user("alice")
        lease = alice.acquire("north", ttl_s=5)
        port = int(service.url.rpartition(":")[2])
        for number in range(4200):
            stack.enter_context(_connect(port))
            if number % 1000 == 0:
                alice.post(f"/v1/leases/{lease['id']}/heartbeat")
        fresh = Client(service.url, alice.token)
        assert fresh.post(f"/v1/leases/{lease['id']}/heartbeat")["state"] == "acquired"
        until(lambda: fresh.get("/v1/health")["status"] == "ok")
