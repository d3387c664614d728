# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The cable from the copy port of a fake switch to the machine that it runs on."""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterator
from contextlib import suppress
from ipaddress import IPv4Address

from ....protocols.frame import checksum
from .wire import Wire

_NETWORK, _DATAGRAM, _PAYLOAD = 14, 34, 42  # where IPv4, UDP and its payload begin


class CopyCable:
    """A wire whose copy port leads to a socket, which sends the datagrams in what leaves by it.

    Args:
        wire: The device between the other ports.
        port: The device port of copies.
        sender: A UDP socket of the machine, which may be in another network namespace.
    """

    def __init__(self, wire: Wire, port: int, sender: socket.socket) -> None:
        self._wire, self._port, self._sender = wire, port, sender

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        """See `Wire`. Nothing comes back from the machine."""
        if port == self._port:
            self._send(frame)
            return
        rest = [other for other in others if other != self._port]
        yield from self._wire.forward(port, frame, now_ns, rest)

    def _send(self, frame: bytes) -> None:
        """Sends what is in a frame, if it is one that a machine takes."""
        length = int.from_bytes(frame[_NETWORK + 2 : _NETWORK + 4], "big")
        datagram = int.from_bytes(frame[_DATAGRAM + 4 : _DATAGRAM + 6], "big")
        if checksum(frame[_NETWORK:_DATAGRAM]) or datagram != length - (_DATAGRAM - _NETWORK):
            return
        host = IPv4Address(frame[_DATAGRAM - 4 : _DATAGRAM])
        udp_port = int.from_bytes(frame[_DATAGRAM + 2 : _DATAGRAM + 4], "big")
        with suppress(OSError):  # nobody listens any more
            self._sender.sendto(frame[_PAYLOAD : _NETWORK + length], (str(host), udp_port))
