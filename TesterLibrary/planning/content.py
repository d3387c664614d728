# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The content of a stream's frames: templates, the fields that change, and the checksums that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations

from ..errors import PlanError
from ..model.editor import Editor, FieldPath
from ..model.plan.edit import Checksum, ChecksumKind, PlannedEditor, RandomRange
from ..model.plan.plan import Version
from ..model.stream import Stream
from .cascade import cascaded
from .coverage import Checksums
from .editor import FieldChange, change, default_seed
from .flows import FlowSpace
from .reach import Reach
from .template import FrameTemplate
from .version import chosen_version

MOST_EDITORS = 16
MOST_FLOWS = 1 << 22  # of all loaded streams: an engine's limit, `kMaxFlows`
_TRIED = (0, 1, 2, 3, 1000, 65_537)  # frames that are compared with those that Scapy builds
_LAST_DRAWN = 1000  # the last frame compared for a random range, which has to draw all values before


@dataclass(frozen=True)
class Content:
    """The part of a planned stream that determines the bytes of frame k."""

    frames: tuple[bytes, ...]
    editors: tuple[PlannedEditor, ...] = ()
    checksums: tuple[Checksum, ...] = ()
    flows: int = 0
    changes: tuple[FieldChange, ...] = ()  # one for each editor
    version: Version | None = None  # chosen by the author
    reach: Reach | None = None  # None: it replays a file, whose addresses are not known


def content(stream: Stream, templates: Sequence[FrameTemplate], seed: int) -> Content:
    """Frames and editors of a stream, from templates that differ in nothing but their length.

    Raises:
        PlanError: naming stream and field: what was given, what is allowed.
    """
    with _naming(f"stream {stream.name!r}"):
        _check_flows(stream)
        if not stream.editors and not stream.version:
            frames = tuple(template.frame for template in templates)
            return Content(frames, reach=Reach(templates[0], ()) if templates else None)
        if not templates:
            raise PlanError(
                "it replays a file, whose headers are not known; no field of it can change or have a version"
            )
        made = _edited(stream, templates, seed)
        space = FlowSpace(made.editors, made.checksums, lambda number: made.frames[number % len(templates)])
        _check_by_building(space, made, templates)
        return replace(made, flows=_flows(space)) if stream.count_flows else made


def _check_flows(stream: Stream) -> None:
    if stream.count_flows and not stream.editors:
        raise PlanError("its frames are all of one flow; to count flows, edit a field")
    if stream.count_flows and not stream.signature:
        raise PlanError("it has no signature, by which flows are told apart; count flows or send without")


def _edited(stream: Stream, templates: Sequence[FrameTemplate], seed: int) -> Content:
    if len(stream.editors) > MOST_EDITORS:
        raise PlanError(f"{len(stream.editors)} fields change; at most {MOST_EDITORS} can")
    changes = {editor.path: _change(stream, editor, templates[0], seed) for editor in stream.editors}
    _check_apart(changes)
    every = cascaded(
        {editor.path: editor.every for editor in stream.editors},
        {path: field.source.period for path, field in changes.items()},
        stream.cascades,
    )
    first = {field.place: field.value(0) for field in changes.values()}
    checksums = Checksums(templates[0], first)
    editors = []
    for path, field in changes.items():
        with _naming(str(path)):
            low, bits = field.window
            covered = checksums.coverage(field.place, field.changing)
        offset = field.place.bit_offset + field.place.bits - low - bits
        scapy = str(field.place.path)
        editors.append(
            PlannedEditor(str(path), offset, bits, every[path], field.source, covered, low, scapy, field.said)
        )
    version, reached = None, tuple(changes.values())
    if stream.version:
        version, either = chosen_version(stream.version, templates[0], checksums, editors)
        reached += (either,)
    cyclic = any(checksum.kind is ChecksumKind.CRC32C for checksum in checksums.found)
    if cyclic and len({len(template.trailer) for template in templates}) > 1:
        raise PlanError(
            "fields under SCTP's CRC change, so frame sizes have to differ by multiples of 4; give others"
        )
    return Content(
        tuple(template.built(first) for template in templates),
        tuple(editors),
        tuple(checksums.found),
        changes=tuple(changes.values()),
        version=version,
        reach=Reach(templates[0], reached),
    )


def _change(stream: Stream, editor: Editor, template: FrameTemplate, seed: int) -> FieldChange:
    place = template.place(editor.path)
    with _naming(str(editor.path)):
        before = place.of(template.frame)
        return change(place, editor, before, default_seed(seed, stream.name, editor.path))


def _check_apart(changes: Mapping[FieldPath, FieldChange]) -> None:
    for (path, field), (other_path, other) in combinations(changes.items(), 2):
        if field.place.bit_offset < other.place.bit_offset + other.place.bits and (
            other.place.bit_offset < field.place.bit_offset + field.place.bits
        ):
            raise PlanError(f"{path} and {other_path} are the same field; edit it once")


def _check_by_building(space: FlowSpace, made: Content, templates: Sequence[FrameTemplate]) -> None:
    """Compares some frames with those that Scapy builds from the same values."""
    drawn = any(isinstance(editor.source, RandomRange) for editor in made.editors)
    for number in (tried for tried in _TRIED if tried <= _LAST_DRAWN or not drawn):
        values = {
            field.place: field.value(number // editor.every)
            for editor, field in zip(made.editors, made.changes, strict=True)
        }
        if templates[number % len(templates)].built(values) != space.frame(number):
            fields = ", ".join(f"{name}={value}" for name, value in space.values(number).items())
            raise PlanError(
                f"frame {number} ({fields}) would not be right: more of it follows from these fields"
            )


def _flows(space: FlowSpace) -> int:
    if space.period is None:
        raise PlanError("a field is random, so its flows cannot be told apart by number and not be counted")
    if space.period > MOST_FLOWS:
        raise PlanError(f"it has {space.period:,} flows; at most {MOST_FLOWS:,} can be counted")
    return space.period


@contextmanager
def _naming(what: str) -> Iterator[None]:
    try:
        yield
    except PlanError as problem:
        raise PlanError(f"{what}: {problem}") from None
