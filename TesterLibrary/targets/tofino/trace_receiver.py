# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The datagrams in which a switch sends what it traces to this machine."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address

from ...errors import TargetError
from .trace_record import TraceRecord, trace_of

_RECEIVE_BUFFER, _QUEUE = 33, 1 << 28  # SO_RCVBUFFORCE, and bytes: what waits while this process is busy
_LONGEST = 1 << 16
_LOOK_S = 0.1  # until it is noticed that nobody listens any more


class TraceReceiver:
    """Keeps the records of each trace in the order in which they come, each with the time at which it came.

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
                f"traces of the switch come to {host}, which is no address of this machine "
                f"({problem.strerror}); give that of the interface to the switch's trace port"
            ) from None
        self._socket.settimeout(_LOOK_S)
        self._datagrams: dict[int, list[tuple[int, bytes]]] = {}
        self._open = True
        threading.Thread(target=self._receive, daemon=True, name="trace receiver").start()

    @property
    def port(self) -> int:
        """The UDP port that records come to."""
        number: int = self._socket.getsockname()[1]
        return number

    def begin(self, trace: int) -> None:
        """Keeps the records of a trace from now on."""
        self._datagrams[trace] = []

    def count(self, trace: int) -> int:
        """The records of a trace that have come."""
        return len(self._datagrams[trace])

    def end(self, trace: int) -> list[tuple[int, TraceRecord]]:
        """The records of a trace, each with the time at which it came; no more are kept."""
        return [(came_ns, TraceRecord.parse(octets)) for came_ns, octets in self._datagrams.pop(trace)]

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
                kept = self._datagrams.get(trace_of(octets))
                if kept is not None:
                    kept.append((now_ns(), octets))
