# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The packet that a row is about."""

from __future__ import annotations

from .frame import Frame


class InHand:
    """A frame, and how much of its payload is taken."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.taken = 0

    @property
    def left(self) -> bytes:
        """Of the payload."""
        return self.frame.payload[self.taken :]

    def take(self, octets: int) -> int:
        """Takes up to so many bytes off the payload, and says how many."""
        taken = max(0, min(octets, len(self.left)))
        self.taken += taken
        return taken

    def read(self, name: str) -> int:
        """A field, or a fact about it."""
        if name == "payload.length":
            return len(self.frame.payload)
        if name == "payload.left":
            return len(self.left)
        return self.frame.length if name == "frame.length" else self.frame.get(name)
