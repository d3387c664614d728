# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes captures as pcapng with nanoseconds (draft-ietf-opsawg-pcapng), for Wireshark and its kin.

Each port is an interface. Each packet has its direction in epb_flags and, as a comment, its stream, its
number in the stream, and the direction again. Statistics of the interfaces come last: `isb_ifrecv` are the
frames that went by, `isb_filteraccept` those that matched, `isb_ifdrop` those for which there was no room,
`isb_usrdeliv` those in the file.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, count
from pathlib import Path

from ..errors import TesterLibraryError
from ..measurement.capture import CapturedFrame, StoppedCapture
from ..model.capture import Capture
from .machine import versions

_PACKAGE = "robotframework-testerlibrary"
_SECTION, _INTERFACE, _STATISTICS, _PACKET = 0x0A0D0D0A, 1, 5, 6
_BYTE_ORDER = 0x1A2B3C4D
_ETHERNET = 1
_END, _COMMENT = 0, 1
_APPLICATION = 4
_NAME, _MAC, _RESOLUTION, _FILTER = 2, 6, 9, 11
_FLAGS, _INBOUND, _OUTBOUND = 2, 1, 2
_START, _STOP, _SEEN, _DROPPED, _MATCHED, _DELIVERED = 2, 3, 4, 5, 6, 8
_NANOSECONDS = b"\x09"
_LIBPCAP = b"\0"  # of the kinds of filter
_PADDING = (b"", bytes(3), bytes(2), bytes(1))  # behind octets that fill the last four up to so many
_OPTION = struct.Struct("<HH")
_BEGIN, _REST, _FLAGS_LENGTH = struct.Struct("<IIIIIII"), struct.Struct("<HHIHHI"), 4  # of a packet
_FIXED = _BEGIN.size + _OPTION.size + _REST.size


def free_path(directory: Path, stem: str) -> Path:
    """A file of that name that does not exist yet: a number is added where it does."""
    plain = re.sub(r"[^\w.-]+", "-", stem)[:100]
    suffixes = chain([""], map("-{}".format, count(2)))
    candidates = (directory / f"{plain}{suffix}.pcapng" for suffix in suffixes)
    return next(path for path in candidates if not path.exists())


def not_written(problem: OSError, path: Path, capture: str, keyword: str) -> TesterLibraryError:
    """The error for a file that could not be written, while the tester still has the frames."""
    return TesterLibraryError(
        f"{problem.filename or path} could not be written: {problem.strerror or problem}. The tester "
        f"keeps the frames of capture {capture!r}: make room on that disk, and call {keyword} again"
    )


def write_capture(
    path: Path,
    capture: Capture,
    stopped: StoppedCapture,
    frames: Iterable[CapturedFrame],
    macs: Mapping[str, bytes],
    comment: Callable[[CapturedFrame], str] | None = None,
) -> int:
    """Writes frames as they come, however many. Returns how many there were.

    Args:
        path: The file; what was there is replaced when all has been written.
        capture: What was asked for.
        stopped: What came of it.
        frames: By ascending time.
        macs: MAC addresses of the tester's ports, by name.
        comment: What is said of a frame in place of its stream.
    """
    partial = path.with_name(f"{path.name}.part")
    written: Counter[str] = Counter()
    try:
        with partial.open("wb") as file:
            said = comment or (lambda frame: frame_comment(frame, stopped.streams))
            for block in _blocks(capture, stopped, frames, macs, written, said):
                file.write(block)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return written.total()


def _blocks(
    capture: Capture,
    stopped: StoppedCapture,
    frames: Iterable[CapturedFrame],
    macs: Mapping[str, bytes],
    written: Counter[str],
    comment: Callable[[CapturedFrame], str],
) -> Iterator[bytes]:
    application = f"TesterLibrary {versions().get(_PACKAGE, '')}".encode()
    yield _block(
        _SECTION,
        struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1),
        _option(_COMMENT, f"capture {capture.name}: {stopped.counters}".encode()),
        _option(_APPLICATION, application),
    )
    interfaces = {port.port: index for index, port in enumerate(stopped.counters.ports)}
    for name in interfaces:
        yield _interface(capture, name, macs[name])
    for frame in frames:
        written[frame.port] += 1
        yield _packet(frame, interfaces[frame.port], stopped, comment(frame))
    for port in stopped.counters.ports:
        time_ns = stopped.clock_zero_unix_ns + stopped.stopped_ns
        yield _block(
            _STATISTICS,
            struct.pack("<I", interfaces[port.port]) + _time(time_ns),
            _option(_START, _time(stopped.clock_zero_unix_ns + stopped.started_ns)),
            _option(_STOP, _time(time_ns)),
            _option(_SEEN, struct.pack("<Q", port.seen)),
            _option(_DROPPED, struct.pack("<Q", port.dropped)),
            _option(_MATCHED, struct.pack("<Q", port.matched)),
            _option(_DELIVERED, struct.pack("<Q", written[port.port])),
        )


def _interface(capture: Capture, port: str, mac: bytes) -> bytes:
    options = [_option(_NAME, port.encode()), _option(_MAC, mac), _option(_RESOLUTION, _NANOSECONDS)]
    if capture.filter:
        options.append(_option(_FILTER, _LIBPCAP + capture.filter.encode()))
    return _block(_INTERFACE, struct.pack("<HHI", _ETHERNET, 0, capture.snap_length), *options)


def _packet(frame: CapturedFrame, interface: int, stopped: StoppedCapture, comment: str) -> bytes:
    """A block like others, put together in one go: there are as many as frames."""
    octets, said = frame.octets, comment.encode()
    padding, padding_said = _PADDING[len(octets) % 4], _PADDING[len(said) % 4]
    length = _FIXED + len(octets) + len(padding) + len(said) + len(padding_said)
    time_ns = stopped.clock_zero_unix_ns + frame.time_ns
    high, low = time_ns >> 32, time_ns & 0xFFFFFFFF
    begin = _BEGIN.pack(_PACKET, length, interface, high, low, len(octets), frame.original_length)
    flags = _OUTBOUND if frame.transmitted else _INBOUND
    end = _REST.pack(_FLAGS, _FLAGS_LENGTH, flags, _END, 0, length)
    comment_option = _OPTION.pack(_COMMENT, len(said))
    return b"".join((begin, octets, padding, comment_option, said, padding_said, end))


def frame_comment(frame: CapturedFrame, streams: Mapping[int, str]) -> str:
    """The stream of a frame, its number and its direction. `streams` are names by id."""
    direction = "transmitted" if frame.transmitted else "received"
    if not frame.stream_id:
        return f"no stream, {direction}"
    name = streams.get(frame.stream_id, "?")
    number = "" if frame.sequence is None else f", sequence {frame.sequence}"
    return f"stream {frame.stream_id} ({name}){number}, {direction}"


def _time(time_ns: int) -> bytes:
    return struct.pack("<II", time_ns >> 32, time_ns & 0xFFFFFFFF)


def _option(code: int, value: bytes) -> bytes:
    return _OPTION.pack(code, len(value)) + _padded(value)


def _block(kind: int, body: bytes, *options: bytes) -> bytes:
    content = body + b"".join(options) + struct.pack("<HH", _END, 0)
    length = len(content) + 12
    return struct.pack("<II", kind, length) + content + struct.pack("<I", length)


def _padded(octets: bytes) -> bytes:
    return octets + _PADDING[len(octets) % 4]
