# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The packet in hand while a row is done."""

from __future__ import annotations

from .domain_name import domain_name
from .frame import Frame

_MOST_BEFORE = (1 << 31) - 1
_MOST_AHEAD = (1 << 32) - 1


class InHand:
    """The packet in hand: a frame, and how much of its payload is taken."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.taken = 0
        self._before = 0  # bytes that arrived earlier and follow its payload in the stream
        self._ahead = 0  # bytes of the stream that are missing before its payload

    @property
    def left(self) -> int:
        """Bytes that are not taken."""
        return len(self.frame.payload) + self._before - self.taken

    @property
    def seen(self) -> bytes:
        """The bytes that are not taken and whose content is known."""
        return self.frame.payload[self.taken :]

    def take(self, octets: int) -> int:
        """Takes up to so many bytes off the payload, and returns how many."""
        taken = max(0, min(octets, self.left))
        self.taken += taken
        return taken

    def lengthen(self, octets: int) -> None:
        """Notes that so many bytes which arrived earlier follow its payload in the stream."""
        self._before = min(self._before + max(0, octets), _MOST_BEFORE)

    def set_ahead(self, octets: int) -> None:
        """Notes the number of bytes of the stream that are missing before its payload."""
        self._ahead = max(0, min(octets, _MOST_AHEAD))

    def read_name(self, at: int) -> int:
        """The number of a domain name, 0 if it is not whole; `at` counts from the innermost header.

        At 0 it is the name at the begin of the payload, and is taken off.
        """
        header = self.frame.parts[-1].octets
        here = len(header) + min(self.taken, len(self.frame.payload))
        name = domain_name(bytes(header) + self.frame.payload, len(header), at or here)
        if at == 0 and name.number:
            self.take(name.octets)
        return name.number

    def read(self, name: str) -> int:
        """The value of a field, or of a fact about the packet."""
        if name == "payload.length":
            return len(self.frame.payload)
        if name == "payload.left":
            return self.left
        if name == "payload.ahead":
            return self._ahead
        return self.frame.length if name == "frame.length" else self.frame.get(name)
