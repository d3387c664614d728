# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The datagrams in which a switch sends copies of packets to this machine."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from ipaddress import IPv4Address

from ....errors import TargetError
from .copy_record import series_of

_RECEIVE_BUFFER, _QUEUE = 33, 1 << 28  # SO_RCVBUFFORCE, and bytes: what waits while this process is busy
_LONGEST = 1 << 16
_LOOK_S = 0.1  # until it is noticed that nobody listens any more

THREAD = "copy receiver"

Takes = Callable[[int, bytes], object]  # the time at which a datagram came, and its bytes


class CopyReceiver:
    """Hands each copy to those who follow its series, in the order in which copies come.

    Args:
        host: This machine's address that the switch sends to.
        now_ns: The clock of the driver.

    Raises:
        TargetError: this machine has no such address.
    """

    def __init__(self, host: IPv4Address, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._now_ns = now_ns
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with suppress(OSError):  # whoever may not have it has the usual one
            self._socket.setsockopt(socket.SOL_SOCKET, _RECEIVE_BUFFER, _QUEUE)
        try:
            self._socket.bind((str(host), 0))
        except OSError as problem:
            self._socket.close()
            raise TargetError(
                f"copies of packets come to {host}, which is no address of this machine "
                f"({problem.strerror}); give that of the interface to the switch's copy port"
            ) from None
        self._socket.settimeout(_LOOK_S)
        self._takers: dict[int, tuple[Takes, ...]] = {}
        self._turn = threading.RLock()
        self._open = True
        threading.Thread(target=self._receive, daemon=True, name=THREAD).start()

    @property
    def port(self) -> int:
        """The UDP port that copies come to."""
        number: int = self._socket.getsockname()[1]
        return number

    def paused(self) -> AbstractContextManager[object]:
        """Within it no copy is handed on; those that come wait."""
        return self._turn

    def follow(self, series: int, take: Takes) -> None:
        """Hands the copies of a series also to `take` from now on, in a thread of its own."""
        with self._turn:
            self._takers[series] = (*self._takers.get(series, ()), take)

    def leave(self, series: int, take: Takes) -> None:
        """Hands no more of them to `take`."""
        with self._turn:
            self._takers[series] = tuple(other for other in self._takers[series] if other != take)

    def close(self) -> None:
        """Listens no more."""
        self._open = False

    def _receive(self) -> None:
        receive, now_ns = self._socket.recv, self._now_ns
        with self._socket:
            while self._open:
                try:
                    octets = receive(_LONGEST)
                except TimeoutError:
                    continue
                came_ns = now_ns()
                with self._turn:
                    for take in self._takers.get(series_of(octets), ()):
                        take(came_ns, octets)
