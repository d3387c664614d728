# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Cables from a fake switch to network interfaces, behind which are real devices and hosts."""

from __future__ import annotations

import selectors
import socket
import struct
import threading
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress

from ..session.switch import SwitchGone
from .daemon import FakeDaemon

_EVERYTHING = 0x0003  # ETH_P_ALL
_OUTGOING = 4  # PACKET_OUTGOING: what we have sent ourselves
_LONGEST = 1 << 16
_SOL_PACKET, _AUXDATA, _TAGGED = 263, 8, 0x10  # PACKET_AUXDATA, TP_STATUS_VLAN_VALID
_BESIDE = struct.Struct("=IIIHHHH")  # struct tpacket_auxdata
_ADDRESSES = 12  # bytes of a frame before its tags
_LINKS, _NEW_LINK = 1, 16  # RTMGRP_LINK, RTM_NEWLINK
_MESSAGE = struct.Struct("=IHHII")  # struct nlmsghdr
_INTERFACE = struct.Struct("=BxHiII")  # struct ifinfomsg
_LOWER_UP = 1 << 16  # IFF_LOWER_UP: there is somebody at the other end
_STAMPED, _STAMP = 35, struct.Struct("=qq")  # SO_TIMESTAMPNS, struct timespec
_RECEIVE_BUFFER, _QUEUE = 33, 1 << 26  # SO_RCVBUFFORCE, and bytes: what waits while the switch is busy
_YIELD_S = 0.0001
_TICK_S = 0.001  # in which templates of streams have their turns
_AT_ONCE = 64  # frames of an interface, before the others have their turn


class Turn:
    """Who has the switch: one request, or else the frames that cables bring, which wait for all requests."""

    def __init__(self) -> None:
        self._lock, self._requests = threading.Lock(), 0

    @contextmanager
    def of_a_request(self) -> Iterator[None]:
        """The turn of a request. One thread makes requests."""
        self._requests += 1
        with self._lock:
            self._requests -= 1
            yield

    @contextmanager
    def after_requests(self) -> Iterator[None]:
        """The turn of anything else."""
        while self._requests:
            time.sleep(_YIELD_S)
        with self._lock:
            yield


class Cables:
    """Sends what leaves a port of the switch by its interface. See `Wire`; nothing comes back at once."""

    def __init__(self) -> None:
        self._sockets: dict[int, socket.socket] = {}  # by device port
        self._numbers: dict[int, int] = {}  # device ports, by the number of the interface
        self._down: set[int] = set()  # device ports whose other end is down
        self._links = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._links.bind((0, _LINKS))
        self._links.setblocking(False)

    def plug_in(self, port: int, interface: str) -> None:
        """Leads a device port to an interface. OSError: it is not there, or not for us to use."""
        plugged = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)  # none of other interfaces
        with suppress(OSError):  # whoever may not have it has the usual one
            plugged.setsockopt(socket.SOL_SOCKET, _RECEIVE_BUFFER, _QUEUE)
        plugged.setsockopt(_SOL_PACKET, _AUXDATA, 1)
        plugged.setsockopt(socket.SOL_SOCKET, _STAMPED, 1)
        plugged.bind((interface, _EVERYTHING))
        plugged.setblocking(False)
        self._sockets[port] = plugged
        self._numbers[socket.if_nametoindex(interface)] = port

    def forward(
        self,
        port: int,
        frame: bytes,
        now_ns: int,  # noqa: ARG002
        others: Collection[int],  # noqa: ARG002
    ) -> Iterator[tuple[int, int, bytes]]:
        """See `Wire`. What finds no room in the interface's queue is lost."""
        if port in self._sockets:
            with suppress(OSError):
                self._sockets[port].send(frame)
        yield from ()

    def bring(self, daemon: FakeDaemon, turn: Turn) -> None:
        """Lets frames that interfaces bring arrive at the switch, from now on, in turn with requests."""
        threading.Thread(target=self._bring, args=(daemon, turn), daemon=True).start()

    def _bring(self, daemon: FakeDaemon, turn: Turn) -> None:
        with selectors.DefaultSelector() as ready:
            for port, plugged in self._sockets.items():
                ready.register(plugged, selectors.EVENT_READ, port)
            ready.register(self._links, selectors.EVENT_READ, None)
            while True:
                found = ready.select(_TICK_S)
                with turn.after_requests():
                    if daemon.pauses is not None:
                        daemon.pauses.look()
                    try:
                        daemon.running.chip  # noqa: B018 - runs what is due
                    except SwitchGone:  # which the next request is told
                        return
                    for key, _ in found:
                        if key.data is None:
                            self._follow_links(daemon)
                        else:
                            self._take(daemon, key.data)

    def _follow_links(self, daemon: FakeDaemon) -> None:
        """Takes the links of ports up and down with those of their interfaces."""
        with suppress(OSError):  # all have been told of
            while True:
                for number, is_up in _told(self._links.recv(_LONGEST)):
                    port = self._numbers.get(number)
                    if port is not None and is_up is (port in self._down):
                        self._down ^= {port}
                        daemon.set_link(port, up=is_up)

    def _take(self, daemon: FakeDaemon, port: int) -> None:
        for _ in range(_AT_ONCE):
            try:
                frame, beside, _, (_, _, kind, *_) = self._sockets[port].recvmsg(
                    _LONGEST, socket.CMSG_SPACE(_BESIDE.size) + socket.CMSG_SPACE(_STAMP.size)
                )
            except OSError:  # there is none, or the interface is down
                return
            if kind != _OUTGOING:
                tagged = frame[:_ADDRESSES] + _tag(beside) + frame[_ADDRESSES:]
                daemon.arrive(port, tagged, waited_ns=_waited_ns(beside))


def _told(messages: bytes) -> Iterator[tuple[int, bool]]:
    """Numbers of interfaces of which the kernel has told, and whether they have a link."""
    while len(messages) >= _MESSAGE.size + _INTERFACE.size:
        length, kind, *_ = _MESSAGE.unpack_from(messages)
        if kind == _NEW_LINK:
            _, _, number, flags, _ = _INTERFACE.unpack_from(messages, _MESSAGE.size)
            yield number, bool(flags & _LOWER_UP)
        messages = messages[-(-length // 4) * 4 :]


def _waited_ns(beside: Iterable[tuple[int, int, bytes]]) -> int:
    """How long a frame has waited for this process, which has no CPU to itself, since the kernel had it."""
    for level, kind, words in beside:
        if (level, kind) == (socket.SOL_SOCKET, _STAMPED):
            seconds, nanoseconds = _STAMP.unpack(words)
            had_it_ns: int = seconds * 10**9 + nanoseconds
            return max(0, time.time_ns() - had_it_ns)
    return 0


def _tag(beside: Iterable[tuple[int, int, bytes]]) -> bytes:
    """The outermost VLAN tag, which the kernel takes out of a frame and hands over beside it."""
    for level, kind, words in beside:
        if (level, kind) == (_SOL_PACKET, _AUXDATA):
            status, _, _, _, _, control, protocol = _BESIDE.unpack(words)
            if status & _TAGGED:
                return struct.pack(">HH", protocol, control)
    return b""
