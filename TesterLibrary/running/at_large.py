# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames without signature that have not arrived: in a later trial nobody can tell them from its own."""

from __future__ import annotations

_LONGEST_NS = 120 * 10**9  # for which a network may keep a frame (RFC 9293 §3.4.3, maximum segment lifetime)


class AtLarge:
    """How many such frames may still arrive at each port. Times are those of the tester."""

    def __init__(self) -> None:
        self._missing: dict[str, tuple[int, int]] = {}  # frames, and when the last of them left

    def at(self, port: str, now_ns: int) -> int:
        """Frames that may arrive at a port from now on."""
        frames, left_ns = self._missing.get(port, (0, 0))
        return frames if now_ns - left_ns < _LONGEST_NS else 0

    def note(self, port: str, *, began_ns: int, last_ns: int, sent: int, received: int) -> None:
        """A trial is over, in which so many frames left for the port and arrived there.

        What arrived may have been of the trials before it, so what is missing adds up.
        """
        before = self.at(port, began_ns)
        missing = max(0, before + sent - received)
        _, left_ns = self._missing.get(port, (0, 0))
        self._missing[port] = missing, max(last_ns, left_ns if before else 0)
