# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts the frames of a capture file, pcap or pcapng, without keeping them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

from ..model.capture_totals import CaptureTotals
from ..model.units.units import FCS_LENGTH, MIN_FRAME_SIZE

_PCAP = {b"\xd4\xc3\xb2\xa1": ("<", 1000), b"\xa1\xb2\xc3\xd4": (">", 1000)}
_PCAP |= {b"\x4d\x3c\xb2\xa1": ("<", 1), b"\xa1\xb2\x3c\x4d": (">", 1)}  # nanoseconds
_SECTION = b"\x0a\x0d\x0d\x0a"
_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_INTERFACE, _ENHANCED = 1, 6
_RESOLUTION = 9  # an option of an interface
_MOST_BLOCK = 1 << 24


def survey(path: str) -> CaptureTotals | None:
    """The totals of a file; None where it cannot be read, is empty or damaged, which the tester says."""
    frames = octets = 0
    first: Fraction | int = 0
    last: Fraction | int = 0
    try:
        with Path(path).open("rb") as file:
            for time_ns, length in _frames(file):
                first = first if frames else time_ns
                last = time_ns
                frames += 1
                octets += max(MIN_FRAME_SIZE, length + FCS_LENGTH)
    except (OSError, ValueError, KeyError, IndexError, struct.error):
        return None
    return CaptureTotals(frames, octets, round(last - first)) if frames and last >= first else None


def _frames(file: BinaryIO) -> Iterator[tuple[Fraction | int, int]]:
    """The time and the length of each frame, without FCS."""
    magic = file.read(4)
    return _of_pcapng(file) if magic == _SECTION else _of_pcap(file, *_PCAP[magic])


def _of_pcap(file: BinaryIO, order: str, unit_ns: int) -> Iterator[tuple[int, int]]:
    file.seek(24)
    record = struct.Struct(f"{order}IIII")
    while header := file.read(record.size):
        seconds, rest, length, _ = record.unpack(header)
        file.seek(length, 1)
        yield seconds * 10**9 + rest * unit_ns, length


def _of_pcapng(file: BinaryIO) -> Iterator[tuple[Fraction, int]]:
    file.seek(0)
    order, resolutions = "<", list[Fraction]()
    while header := file.read(8):
        if header[:4] == _SECTION:
            order, resolutions = _ORDERS[file.read(4)], []
            file.seek(-4, 1)
        kind, length = struct.unpack(f"{order}II", header)
        if not 12 <= length <= _MOST_BLOCK:
            raise ValueError(length)
        body = file.read(length - 8)[:-4]
        if kind == _INTERFACE:
            resolutions.append(_resolution(body[8:], order))
        elif kind == _ENHANCED:
            interface, high, low, captured = struct.unpack(f"{order}IIII", body[:16])
            yield (high << 32 | low) * resolutions[interface], captured


def _resolution(options: bytes, order: str) -> Fraction:
    """Nanoseconds in a unit of an interface's times; microseconds unless an option says otherwise."""
    while len(options) >= 4:
        code, length = struct.unpack(f"{order}HH", options[:4])
        if code == _RESOLUTION:
            power = options[4]
            base = 2 if power & 0x80 else 10
            return Fraction(10**9, base ** (power & 0x7F))
        options = options[4 + -(-length // 4) * 4 :]
    return Fraction(1000)
