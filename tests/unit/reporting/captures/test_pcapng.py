# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Other programs read pcapng files of ours as they were meant."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.utils import PcapNgReader

from TesterLibrary import __version__
from TesterLibrary.measurement.capture import (
    CaptureCounters,
    CapturedFrame,
    CapturePortCounters,
    StoppedCapture,
)
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.model.capture import Capture
from TesterLibrary.reporting.captures.frame_comments import frame_comment
from TesterLibrary.reporting.captures.pcapng import write_capture

ZERO = 1_700_000_000 * 10**9
MACS = {"p1": b"\x02" * 6, "p2": b"\x04" * 6}
STOPPED = StoppedCapture(
    CaptureCounters("x", False, 3, (CapturePortCounters("p1", 9, 2, 1), CapturePortCounters("p2", 8, 2, 0))),
    ZERO,
    5,
    2**33,
    {7: "north"},
)
FRAMES = [
    CapturedFrame(1_000_000_001, "p1", True, 7, 17, 61, bytes(range(61))),
    CapturedFrame(1_000_000_002, "p2", False, 7, None, 200, bytes(range(14))),
    CapturedFrame(1_000_000_003, "p2", False, 0, None, 60, bytes(60)),
]


def plain_block(frame: CapturedFrame, interface: int, streams: Mapping[int, str]) -> bytes:
    """The block of one frame, field by field."""
    said = frame_comment(frame, streams).encode()
    time_ns = ZERO + frame.time_ns
    begin = struct.pack(
        "<IIIII", interface, time_ns >> 32, time_ns & 0xFFFFFFFF, len(frame.octets), frame.original_length
    )
    end = struct.pack("<HHIHH", 2, 4, 2 if frame.transmitted else 1, 0, 0)
    octets, said_padded = (each + bytes(-len(each) % 4) for each in (frame.octets, said))
    return begin + octets + struct.pack("<HH", 1, len(said)) + said_padded + end


@given(
    st.lists(
        st.builds(
            CapturedFrame,
            time_ns=st.integers(0, 2**40),
            port=st.sampled_from(["p1", "p2"]),
            transmitted=st.booleans(),
            stream_id=st.sampled_from([0, 7, 8, 65535]),
            sequence=st.none() | st.integers(0, 12) | st.integers(0, 2**62),
            original_length=st.integers(0, 2**31 - 1),
            octets=st.binary(max_size=70),
            fires=st.booleans(),
        )
    )
)
def test_frames_that_are_written_at_once_are_those_that_are_written_one_by_one(
    frames: list[CapturedFrame],
) -> None:
    stopped = replace(STOPPED, streams={7: "nördlich", 8: "s"})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.pcapng"
        write_capture(path, Capture("x"), stopped, [CapturedFrames.of(frames)], MACS)
        written = [body for kind, body in blocks(path) if kind == 6]
    assert written == [plain_block(each, list(MACS).index(each.port), stopped.streams) for each in frames]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.pcapng"
    assert (
        write_capture(
            path, Capture("x", filter="ip", snap_length=61), STOPPED, [CapturedFrames.of(FRAMES)], MACS
        )
        == 3
    )
    return path


def blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """(type, body) of each block, whose two lengths agree."""
    content = path.read_bytes()
    while content:
        kind, length = struct.unpack_from("<II", content)
        assert struct.unpack_from("<I", content, length - 4) == (length,)
        assert length % 4 == 0
        yield kind, content[8 : length - 4]
        content = content[length:]


def options(octets: bytes) -> dict[int, bytes]:
    found = {}
    while True:
        code, length = struct.unpack_from("<HH", octets)
        if not code:
            assert octets == bytes(4)
            return found
        found[code] = octets[4 : 4 + length]
        octets = octets[4 + (length + 3) // 4 * 4 :]


def test_scapy_reads_frames_times_interfaces_directions_and_comments(path: Path) -> None:
    with PcapNgReader(str(path)) as reader:
        packets = list(reader)
    assert [bytes(packet) for packet in packets] == [frame.octets for frame in FRAMES]
    assert [int(packet.time * 10**9) for packet in packets] == [ZERO + frame.time_ns for frame in FRAMES]
    assert [packet.wirelen for packet in packets] == [61, 200, 60]
    assert [packet.sniffed_on for packet in packets] == ["p1", "p2", "p2"]
    assert [packet.direction for packet in packets] == [2, 1, 1]  # outbound, inbound
    assert [packet.comment for packet in packets] == [
        b"stream 7 (north), sequence 17, transmitted",
        b"stream 7 (north), received",
        b"no stream, received",
    ]


def test_the_section_says_who_wrote_it(path: Path) -> None:
    kind, body = next(blocks(path))
    assert (kind, body[:16]) == (0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    said = options(body[16:])
    assert said[4] == f"TesterLibrary {__version__}".encode()
    assert b"1 DROPPED" in said[1]


def test_interfaces_are_ports(path: Path) -> None:
    for (_, body), port in zip([b for b in blocks(path) if b[0] == 1], MACS, strict=True):
        assert struct.unpack_from("<HHI", body) == (1, 0, 61)
        assert options(body[8:]) == {2: port.encode(), 6: MACS[port], 9: b"\x09", 11: b"\0ip"}


def test_statistics_say_what_was_dropped(path: Path) -> None:
    statistics = [body for kind, body in blocks(path) if kind == 5]
    end = ZERO + 2**33
    for number, (body, counts) in enumerate(zip(statistics, [(9, 1, 2, 1), (8, 0, 2, 2)], strict=True)):
        assert struct.unpack_from("<III", body) == (number, end >> 32, end & 0xFFFFFFFF)
        said = options(body[12:])
        assert said[2] == struct.pack("<II", ZERO + 5 >> 32, ZERO + 5 & 0xFFFFFFFF)
        assert tuple(struct.unpack("<Q", said[code])[0] for code in (4, 5, 6, 8)) == counts


def test_what_is_cut_short_leaves_no_file(tmp_path: Path) -> None:
    def cut() -> Iterator[CapturedFrames]:
        yield CapturedFrames.of(FRAMES[:1])
        raise RuntimeError("the tester is gone")

    with pytest.raises(RuntimeError, match="gone"):
        write_capture(tmp_path / "x.pcapng", Capture("x"), STOPPED, cut(), MACS)
    assert not list(tmp_path.iterdir())
