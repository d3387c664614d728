# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The packet that a row is about."""

from __future__ import annotations

from .frame import Frame

_MOST_BEFORE = (1 << 31) - 1


class InHand:
    """A frame, and how much of its payload is taken."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.taken = 0
        self._before = 0  # bytes that came before it and belong behind its payload

    @property
    def left(self) -> int:
        """Bytes that are not taken."""
        return len(self.frame.payload) + self._before - self.taken

    @property
    def seen(self) -> bytes:
        """Those of them whose content is known."""
        return self.frame.payload[self.taken :]

    def take(self, octets: int) -> int:
        """Takes up to so many bytes off the payload, and says how many."""
        taken = max(0, min(octets, self.left))
        self.taken += taken
        return taken

    def lengthen(self, octets: int) -> None:
        """So many bytes that came before belong behind it."""
        self._before = min(self._before + max(0, octets), _MOST_BEFORE)

    def read(self, name: str) -> int:
        """A field, or a fact about it."""
        if name == "payload.length":
            return len(self.frame.payload)
        if name == "payload.left":
            return self.left
        return self.frame.length if name == "frame.length" else self.frame.get(name)
