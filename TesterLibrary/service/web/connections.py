# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The connections of a server: who says nothing, or does not read, keeps nobody out.

A connection has a short time for the handshake of TLS, and for the header of a request. When there are too
many, one without a whole request gives way: the oldest of the address that has most of them. A client that
does not read its answer is left.

The server ends a connection in stages (RFC 9112, 9.6): it sends no more, and reads on until the client has
closed too. If it closed at once while the client still sends, the kernel would reset the connection, and the
client would see the reset in place of the answer.
"""

from __future__ import annotations

import asyncio
import resource
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable, Mapping
from typing import Any, cast

import h11
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol

_TLS_HANDSHAKE = 0x16  # the first octet of a TLS client (RFC 8446 §5.1)
HEADER_S = 10.0  # until the header of a request is there, from its first byte, or from the connection
WRITE_S = 30.0  # for a client to read what is sent to it
_MOST = 4096
_OTHER_FILES = 512  # of the process, beside connections
_FEWEST = 64
_MOST_DRAINED = 1 << 22  # bytes that are read and dropped after the service has ended a connection

Peer = tuple[str, int]


class Connections:
    """Those that are open, and the names in the certificates of who is connected."""

    def __init__(self, most: int = _MOST, *, header_s: float = HEADER_S, write_s: float = WRITE_S) -> None:
        """`most` at a time.

        Args:
            most: So many at a time.
            header_s: Until the header of a request is there, and until a client has closed a connection that
                the server has ended.
            write_s: Until a client has read so much that more can be sent.
        """
        self.most, self.header_s, self.write_s = most, header_s, write_s
        self.names: dict[Peer, tuple[str, ...]] = {}
        self.uids: dict[Peer, int] = {}  # of the users of this machine who have connected, once looked up
        self.on_malformed: Callable[[Peer], Response] = lambda _: Response()  # the answer
        self._open: set[Connection | Handshake] = set()
        self._idle: dict[
            str, dict[Connection | Handshake, None]
        ] = {}  # by address, those that are idle longest first

    @property
    def most_requests(self) -> int:
        """So many requests at a time leave connections that can give way."""
        return self.most // 2

    def fit(self) -> None:
        """Lets the process have so many files; where it may not, there are fewer connections."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = self.most + _OTHER_FILES
        if soft == resource.RLIM_INFINITY or soft >= wanted:
            return
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        self.most = max(min(self.most, soft - _OTHER_FILES), _FEWEST)

    def add(self, connection: Connection | Handshake) -> None:
        """A connection is made, and says nothing yet; another one gives way if there are too many."""
        self._open.add(connection)
        self.note_idle(connection)
        if len(self._open) > self.most:
            of_one = max(self._idle.values(), key=len)
            oldest = next(iter(of_one))
            self.remove(oldest)
            oldest.transport.abort()

    def note_idle(self, connection: Connection | Handshake) -> None:
        """A connection has no request, and may give way."""
        if connection in self._open:
            self._idle.setdefault(connection.address, {})[connection] = None

    def note_busy(self, connection: Connection | Handshake) -> None:
        """A connection has a request."""
        idle = self._idle.get(connection.address, {})
        idle.pop(connection, None)
        if not idle:
            self._idle.pop(connection.address, None)

    def remove(self, connection: Connection | Handshake) -> None:
        """A connection is over."""
        self.note_busy(connection)
        self._open.discard(connection)


class _StagedTransport:
    """A transport that closes in stages.

    Args:
        transport: That of the connection.
        await_client: Called when it sends no more, and the client is to close.
    """

    def __init__(self, transport: asyncio.Transport, await_client: Callable[[], None]) -> None:
        self._transport, self._await_client = transport, await_client
        self.is_draining = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self.is_draining or self._transport.is_closing()

    def close(self) -> None:
        if self.is_closing() or not self._transport.can_write_eof():  # TLS has no half of a connection
            self._transport.close()
            return
        try:
            self._transport.write_eof()
        except OSError:  # the client has reset the connection
            self._transport.close()
            return
        self.is_draining = True
        self._transport.resume_reading()
        self._await_client()


class Connection(H11Protocol):
    """One of HTTP. Tells the guard whose certificate it has."""

    of: Connections  # set by the class that is made for a server
    address = ""
    _late: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _staged: _StagedTransport
    _drained = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a new connection."""
        self._staged = _StagedTransport(transport, self._await_client)
        super().connection_made(cast("asyncio.Transport", self._staged))
        tls = transport.get_extra_info("ssl_object")
        certificate = tls.getpeercert() if tls else None
        if self.client:
            self.address = self.client[0]
            if certificate:
                self.of.names[self.client] = names_of(certificate)
        self._await_header()
        self.of.add(self)

    def data_received(self, data: bytes) -> None:
        """Takes a part of what the client sends."""
        if self._staged.is_draining:
            self._drained += len(data)
            if self._drained > _MOST_DRAINED:
                self.transport.abort()
            return
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._await_header()
        else:
            self._stop_waiting()
            if self._has_request():
                self.of.note_busy(self)

    def on_response_complete(self) -> None:
        """Goes on with the next request."""
        self.of.note_idle(self)
        super().on_response_complete()
        if self._has_request():  # the next one came with the last one
            self.of.note_busy(self)

    def _has_request(self) -> bool:
        """Whether a whole request is there, which is being answered."""
        is_whole = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
        return is_whole and bool(self.cycle) and not self.cycle.response_complete

    def pause_writing(self) -> None:
        """The client has to read before more is sent."""
        super().pause_writing()
        self._unread = self.loop.call_later(self.of.write_s, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        self._stop_writing()

    def _stop_writing(self) -> None:
        if self._unread:
            self._unread.cancel()
            self._unread = None

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuses what cannot be read as HTTP; where an answer has begun there is room for no other."""
        answer = self.of.on_malformed(self.client or ("", 0))
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            head = h11.Response(status_code=answer.status_code, headers=answer.raw_headers)
            for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def shutdown(self) -> None:
        """Ends the connection with the service; one without a request is closed at once."""
        if self.cycle is None or self.cycle.response_complete:
            self._staged.is_draining = True
        super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._stop_waiting()
        self._stop_writing()
        self.of.remove(self)
        if self.client:
            self.of.names.pop(self.client, None)
            self.of.uids.pop(self.client, None)
        super().connection_lost(exc)

    def _await_client(self) -> None:
        self._stop_waiting()
        self._await_header()

    def _await_header(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.of.header_s, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._late:
            self._late.cancel()
            self._late = None


def connection_class(connections: Connections) -> type[Connection]:
    """The connections that uvicorn makes for a server."""
    return type("_Connection", (Connection,), {"of": connections})


class Handshake(asyncio.Protocol):
    """A connection until TLS has begun; then it is one of HTTP, in its place.

    asyncio would tell of none before, however many there are, and wait for a minute.
    """

    http: type[Connection]  # set by the class that is made for a server
    context: ssl.SSLContext
    is_plain: bool  # whether a client may speak HTTP without TLS, too
    transport: asyncio.Transport
    address = ""
    _late: asyncio.TimerHandle | None = None

    def __init__(self, **given: Any) -> None:
        """The arguments are those of the HTTP connection."""
        self._given = given

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins TLS on a new connection, or waits for the first octet of the client."""
        self.transport = transport
        peer = transport.get_extra_info("peername")
        self.address = peer[0] if isinstance(peer, tuple) else ""
        self.http.of.add(self)
        if self.is_plain:
            loop = asyncio.get_running_loop()
            self._late = loop.call_later(self.http.of.header_s, transport.abort)
        else:
            self._begin_tls()

    def data_received(self, data: bytes) -> None:
        """Takes the first octets of a client that may use TLS, or not."""
        self._stop_waiting()
        if data[0] == _TLS_HANDSHAKE:
            _feed(self._begin_tls(), data)
            return
        self.http.of.remove(self)
        http = self.http(**self._given)
        self.transport.set_protocol(http)
        http.connection_made(self.transport)
        http.data_received(data)

    def connection_lost(self, _: Exception | None) -> None:
        """The client has gone before it has said anything."""
        self._stop_waiting()
        self.http.of.remove(self)

    def _begin_tls(self) -> SSLProtocol:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        ready.add_done_callback(self._over)
        http = self.http(**self._given)
        patience: Any = self.http.of.header_s  # typeshed takes whole seconds alone
        tls = SSLProtocol(loop, http, self.context, ready, server_side=True, ssl_handshake_timeout=patience)
        self.transport.set_protocol(tls)
        tls.connection_made(self.transport)
        return tls

    def _stop_waiting(self) -> None:
        if self._late:
            self._late.cancel()

    def _over(self, ready: asyncio.Future[None]) -> None:
        self.http.of.remove(self)
        if not ready.cancelled():
            ready.exception()  # it is closed, and there is nobody to tell


def handshake_class(connections: Connections, context: ssl.SSLContext, *, plain: bool) -> type[Handshake]:
    """The connections that uvicorn makes for a server with TLS; `plain`: without it, too, as clients like."""
    own = {"http": connection_class(connections), "context": context, "is_plain": plain}
    return type("_Handshake", (Handshake,), own)


def _feed(tls: SSLProtocol, data: bytes) -> None:
    """Gives TLS what was read before it began."""
    if not isinstance(tls, asyncio.BufferedProtocol):  # Python 3.10
        tls.data_received(data)
        return
    while data:
        buffer = memoryview(tls.get_buffer(len(data)))
        count = min(len(buffer), len(data))
        buffer[:count] = data[:count]
        tls.buffer_updated(count)
        data = data[count:]


def names_of(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """The names in a certificate of a user: its common name, and those of hosts and of mail."""
    subject = (pair for step in certificate.get("subject", ()) for pair in step)
    common = [value for key, value in subject if key == "commonName"]
    others = [value for kind, value in certificate.get("subjectAltName", ()) if kind in ("DNS", "email")]
    return tuple(dict.fromkeys([*common, *others]))
