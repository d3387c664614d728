# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of frames in Parquet: as typed as they are documented, whole or not there at all."""

from __future__ import annotations

import builtins
import resource
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.measurement.capture import CapturedFrame, Fate
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.measurement.traces.trace import TracedPacket
from TesterLibrary.model.heading import Heading
from TesterLibrary.reporting.captures.frame_columns import DIRECTIONS, Codes, of_frames
from TesterLibrary.reporting.captures.frames import COLUMNS, FrameFile, FrameRows, check_parquet
from TesterLibrary.reporting.record.durable import RecordError
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.trial_part import TrialPart

parquet = pytest.importorskip("pyarrow.parquet")

PLACE = RecordPlace("bed", "Suite", "Test")
NOWHERE = RecordPlace("bed", "Suite")
LATE = 5 << 48 | 12345  # the clock of a signature has gone round five times


def signed(stream: int, number: int, time_ns: int, size: int = 60) -> bytes:
    end = stream << 112 | (number % 2**48) << 64 | (time_ns % 2**48) << 16
    return bytes(size - 16) + end.to_bytes(16, "big")


def sent(number: int, stream: int = 7, time_ns: int | None = None) -> CapturedFrame:
    time_ns = LATE + 1000 * number if time_ns is None else time_ns
    return CapturedFrame(time_ns, "p1", True, stream, number, 60, signed(stream, number, time_ns))


def arrived(number: int, stream: int = 7, **changes: Any) -> CapturedFrame:
    left_ns = LATE + 1000 * number
    values = {
        "time_ns": left_ns + 250,
        "port": "p2",
        "transmitted": False,
        "stream_id": stream,
        "sequence": number,
        "original_length": 60,
        "octets": signed(stream, number, left_ns),
    }
    return CapturedFrame(**{**values, **changes})


def part(trial: int, begin: int, end: int, *, attempt: int = 1, stream: int = 7) -> TrialPart:
    times = LATE + 1000 * begin, LATE + 1000 * end
    return TrialPart(stream, "north", trial, attempt, PLACE, *times, "p2", 0)


def rows(file: FrameFile) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parquet.ParquetFile(file.path).read().to_pylist()
    assert len(found) == file.rows
    return found


def written(folder: Path, frames: list[CapturedFrame], **trials: Any) -> tuple[FrameFile, ...]:
    table = FrameRows("all", {7: "north", 9: "south"})
    table.add(CapturedFrames.of(frames))
    return table.write(folder / "frames", "all", NOWHERE, trials.get("trials", {}))


def test_a_row_says_where_and_when_a_frame_left_and_arrived(tmp_path: Path) -> None:
    (file,) = written(tmp_path, [sent(3), arrived(3)], trials={part(4, 0, 9): ()})
    assert (file.path, file.trial) == (tmp_path / "frames" / "trial=4" / "all.parquet", 4)
    place = {"testbed": "bed", "suite": "Suite", "test": "Test", "attempt": 1, "capture": "all"}
    frame = {"stream": "north", "sequence": 3, "size": 64, "sent_ns": LATE + 3000, "event": None}
    assert rows(file) == [
        {**place, **frame, "direction": "transmitted", "port": "p1", "received_ns": None},
        {**place, **frame, "direction": "received", "port": "p2", "received_ns": LATE + 3250},
    ]


def test_columns_have_the_types_of_the_table(tmp_path: Path) -> None:
    (file,) = written(tmp_path, [sent(0)])
    schema = parquet.ParquetFile(file.path).schema_arrow
    assert [field.name for field in schema] == [name for name in COLUMNS if name != "trial"]
    kinds = {"text": "string", "bigint": "int64", "integer": "int32"}
    for field in schema:
        kind = field.type.value_type if hasattr(field.type, "value_type") else field.type
        assert str(kind) == kinds[COLUMNS[field.name]], field.name


@pytest.mark.parametrize(
    "changes",
    [
        {"octets": signed(7, 0, 1)[:30]},  # cut short
        {"octets": bytes(60)},  # something else at its end
        {"octets": signed(8, 0, 1)},
        {"octets": signed(7, 1, 1)},
        {"octets": b"", "original_length": 0},
        {"sequence": None},
        {"stream_id": 0},
    ],
)
def test_when_a_frame_left_is_unknown_without_its_signature(tmp_path: Path, changes: dict[str, Any]) -> None:
    (file,) = written(tmp_path, [arrived(0, **changes)])
    (row,) = rows(file)
    assert (row["sent_ns"], row["received_ns"]) == (None, LATE + 250)
    assert (row["sequence"] is None) == ("sequence" in changes)
    assert (row["stream"] is None) == ("stream_id" in changes)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 7, 9]),
            st.none() | st.integers(0, 3) | st.integers(2**48 - 1, 2**48 + 2),
            st.integers(0, 3 << 48),
            st.booleans(),
            st.sampled_from([16, 17, 60, 63]),
            st.sampled_from(["whole", "cut", "foreign"]),
        ),
        max_size=20,
    )
)
def test_frames_become_rows_at_once_as_one_by_one(
    facts: list[tuple[int, int | None, int, bool, int, str]],
) -> None:
    frames = []
    for stream, number, time_ns, left, size, kind in facts:
        octets = signed(stream if kind != "foreign" else 1, number or 0, time_ns - time_ns % 977, size)
        frames.append(
            CapturedFrame(time_ns, "p1", left, stream, number, size, octets[: 15 if kind == "cut" else None])
        )
    columns = of_frames(CapturedFrames.of(frames), Codes())
    assert columns.sent.tolist() == [
        frame.time_ns if frame.transmitted else departure(frame) for frame in frames
    ]
    assert columns.received.tolist() == [-1 if frame.transmitted else frame.time_ns for frame in frames]
    assert columns.sequence.tolist() == [-1 if f.sequence is None else f.sequence for f in frames]
    assert columns.size.tolist() == [frame.original_length + 4 for frame in frames]
    assert [DIRECTIONS[code] for code in columns.direction] == [
        "transmitted" if frame.transmitted else "received" for frame in frames
    ]


def departure(frame: CapturedFrame) -> int:
    """When a frame left, by its signature; -1: it has none."""
    end = frame.octets[-16:]
    whole = len(frame.octets) == frame.original_length and len(end) == 16
    if not whole or not frame.stream_id or frame.sequence is None:
        return -1
    if end[:8] != struct.pack(">HHI", frame.stream_id, frame.sequence % 2**48 >> 32, frame.sequence % 2**32):
        return -1
    return frame.time_ns - (frame.time_ns - int.from_bytes(end[8:14], "big")) % 2**48


def test_each_trial_is_a_partition_and_frames_of_none_are_another(tmp_path: Path) -> None:
    frames = [sent(0, stream=0, time_ns=5), *map(sent, range(10)), *(sent(n, stream=9) for n in range(3))]
    parts = {
        part(1, 0, 3): (),
        part(1, 4, 5, attempt=2): (5,),
        part(2, 6, 8): (),
        part(2, 0, 1, stream=9): (),
        part(3, 500, 600): (),
    }
    first, second, none = written(tmp_path, frames, trials=parts)
    assert [(r["sequence"], r["attempt"]) for r in rows(first)] == [
        *((n, 1) for n in range(4)),
        (4, 2),
        (5, 2),
    ]
    assert [(r["stream"], r["sequence"]) for r in rows(second)] == [
        *(("north", n) for n in (6, 7, 8)),
        *(("south", n) for n in (0, 1)),
    ]
    assert [(r["stream"], r["sequence"], r["attempt"], r["test"]) for r in rows(none)] == [
        (None, 0, None, ""),
        ("north", 9, None, ""),
        ("south", 2, None, ""),
    ]
    assert none.path.parent.name == "trial=__HIVE_DEFAULT_PARTITION__"
    assert none.record(tmp_path) == {
        "file": "frames/trial=__HIVE_DEFAULT_PARTITION__/all.parquet",
        "trial": None,
        "rows": 3,
    }


def test_a_lost_frame_is_marked_where_it_left(tmp_path: Path) -> None:
    frames = [*map(sent, range(5)), *map(arrived, (0, 1, 4))]
    (file,) = written(tmp_path, frames, trials={part(1, 0, 9): (2, 3)})
    assert [row["event"] for row in rows(file)] == [None, None, "lost", "lost", None, None, None, None]


def test_a_row_of_a_path_has_what_happened_to_the_packet(tmp_path: Path) -> None:
    packets = [
        TracedPacket(0, Heading.FORWARD, 100, 120, (), None, 64, b""),
        TracedPacket(1, Heading.BACKWARD, 200, None, ("drop-1", "mark-2"), 1, 1518, b""),
        TracedPacket(2, Heading.FORWARD, 300, None, (), None, 64, b"", Fate.TAIL_DROP),
    ]
    table = FrameRows("wan")
    table.add_packets(packets, {Heading.FORWARD: "p1", Heading.BACKWARD: "p2"})
    (file,) = table.write(tmp_path, "wan", PLACE)
    assert [tuple(row.values())[4:] for row in rows(file)] == [
        ("wan", None, 0, "forward", "p1", 64, 120, 100, None),
        ("wan", None, 1, "backward", "p2", 1518, None, 200, "drop-1, mark-2"),
        ("wan", None, 2, "forward", "p1", 64, None, 300, "found the queue full"),
    ]


def test_no_frame_no_file(tmp_path: Path) -> None:
    assert written(tmp_path, []) == ()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk() -> Iterator[None]:
    """No file grows beyond 8 KiB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("small_disk")
def test_a_disk_without_room_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    noise = (struct.unpack("<H", struct.pack(">H", n))[0] for n in range(20_000))  # that does not compress
    frames = [sent(0, time_ns=0), *(sent(n, stream=9, time_ns=LATE + 1000 * n * n) for n in noise)]
    few = {TrialPart(7, "north", 1, 1, PLACE, 0, 1, "p2", 0): ()}  # its file has room
    with pytest.raises(RecordError, match=r"all\.parquet could not be written: .*arge.*make room"):
        written(tmp_path, frames, trials=few)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "frames").write_text("")
    with pytest.raises(RecordError, match="could not be written: "):
        written(tmp_path, [sent(0)])


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return wanted(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(TesterLibraryError, match=r"testerlibrary\[frames\], or leave out parquet=True"):
        check_parquet()
