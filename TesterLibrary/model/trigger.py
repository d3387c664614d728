# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Triggers as users ask for them: packets that arrive have others sent (HyperTester §4.1, §5.3).

    frames = frame { ";" frame }
    frame  = headers [ "/" Raw(load="text") ]        headers as in Scapy

A value that names a field of the packet that has arrived is worked out: `TCP(ack="TCP.seq + 1")`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import UnitError
from .expression import Expression
from .headers import Header, HeaderStack
from .query import PacketFilter
from .responder import End
from .units.notation import LIST, written_as

MOST_FRAMES = 16  # that one packet has sent
DEFAULT_MOST = 1_000_000  # packets by which a trigger goes off
_READS = re.compile(r"(^|\s)([A-Z][\w]*\.[a-z]\w*|payload\.length|frame\.length)(\s|$)")
_PAYLOAD = "Raw"
_KEPT = "payload"


@dataclass(frozen=True)
class SentFrame:
    """A frame to send: headers, fields that follow from the packet that has arrived, and payload."""

    headers: HeaderStack  # with the constants that its author gave
    fields: tuple[tuple[str, Expression], ...] = ()
    payload: bytes = b""
    keeps_payload: bool = False  # that of the packet that has arrived

    @classmethod
    def parse(cls, text: str) -> SentFrame:
        """Raises UnitError for anything that is not written as above."""
        stack = HeaderStack.parse(text)
        headers, payload, keeps = list(stack.headers), b"", False
        if headers[-1].name == _PAYLOAD:
            given = dict(headers.pop().fields)
            load = given.pop("load", "")
            if given or not isinstance(load, str) or not load or not headers:
                raise UnitError(f'{text!r}: write the payload as Raw(load="text") behind headers')
            keeps = load == _KEPT
            payload = b"" if keeps else _octets(load, text)
        fields: list[tuple[str, Expression]] = []
        constant: list[Header] = []
        for header in headers:
            read = {
                name: value
                for name, value in header.fields
                if isinstance(value, str) and _READS.search(value)
            }
            fields += [(f"{header.name}.{name}", Expression.parse(value)) for name, value in read.items()]
            rest = tuple((name, value) for name, value in header.fields if name not in read)
            constant.append(Header(header.name, rest))
        return cls(HeaderStack(tuple(constant)), tuple(fields), payload, keeps)


def _octets(load: str, text: str) -> bytes:
    try:
        return load.encode("latin-1")
    except UnicodeEncodeError:
        raise UnitError(
            f"{text!r}: the payload has characters that are no bytes; write \\xNN for each byte"
        ) from None


@written_as(LIST)
@dataclass(frozen=True)
class SentFrames:
    """Frames to send: `Ether / IP / TCP(flags=A, ack="TCP.seq + 1")`, several with `;` between them."""

    frames: tuple[SentFrame, ...]

    @classmethod
    def parse(cls, text: object) -> SentFrames:
        """Raises UnitError for what are no headers as Scapy's users write them."""
        if isinstance(text, SentFrames):
            return text
        parts = [str(part) for part in text] if isinstance(text, (list, tuple)) else str(text).split(";")
        frames = tuple(SentFrame.parse(part) for part in parts)
        if len(frames) > MOST_FRAMES:
            raise UnitError(f"{len(frames)} frames for one packet; give at most {MOST_FRAMES}")
        return cls(frames)


@dataclass(frozen=True, kw_only=True)
class Trigger(End):
    """Sends frames whenever a packet of no stream arrives that passes a filter."""

    protocol: str = ""  # it has a table of its own
    filter: PacketFilter
    send: SentFrames
    out: str | None = None  # the port by which they leave; None: the one where the packet arrived
    swap: bool = True  # addresses and ports that are not given are those of an answer
    most: int = DEFAULT_MOST  # packets by which it goes off

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.most < 1:
            raise self.refused(f"most={self.most} packets are too few; give 1 or more")
        if not self.filter.conditions:
            raise self.refused("its filter is empty, so every packet would have it go off; give a condition")

    @property
    def ports(self) -> frozenset[str]:
        """See `End`."""
        return super().ports | {self.out or self.port}
