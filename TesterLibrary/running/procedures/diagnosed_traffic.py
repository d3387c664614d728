# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The traffic of a diagnosis: what can be varied in the frames of each stream, and streams of one kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import lcm

from ...errors import PlanError
from ...methodology.diagnosis import FRAME_SIZE, Factor, FrameKind, TrafficStream
from ...model.editor import Editor, FieldPath, FieldValues
from ...model.plan.law import Script
from ...model.plan.plan import PlannedStream
from ...model.stream import Stream
from ...model.units.units import MIN_FRAME_SIZE, FrameSize, Rate, RateUnit
from ...planning.observed import FieldReader
from ...planning.template import FramePlace
from ...wire.header_values import from_number
from ..tester import Tester

_LONGEST_PERIOD = 4096  # frames of which the kinds are told one by one
_LONGEST_FRAME = 1518  # that is tried, where the traffic has no longer ones
_WIDEST = 64  # bits of a field
# Fields that may be sent with other values than those of the traffic, and these values.
_FREE = {
    "IP.tos": range(256),
    "IPv6.tc": range(256),
    "UDP.sport": range(1, 1 << 16),
    "UDP.dport": range(1, 1 << 16),
    "TCP.sport": range(1, 1 << 16),
    "TCP.dport": range(1, 1 << 16),
    "Dot1Q.prio": range(8),
}


@dataclass(frozen=True)
class _VariedField:
    path: FieldPath
    place: FramePlace

    def text(self, value: int) -> str:
        """A value as the header has it: an address, or a number."""
        return str(from_number(self.place.field, value))


class DiagnosedStream:
    """One stream of the failing traffic."""

    def __init__(self, tester: Tester, stream: Stream) -> None:
        """PlanError if its frames cannot be varied."""
        if not stream.signature or stream.copies:
            raise PlanError(
                f"stream {stream.name!r}: a diagnosis knows each frame by its signature, and expects it on "
                "one port; send it with signature and without copies"
            )
        self.stream = stream
        self._tester = tester
        (planned,) = tester.check([stream]).streams
        if not planned.frames:
            raise PlanError(f"stream {stream.name!r} replays a file, whose frames cannot be varied")
        self._fields = {str(field.path): field for field in _varied(planned)}
        edited = {editor.field or editor.name for editor in planned.editors}
        self._constant = {  # fields that need no editor
            name: field.place.of(planned.frame) for name, field in self._fields.items() if name not in edited
        }
        period, repeats = self._period(planned)
        self.traffic = TrafficStream(
            stream.name, stream.tx, stream.rx, tuple(self._factors(planned, period)), period, repeats
        )

    @property
    def frames_per_second(self) -> Fraction:
        """Its rate."""
        speed = self._tester.ports[self.stream.tx].speed
        part = self._tester.part_of_line(self.stream)
        return part * speed.frames_per_second(self.stream.frame_size.mean)

    def of(self, kind: FrameKind, name: str, frames_per_second: Fraction) -> Stream:
        """The stream whose frames are all of one kind, evenly spaced."""
        stream = replace(
            self.stream,
            name=name,
            frame_size=FrameSize(kind.value(FRAME_SIZE)),
            rate=Rate(frames_per_second, RateUnit.PPS),
            shaping=None,
            cascades=(),
            count_flows=False,
            phase=Fraction(0),
        )
        for field, value in kind.values:
            if (varied := self._fields.get(field)) and self._constant.get(field) != value:
                stream = stream.with_editor(Editor(varied.path, FieldValues((varied.text(value),))))
        return stream

    def _factors(self, planned: PlannedStream, period: tuple[FrameKind, ...]) -> list[Factor]:
        factors = [Factor(FRAME_SIZE, self._sizes(planned))]
        for name, field in self._fields.items():
            values = _FREE.get(name) or sorted({kind.value(name) for kind in period})
            factors.append(Factor(name, values, partial(_written, field)))
        return factors

    def _sizes(self, planned: PlannedStream) -> range:
        """The frame sizes that the tester can send."""
        largest = max(planned.sizes)
        highest = _LONGEST_FRAME if largest < _LONGEST_FRAME and self._fits(_LONGEST_FRAME) else largest
        low, passing = MIN_FRAME_SIZE - 1, min(planned.sizes)
        while passing - low > 1:
            middle = (low + passing) // 2
            low, passing = (low, middle) if self._fits(middle) else (middle, passing)
        return range(passing, highest + 1)

    def _fits(self, size: int) -> bool:
        try:
            self._tester.check([replace(self.stream, frame_size=FrameSize(size), shaping=None)])
        except PlanError:
            return False
        return True

    def _period(self, planned: PlannedStream) -> tuple[tuple[FrameKind, ...], bool]:
        """The kinds of the first frames, and whether they begin again then."""
        editors = {(e.bit_offset, e.bits): e for e in planned.editors}
        periods = [editor.period for editor in planned.editors]
        sizes = 0 if isinstance(planned.departures.law, Script) else len(self.stream.frame_size.order)
        whole = lcm(sizes, *(period for period in periods if period)) if sizes and None not in periods else 0
        frames = whole if 0 < whole <= _LONGEST_PERIOD else _LONGEST_PERIOD
        kinds = []
        for number in range(frames):
            size = planned.octets(number + 1) - planned.octets(number)
            values = [(FRAME_SIZE, size)]
            for name, field in self._fields.items():
                editor = editors.get((field.place.bit_offset, field.place.bits))
                value = editor.value(number) if editor else field.place.of(planned.template(number))
                values.append((name, value))
            kinds.append(FrameKind(self.stream.name, tuple(values)))
        return tuple(kinds), frames == whole


def _written(field: _VariedField, value: int) -> str:
    return field.text(value)


def _varied(planned: PlannedStream) -> list[_VariedField]:
    """The fields that the stream changes itself, and those of `_FREE` that its headers have."""
    names = [editor.field or editor.name for editor in planned.editors]
    fields = []
    for name in dict.fromkeys([*names, *_FREE]):
        path = FieldPath.parse(name)
        place = FieldReader(path, 0).place(planned.frame)
        if place is not None and place.bits <= _WIDEST and (name in names or not _is_outer(planned, place)):
            fields.append(_VariedField(path, place))
    return fields


def _is_outer(planned: PlannedStream, place: FramePlace) -> bool:
    """Whether a port is that of a tunnel: more headers are behind it, which another port would hide."""
    ends = {"UDP": 8, "TCP": 20}.get(place.path.header)
    begin = {"sport": 0, "dport": 2}.get(place.path.field, 0)
    return ends is not None and place.bit_offset // 8 - begin + ends < planned.header_size
