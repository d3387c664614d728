# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames that a plan sends: the content of frame k for any k, as `plan.proto` defines it.

With it everyone who has the plan can tell what each frame was, and index flows without a search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import gcd, lcm

from ..model.plan.edit import Checksum, ChecksumKind, PlannedEditor
from ..model.plan.plan import PlannedStream

_CASTAGNOLI = 0x82F63B78  # CRC-32C, its bits reversed


class FlowSpace:
    """All frames of a stream. Their signature is the plan's; the tester replaces it while it sends."""

    def __init__(
        self,
        editors: Sequence[PlannedEditor],
        checksums: Sequence[Checksum],
        template: Callable[[int], bytes],
    ) -> None:
        """`template`: gives frame k before editors change it."""
        self._template = template
        self._editors = editors
        self._checksums = checksums
        self._fields = [_Field.of(editor, checksums) for editor in editors]

    @classmethod
    def of(cls, stream: PlannedStream) -> FlowSpace:
        """The frames of a planned stream, which must not replay a file."""
        return cls(stream.editors, stream.checksums, stream.template)

    @property
    def period(self) -> int | None:
        """Frames after which the fields begin again; None if one of them is random."""
        periods = [editor.period for editor in self._editors]
        return None if None in periods else lcm(*(period for period in periods if period))

    @property
    def flows(self) -> int | None:
        """Combinations of values that follow each other in a period; None if it does not end."""
        return self.period and self.period // (gcd(*(editor.every for editor in self._editors)) or 1)

    def values(self, number: int) -> dict[str, int]:
        """The values of the edited fields in frame `number`, from 0, by their names."""
        return {editor.name: editor.value(number) for editor in self._editors}

    def frame(self, number: int) -> bytes:
        """The bytes of frame `number`, from 0, without FCS."""
        before = self._template(number)
        frame = bytearray(before)
        sums = [0] * len(self._checksums)
        for field in self._fields:
            value = field.editor.value(number)
            more = value - field.read(before)
            field.write(frame, value)
            for index, factor in field.factors:
                sums[index] += factor * more
        for checksum, added in zip(self._checksums, sums, strict=True):
            if checksum.kind is not ChecksumKind.CRC32C:
                _add(frame, checksum, added)
        for checksum in self._checksums:
            if checksum.kind is ChecksumKind.CRC32C:
                _cover(frame, checksum)
        return bytes(frame)


@dataclass(frozen=True)
class _Field:
    """The field of an editor in a frame."""

    editor: PlannedEditor
    octets: slice  # of the frame, that have a bit of it
    low: int  # bits of them after it
    mask: int
    factors: tuple[tuple[int, int], ...]  # index of each checksum over it, and what 1 in it adds to the sum

    @classmethod
    def of(cls, editor: PlannedEditor, checksums: Sequence[Checksum]) -> _Field:
        begin, end = editor.bit_offset, editor.bit_offset + editor.bits
        octets = slice(begin // 8, -(-end // 8))
        # In a one's-complement sum 2^16 counts as 1.
        factors = tuple(
            (covered.checksum, covered.weight << (8 * checksums[covered.checksum].offset - end) % 16)
            for covered in editor.coverage
        )
        return cls(editor, octets, 8 * octets.stop - end, (1 << editor.bits) - 1, factors)

    def read(self, frame: bytes) -> int:
        return int.from_bytes(frame[self.octets], "big") >> self.low & self.mask

    def write(self, frame: bytearray, value: int) -> None:
        before = frame[self.octets]
        kept = int.from_bytes(before, "big") & ~(self.mask << self.low)
        frame[self.octets] = (kept | value << self.low).to_bytes(len(before), "big")


def _add(frame: bytearray, checksum: Checksum, added: int) -> None:
    """Updates an Internet checksum (RFC 1624), which is minus the sum, modulo 2^16 - 1."""
    place = slice(checksum.offset, checksum.offset + 2)
    value = (int.from_bytes(frame[place], "big") - added) % 0xFFFF
    if value == 0 and checksum.kind is ChecksumKind.INTERNET_NOT_ZERO:
        value = 0xFFFF
    frame[place] = value.to_bytes(2, "big")


def _cover(frame: bytearray, checksum: Checksum) -> None:
    """Computes a CRC-32C anew (RFC 9260 appendix A)."""
    place = slice(checksum.offset, checksum.offset + 4)
    frame[place] = bytes(4)
    crc = 0xFFFFFFFF
    for octet in frame[checksum.begin : len(frame) - checksum.tail]:
        crc = crc >> 8 ^ _table()[(crc ^ octet) & 0xFF]
    frame[place] = (crc ^ 0xFFFFFFFF).to_bytes(4, "little")


@cache
def _table() -> tuple[int, ...]:
    """CRC-32C of each octet."""
    entries = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (_CASTAGNOLI if crc & 1 else 0)
        entries.append(crc)
    return tuple(entries)
