# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of frames, editors and checksums, the same as in an engine (`plan.proto`)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ...errors import PlanError
from ...model.plan.edit import Distribution, PlannedEditor, RandomBits, RandomRange, Source, Step, Values
from ...model.plan.plan import PlannedStream

_SIGNATURE = 16  # bytes at the end of a frame
_MOST_FRAMES, _LONGEST_ORDER = 4096, 65536
_MOST_EDITORS, _MOST_CHECKSUMS = 16, 8
_WORD = (1 << 64) - 1


def check_content(stream: PlannedStream) -> None:
    """Raises PlanError for frames that no tester can make."""
    for problem in _problems(stream):
        raise PlanError(f"stream {stream.name!r}: {problem}")


def _problems(stream: PlannedStream) -> Iterator[str]:
    frames, order = len(stream.frames), stream.order
    if frames > _MOST_FRAMES or len(order) > _LONGEST_ORDER:
        yield f"{frames} frames in an order of {len(order)}; at most {_MOST_FRAMES} and {_LONGEST_ORDER}"
    if order and not 0 <= min(order) <= max(order) < frames:
        yield f"its order has a frame {max(order)}; there are {frames}"
    if len(stream.editors) > _MOST_EDITORS or len(stream.checksums) > _MOST_CHECKSUMS:
        yield f"more than {_MOST_EDITORS} editors or {_MOST_CHECKSUMS} checksums"
    room = min(map(len, stream.frames), default=0) - (_SIGNATURE if stream.signature else 0)
    for editor in stream.editors:
        for problem in _of_editor(editor, room, len(stream.checksums)):
            yield f"editor {editor.name!r}: {problem}"
    for one, other in combinations(stream.editors, 2):
        if max(one.bit_offset, other.bit_offset) < min(map(_end, (one, other))):
            yield f"editors {one.name!r} and {other.name!r} share a bit"
    for checksum in stream.checksums:
        if checksum.offset + checksum.size > room:
            yield f"a checksum at byte {checksum.offset} is not in the {room} bytes before the signature"


def _of_editor(editor: PlannedEditor, room: int, checksums: int) -> Iterator[str]:
    if not 1 <= editor.bits <= 64 or editor.every < 1:
        yield f"{editor.bits} bits, every {editor.every} frames; 1 to 64 bits, every 1 or more"
        return
    if _end(editor) > 8 * room:
        yield f"bit {_end(editor)} is not in the {room} bytes before the signature"
    yield from _of_source(editor.source, (1 << editor.bits) - 1)
    if any(covered.checksum >= checksums for covered in editor.coverage):
        yield f"it is covered by a checksum that is not among the {checksums}"


def _of_source(source: Source, highest: int) -> Iterator[str]:
    """Problems with the values of a field that holds at most `highest`."""
    values: tuple[int, ...] = ()
    if isinstance(source, Step):
        values = (source.first,)
        if source.count < 1:
            yield "a step of no values"
    elif isinstance(source, Values):
        values = source.values
        if not 1 <= len(values) <= 1 << 20:
            yield f"a list of {len(values)} values; 1 to 2^20"
    elif isinstance(source, RandomBits):
        values = (source.base, source.mask)
    elif isinstance(source, RandomRange):
        values = (source.first, source.first + source.count - 1)
        if not 1 <= source.count <= 1 << 63:
            yield f"a range of {source.count} values; 1 to 2^63"
    elif isinstance(source, Distribution):
        values, bounds = source.values, source.cumulative
        if not 1 <= len(values) == len(bounds) <= 1 << 16:
            yield f"{len(values)} values with {len(bounds)} bounds; 1 to 65536 of both"
        elif list(bounds) != sorted(bounds) or bounds[-1] != _WORD:
            yield "bounds that fall, or do not end at 2^64 - 1"
    if any(not 0 <= value <= highest for value in values):
        yield f"a value that is not within 0 and {highest}"


def _end(editor: PlannedEditor) -> int:
    return editor.bit_offset + editor.bits
