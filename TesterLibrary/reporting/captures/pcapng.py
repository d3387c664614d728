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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from ...errors import TesterLibraryError
from ...measurement.capture import StoppedCapture
from ...measurement.captured_frames import WORD, CapturedFrames, places
from ...model.capture import Capture
from ..record.machine import versions
from .frame_comments import Comments, stream_comments

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
_BEGIN_WORDS, _OPTION_WORDS, _END_WORDS, _FLAGS_LENGTH = 7, 1, 4, 4  # of a packet


def free_path(directory: Path, stem: str, ending: str = "pcapng") -> Path:
    """A file of that name that does not exist yet: a number is added where it does."""
    plain = re.sub(r"[^\w.-]+", "-", stem)[:100]
    suffixes = chain([""], map("-{}".format, count(2)))
    candidates = (directory / f"{plain}{suffix}.{ending}" for suffix in suffixes)
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
    frames: Iterable[CapturedFrames],
    macs: Mapping[str, bytes],
    comments: Callable[[CapturedFrames], Comments] | None = None,
) -> int:
    """Writes frames as they come, however many. Returns how many there were.

    Args:
        path: The file; what was there is replaced when all has been written.
        capture: What was asked for.
        stopped: What came of it.
        frames: By ascending time.
        macs: MAC addresses of the tester's ports, by name.
        comments: What is said of frames in place of their streams.
    """
    partial = path.with_name(f"{path.name}.part")
    written: Counter[str] = Counter()
    try:
        with partial.open("wb") as file:
            said = comments or (lambda batch: stream_comments(batch, stopped.streams))
            for block in _blocks(capture, stopped, frames, macs, written, said):
                file.write(block)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return written.total()


def _blocks(
    capture: Capture,
    stopped: StoppedCapture,
    frames: Iterable[CapturedFrames],
    macs: Mapping[str, bytes],
    written: Counter[str],
    comments: Callable[[CapturedFrames], Comments],
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
    for batch in frames:
        written.update(dict(zip(batch.ports, batch.of_port, strict=True)))
        ids = [interfaces.get(port, 0) for port in batch.ports]  # of ports without frames: 0
        yield _packets(batch, ids, stopped.clock_zero_unix_ns, comments(batch))
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


def _packets(frames: CapturedFrames, interfaces: Sequence[int], zero_ns: int, comments: Comments) -> bytes:
    """A block for each frame. All blocks, and what they consist of, are whole words."""
    import numpy as np

    facts, said = frames.facts, comments.word_lengths
    lengths, kept = frames.lengths, facts["kept"]
    whole = _BEGIN_WORDS + lengths + _OPTION_WORDS + said + _END_WORDS
    words = np.empty(int(whole.sum()), "<u4")
    ends = np.cumsum(whole)
    begins = ends - whole
    time_ns = facts["time"] + zero_ns
    flags = np.where(facts["transmitted"], _OUTBOUND, _INBOUND)
    comment = _COMMENT | comments.lengths << 16  # code and length are two octets each
    begin = (
        _PACKET,
        whole * WORD,
        np.asarray(interfaces)[facts["port"]],
        time_ns >> 32,
        time_ns & 0xFFFFFFFF,
        kept,
        facts["original"],
    )
    end = (_FLAGS | _FLAGS_LENGTH << 16, flags, _END, whole * WORD)
    for place, values in enumerate(begin):
        words[begins + place] = values
    at = begins + _BEGIN_WORDS
    words[places(at, lengths)] = frames.words
    at += lengths
    words[at] = comment
    words[places(at + _OPTION_WORDS, said)] = comments.words
    for place, values in enumerate(end):
        words[ends - _END_WORDS + place] = values
    return words.tobytes()


def _time(time_ns: int) -> bytes:
    return struct.pack("<II", time_ns >> 32, time_ns & 0xFFFFFFFF)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % WORD)


def _block(kind: int, body: bytes, *options: bytes) -> bytes:
    content = body + b"".join(options) + struct.pack("<HH", _END, 0)
    length = len(content) + 12
    return struct.pack("<II", kind, length) + content + struct.pack("<I", length)
