# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What the frames of a stream contain: templates, the fields that change, and the checksums that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations

from ..errors import PlanError
from ..model.edit import Checksum, ChecksumKind, PlannedEditor, RandomRange
from ..model.editor import Editor, FieldPath
from ..model.plan import Version
from ..model.stream import Stream
from .cascade import cascaded
from .coverage import Checksums
from .editor import Change, change, default_seed
from .flows import FlowSpace
from .reach import Reach
from .template import Template
from .version import chosen_version

MOST_EDITORS = 16
MOST_FLOWS = 1 << 24
_TRIED = (0, 1, 2, 3, 1000, 65_537)  # frames that Scapy builds too
_LAST_DRAWN = 1000  # of a random range, which has to draw all values before


@dataclass(frozen=True)
class Content:
    """The part of a planned stream that says what frame k is."""

    frames: tuple[bytes, ...]
    editors: tuple[PlannedEditor, ...] = ()
    checksums: tuple[Checksum, ...] = ()
    flows: int = 0
    changes: tuple[Change, ...] = ()  # of the editors
    version: Version | None = None  # chosen by the author
    reach: Reach | None = None  # None: it replays a file, whose addresses are not known


def content(stream: Stream, templates: Sequence[Template], seed: int) -> Content:
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


def _edited(stream: Stream, templates: Sequence[Template], seed: int) -> Content:
    if len(stream.editors) > MOST_EDITORS:
        raise PlanError(f"{len(stream.editors)} fields change; at most {MOST_EDITORS} can")
    changes = {own.path: _change(stream, own, templates[0], seed) for own in stream.editors}
    _check_apart(changes)
    every = cascaded(
        {own.path: own.every for own in stream.editors},
        {path: own.source.period for path, own in changes.items()},
        stream.cascades,
    )
    first = {own.place: own.value(0) for own in changes.values()}
    checksums = Checksums(templates[0], first)
    editors = []
    for path, own in changes.items():
        with _naming(str(path)):
            low, bits = own.window
            covered = checksums.coverage(own.place, own.changing)
        offset = own.place.bit_offset + own.place.bits - low - bits
        editors.append(PlannedEditor(str(path), offset, bits, every[path], own.source, covered))
    version, reached = None, tuple(changes.values())
    if stream.version:
        version, either = chosen_version(stream.version, templates[0], checksums, editors)
        reached += (either,)
    cyclic = any(own.kind is ChecksumKind.CRC32C for own in checksums.found)
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


def _change(stream: Stream, editor: Editor, template: Template, seed: int) -> Change:
    place = template.place(editor.path)
    with _naming(str(editor.path)):
        before = place.of(template.frame)
        return change(place, editor, before, default_seed(seed, stream.name, editor.path))


def _check_apart(changes: Mapping[FieldPath, Change]) -> None:
    for (one, own), (other, their) in combinations(changes.items(), 2):
        if own.place.bit_offset < their.place.bit_offset + their.place.bits and (
            their.place.bit_offset < own.place.bit_offset + own.place.bits
        ):
            raise PlanError(f"{one} and {other} are the same field; edit it once")


def _check_by_building(space: FlowSpace, made: Content, templates: Sequence[Template]) -> None:
    """Holds some frames against what Scapy makes of the same values."""
    drawn = any(isinstance(editor.source, RandomRange) for editor in made.editors)
    for number in (own for own in _TRIED if own <= _LAST_DRAWN or not drawn):
        values = {
            own.place: own.value(number // editor.every)
            for editor, own in zip(made.editors, made.changes, strict=True)
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
