# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The device between the ports of a fake switch, whose behaviour is known exactly: here, a bridge."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from ....testbeds.fake_devices import Shaper
from ...fake.device import FakePath

_ETHERNET = 6  # bytes of an address
_QUEUE = 64  # frames that wait for a path; others are dropped
_BIT_NS = 8 * 10**9  # bits each second times nanoseconds, in a byte


class Wire(Protocol):
    """The device between the ports."""

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        """The times and ports at which frames leave it, because of one that came in.

        Args:
            port: The port by which it came in.
            frame: Its bytes.
            now_ns: The time at which it came in.
            others: Ports that are up.
        """


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
        """See `Wire`."""
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


class ShapingBridge(Bridge):
    """A bridge with a token bucket and a queue on each port that frames leave by."""

    def __init__(self, shaper: Shaper) -> None:
        super().__init__()
        self._shaper = shaper
        self._buckets: dict[int, _Bucket] = {}  # by port

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        """See `Wire`."""
        for at_ns, out, octets in super().forward(port, frame, now_ns, others):
            if out not in self._buckets:
                self._buckets[out] = _Bucket(self._shaper, at_ns)
            leaves_ns = self._buckets[out].leaves(at_ns, len(octets))
            if leaves_ns is not None:
                yield leaves_ns, out, octets


class _Bucket:
    """The tokens of one port, and the frames that wait for them."""

    def __init__(self, shaper: Shaper, now_ns: int) -> None:
        self._rate, self._full = shaper.rate.bps, shaper.burst * _BIT_NS
        self._queue = shaper.queue
        self._tokens, self._at_ns = self._full, now_ns  # when the last frame left, or leaves
        self._waiting: deque[tuple[int, int]] = deque()  # when each leaves, and its bytes
        self._backlog = 0

    def leaves(self, now_ns: int, octets: int) -> int | None:
        """When a frame that comes now leaves; None if the queue has no room for it, or it never would."""
        while self._waiting and self._waiting[0][0] <= now_ns:
            self._backlog -= self._waiting.popleft()[1]
        if self._backlog + octets > self._queue or octets * _BIT_NS > self._full:
            return None
        begins_ns = max(now_ns, self._at_ns)
        tokens = min(self._full, self._tokens + (begins_ns - self._at_ns) * self._rate)
        leaves_ns = begins_ns + -(-max(0, octets * _BIT_NS - tokens) // self._rate)
        self._tokens = tokens + (leaves_ns - begins_ns) * self._rate - octets * _BIT_NS
        self._at_ns = leaves_ns
        self._waiting.append((leaves_ns, octets))
        self._backlog += octets
        return leaves_ns
