# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams: frames that leave one port at an average rate and are expected on another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction

from ..errors import PlanError
from .capture_totals import CaptureTotals
from .departures import CaptureReplay, Shaping
from .editor import Editor, FieldPath, RandomField
from .expected_field import ExpectedField
from .headers import HeaderStack
from .mix import parse_frame_sizes
from .payload import COUNTING, Payload
from .ports import Forwarding
from .units.notation import option, option_of
from .units.units import LINE_RATE, Duration, FrameSize, FrameSizes, Rate, RateUnit

_WITH_PORTS = ("UDP", "TCP", "SCTP")
_RANDOM_PORTS = (("sport", "1024", "65535"), ("dport", "1", "49151"))  # RFC 4814 §4.5


@dataclass(frozen=True)
class Stream:
    """A stream as its author wrote it; nothing is resolved yet. Job files have an Option by its name."""

    name: str
    tx: str  # port names
    rx: str
    frame_size: FrameSizes = field(
        default=FrameSize(64),
        metadata=option(
            parse_frame_sizes,
            "give bytes from 64 to 16128, FCS included, or a mix: imix, IMIX(aaafg), 64:7 570:4 1518:1",
        ),
    )
    rate: Rate = LINE_RATE
    headers: HeaderStack | None = None  # None: Ethernet, the IP version of its ports, and UDP
    payload: Payload = COUNTING
    shaping: Shaping | None = None  # how its frames are spaced around the rate; None: evenly
    start_after: Duration = field(
        default=Duration(0),
        metadata=option(Duration.parse, "give how much later than the others it starts, such as 500 ms"),
    )
    together: bool = field(
        default=False,
        metadata=option(
            bool, "give true, to start at once with the other streams of its port and rate, or false"
        ),
    )
    phase: Fraction = Fraction(0)  # how much later its first frame is, in gaps between its frames
    editors: tuple[Editor, ...] = ()  # fields that change from frame to frame
    cascades: tuple[tuple[FieldPath, ...], ...] = ()  # in each, a field moves when the one before it wraps
    count_flows: bool = field(
        default=False,
        metadata=option(
            bool, "give true, to count each combination of the fields' values by itself, or false"
        ),
    )
    signature: bool = field(
        default=True,
        metadata=option(
            bool, "give false, to write nothing into payloads and to know frames by their headers, or true"
        ),
    )
    version: VersionField | None = None  # None: where the planner finds a place for it
    forwarding: Forwarding | None = None  # how the device treats its headers; None: as the testbed says
    expected_fields: tuple[ExpectedField, ...] = ()  # compared in each of its frames that arrives
    copies: tuple[str, ...] = ()  # other ports, at each of which every frame is expected, too: broadcast
    expected: bool = True  # one without signature that is not is looked for nowhere
    meshed: bool = False  # of a pattern of RFC 2889: a port sends to several ones, or gets from several
    answered: bool = True  # the tester announces the addresses in it, and answers who asks for them (ARP, ND)

    @property
    def as_captured(self) -> bool:
        """Whether its rate is that of a file, which only the tester knows."""
        return isinstance(self.shaping, CaptureReplay) and self.shaping.scale is not None

    @property
    def average_rate(self) -> Rate | None:
        """Its rate, also that of a file's gaps; None where only the tester can read the file."""
        shaping, sizes = self.shaping, self.frame_size
        if not isinstance(shaping, CaptureReplay) or shaping.scale is None:
            return self.rate
        captured = sizes.rate(shaping.scale) if isinstance(sizes, CaptureTotals) else None
        return None if captured is None else Rate(captured, RateUnit.PPS)

    def at(self, rate: Rate) -> Stream:
        """The same stream at another rate."""
        return replace(self, rate=rate)

    def with_editor(self, editor: Editor) -> Stream:
        """The same stream with a field that changes, in place of an earlier change of this field."""
        known = {existing.path: existing for existing in self.editors} | {editor.path: editor}
        return replace(self, editors=tuple(known.values()))

    def with_random_ports(self, seed: int | None) -> Stream:
        """The same stream with random ports of its innermost transport header (RFC 4814). PlanError: none."""
        names = [header.name for header in self.headers.headers] if self.headers else ["UDP"]
        header = next((name for name in reversed(names) if name in _WITH_PORTS), None)
        if header is None:
            raise PlanError(f"stream {self.name!r} has no ports; its headers are {self.headers}")
        stream = self
        for field_name, first, last in _RANDOM_PORTS:
            path = FieldPath(header, field_name, names.count(header))
            stream = stream.with_editor(Editor(path, RandomField(first, last), 1, seed))
        return stream

    def expecting(self, field: ExpectedField) -> Stream:
        """The same stream with a field that has to arrive in a certain way."""
        return replace(self, expected_fields=tuple(dict.fromkeys((*self.expected_fields, field))))

    def without_editor(self, path: FieldPath) -> Stream:
        """The same stream with a field as in its headers; a cascade with this field is removed."""
        return replace(
            self,
            editors=tuple(editor for editor in self.editors if editor.path != path),
            cascades=tuple(cascade for cascade in self.cascades if path not in cascade),
        )

    def cascading(self, paths: tuple[FieldPath, ...], editors: Iterable[Editor]) -> Stream:
        """The same stream with editors of fields, each of which moves when the one before it wraps."""
        stream = self
        for editor in editors:
            stream = stream.with_editor(editor)
        others = tuple(cascade for cascade in self.cascades if not set(cascade) & set(paths))
        return replace(stream, cascades=(*others, paths))


STREAM_OPTIONS = {known.name: found for known in fields(Stream) if (found := option_of(known))}


@dataclass(frozen=True)
class VersionField:
    """One bit of a field of the headers."""

    path: FieldPath
    bit: int | None = None  # from the lowest, 0; None: the highest

    def __str__(self) -> str:
        return str(self.path) if self.bit is None else f"bit {self.bit} of {self.path}"
