# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface to the port of a switch's CPU, for packets to the program and from it."""

from __future__ import annotations

import errno
import socket
from contextlib import suppress

from .serving import Refusal

_LONGEST = 1 << 14  # bytes of a packet to the CPU
_AT_ONCE = 1000  # packets
_ETH_P_ALL = 3


class CpuPort:
    """A network interface of this machine, opened as it is."""

    def __init__(self, interface: str) -> None:
        self._name = interface
        try:
            # With a protocol here, the socket would take packets of all interfaces until it is bound.
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            self._socket.bind((interface, _ETH_P_ALL))
            self._socket.setblocking(False)
        except OSError as problem:
            raise Refusal(
                "broken",
                f"the interface {interface!r} to the switch's CPU port cannot be opened: {problem}",
            ) from problem

    def send(self, frames: list[str]) -> None:
        """Sends packets to the CPU port."""
        for octets in map(bytes.fromhex, frames):
            try:
                self._socket.send(octets)
            except OSError as problem:
                what = (
                    f"the interface {self._name!r} to the CPU port takes no packet of {len(octets):,} bytes"
                )
                hint = f"; raise its MTU to {len(octets)} at least" if problem.errno == errno.EMSGSIZE else ""
                raise Refusal("broken", f"{what}: {problem}{hint}") from problem

    def received(self) -> list[str]:
        """The packets that have come from the CPU port; of a flood the first ones, so that it ends."""
        found: list[str] = []
        with suppress(BlockingIOError):
            while len(found) < _AT_ONCE:
                octets, source = self._socket.recvfrom(_LONGEST)
                if source[2] != socket.PACKET_OUTGOING:  # type: ignore[attr-defined,unused-ignore]
                    found.append(octets.hex())
        return found
