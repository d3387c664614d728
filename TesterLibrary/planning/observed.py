# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The value of a header field in frames as they were captured, wherever their headers put it."""

from __future__ import annotations

from ..errors import PlanError
from ..model.editor import FieldPath
from ..model.headers import Header, HeaderStack
from ..wire.headers import layers_of
from .template import FramePlace, FrameTemplate


class FieldReader:
    """Reads one field. Frames that are equal but for their last bytes are taken apart once."""

    def __init__(self, path: FieldPath, ignored: int) -> None:
        """`ignored`: bytes at the end of a frame that no header reaches, such as those of a signature."""
        self._path = path
        self._ignored = ignored
        self._known: dict[bytes, int | None] = {}

    def value(self, frame: bytes) -> int | None:
        """The value of the field in a frame without FCS; None if the frame has no such header."""
        headers = frame[: -self._ignored or None]
        if headers not in self._known:
            self._known[headers] = self._read(frame)
        return self._known[headers]

    def number(self, frame: bytes, text: str) -> int:
        """The number that a text means in this field of a frame that has it. PlanError if it means none."""
        return _taken_apart(frame).place(self._path).number(text)

    def text(self, frame: bytes, number: int) -> str:
        """A value of this field as people read it, in a frame that has it."""
        return _taken_apart(frame).place(self._path).text(number)

    def _read(self, frame: bytes) -> int | None:
        place = self.place(frame)
        return None if place is None else place.of(frame)

    def place(self, frame: bytes) -> FramePlace | None:
        """The place of the field in a frame; None if the frame has no such header."""
        template = _taken_apart(frame)
        names = [header.name for header in template.stack.headers]
        wanted = {"VLAN": ("Dot1Q", "Dot1AD")}.get(self._path.header, (self._path.header.rpartition(".")[2],))
        if sum(name in wanted for name in names) < self._path.number:
            return None
        return template.place(self._path)


def _taken_apart(frame: bytes) -> FrameTemplate:
    """A frame with the headers that Scapy finds in it."""
    from scapy.layers.l2 import Ether

    packet = Ether(frame)
    names = tuple(Header(type(layer).__name__) for layer in layers_of(packet))
    if len(names) < 2:
        raise PlanError("nothing but Ethernet is known in a captured frame")
    return FrameTemplate(HeaderStack(names), packet, b"", len(frame))
