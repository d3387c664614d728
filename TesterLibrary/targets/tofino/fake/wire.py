# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The device between the ports of a fake switch: a bridge whose behaviour is known exactly."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from ...fake.device import FakePath

_ETHERNET = 6  # bytes of an address
_QUEUE = 64  # frames that wait for a path; others are dropped


@dataclass
class Bridge:
    """Forwards frames as a `FakePath` says. It learns addresses, and floods frames to unknown ones."""

    path: FakePath = field(default_factory=FakePath)
    where: dict[bytes, int] = field(default_factory=dict)  # ports, by the address of a station
    _missing: Fraction = Fraction(0)  # frames that it owes its loss ratio
    _free_ns: int = 0

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        """The times and ports at which a frame leaves the bridge.

        Args:
            port: The port by which it came in.
            frame: Its bytes.
            now_ns: The time at which it came in.
            others: Ports that are up.
        """
        target, source = frame[:_ETHERNET], frame[_ETHERNET : 2 * _ETHERNET]
        if not source[0] & 1:
            self.where[source] = port
        known = self.where.get(target)
        out = [other for other in others if other != port and known in (None, other)] if known != port else []
        if not out or self._loses():
            return
        leaves_ns = self._leaves(now_ns)
        if leaves_ns is None:
            return
        for other in out:
            yield leaves_ns + self.path.delay.ns, other, frame

    def _loses(self) -> bool:
        self._missing += self.path.loss.value
        if self._missing < 1:
            return False
        self._missing -= 1
        return True

    def _leaves(self, now_ns: int) -> int | None:
        """When a frame leaves the queue of the path; None if the queue is full."""
        if self.path.capacity is None:
            return now_ns
        each_ns = 10**9 // self.path.capacity
        leaves_ns = max(now_ns, self._free_ns)
        if leaves_ns - now_ns > _QUEUE * each_ns:
            return None
        self._free_ns = leaves_ns + each_ns
        return leaves_ns
