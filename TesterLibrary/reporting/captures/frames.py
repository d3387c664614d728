# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured frames as rows of typed Parquet, a partition for each trial: `frames/trial=3/NAME.parquet`.

A row is a frame at one port of the tester. Frames of no recorded trial are in the partition that Hive, DuckDB
and pyarrow read as NULL. Times are nanoseconds of the tester's clock.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...errors import TesterLibraryError
from ...measurement.captured_frames import CapturedFrames
from ...measurement.traces.trace import TracedPacket
from ...model.heading import Heading
from ..record.durable import RecordError, make_directory
from ..record.record_place import RecordPlace
from ..record.trial_part import TrialPart
from .frame_columns import DIRECTIONS, LOST, Codes, Columns, joined, of_frames, of_packets, partitions

if TYPE_CHECKING:
    import numpy as np

FOLDER = "frames"  # of the evidence
NO_TRIAL = "__HIVE_DEFAULT_PARTITION__"
COLUMNS: Mapping[str, str] = {
    "testbed": "text",
    "suite": "text",
    "test": "text",
    "trial": "bigint",
    "attempt": "bigint",
    "capture": "text",
    "stream": "text",
    "sequence": "bigint",
    "direction": "text",
    "port": "text",
    "size": "integer",
    "sent_ns": "bigint",
    "received_ns": "bigint",
    "event": "text",
}
"""The columns of a row, with the type that SQL has for each; `trial` is in the name of the folder."""

_SLICE, _ROW_GROUP = 1 << 20, 1 << 17  # rows


@dataclass(frozen=True)
class FrameFile:
    """A Parquet file."""

    path: Path
    trial: int | None
    rows: int

    def record(self, directory: Path) -> dict[str, Any]:
        """The description of the frames by the evidence in `directory`."""
        return {"file": self.path.relative_to(directory).as_posix(), "trial": self.trial, "rows": self.rows}


_NO_TRIALS: Mapping[TrialPart, Collection[int]] = MappingProxyType({})


def check_parquet() -> None:
    """TesterLibraryError if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise TesterLibraryError(
            "frames as Parquet need pyarrow; install robotframework-testerlibrary[frames], or leave out "
            "parquet=True: the pcapng file needs nothing"
        ) from None


class FrameRows:
    """Rows of the frames of one capture: about 75 bytes a frame, until they are written."""

    def __init__(self, capture: str, streams: Mapping[int, str] | None = None) -> None:
        """`streams` are names by id."""
        check_parquet()
        self._capture = capture
        self._streams = dict(streams or {})
        self._ports = Codes()
        self._events = Codes({LOST: 0})
        self._parts: list[Columns] = []

    def add(self, frames: CapturedFrames) -> None:
        """Adds frames of a capture."""
        self._parts.append(of_frames(frames, self._ports))

    def add_packets(self, packets: Sequence[TracedPacket], ports: Mapping[Heading, str]) -> None:
        """Adds packets of a path; `ports` says where those of each direction arrive."""
        self._parts.append(of_packets(packets, ports, self._ports, self._events))

    def write(
        self,
        directory: Path,
        stem: str,
        place: RecordPlace,
        trials: Mapping[TrialPart, Collection[int]] = _NO_TRIALS,
    ) -> tuple[FrameFile, ...]:
        """Writes all rows below `directory`, a file for each trial. All of them, or none, is on the disk.

        Args:
            directory: The folder of all frames of the run.
            stem: The name of each file; none has it yet.
            place: Where frames belong that are of none of the trials.
            trials: The parts of trials that the capture may have frames of, with the numbers of frames that
                are known to be lost.

        Raises:
            RecordError: the disk is full, for example.
        """
        if not self._parts:
            return ()
        written: list[FrameFile] = []
        try:
            for trial, rows in partitions(joined(self._parts), trials):
                number = trial.trial if trial else None
                folder = directory / f"trial={NO_TRIAL if number is None else number}"
                make_directory(folder)
                written.append(FrameFile(folder / f"{stem}.parquet", number, len(rows.stream)))
                self._write(written[-1].path, rows, trial.place if trial else place)
        except RecordError:
            for file in written:
                file.path.unlink(missing_ok=True)
            raise
        return tuple(written)

    def _write(self, path: Path, rows: Columns, place: RecordPlace) -> None:
        from pyarrow import parquet

        partial = path.with_name(f"{path.name}.part")  # neither a reader nor a killed run has half a file
        schema = _schema()
        try:
            with partial.open("wb") as file:
                with parquet.ParquetWriter(
                    file,
                    schema,
                    compression="zstd",
                    compression_level=1,
                    use_dictionary=[field.name for field in schema if field.name not in _NUMBERS],
                    column_encoding=dict.fromkeys(_NUMBERS, "DELTA_BINARY_PACKED"),
                ) as writer:
                    for begin in range(0, len(rows.stream), _SLICE):
                        table = self._table(schema, rows.part(slice(begin, begin + _SLICE)), place)
                        writer.write_table(table, row_group_size=_ROW_GROUP)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except OSError as problem:
            raise RecordError(path, problem) from problem
        finally:
            partial.unlink(missing_ok=True)

    def _table(self, schema: Any, rows: Columns, place: RecordPlace) -> Any:
        import numpy as np
        import pyarrow as pa

        same = np.zeros(len(rows.stream), np.int8)
        ids = sorted(self._streams)
        code_of = np.full(1 << 16, -1, np.int32)
        code_of[ids] = np.arange(len(ids), dtype=np.int32)

        def named(name: str, codes: np.ndarray[Any, Any], texts: Iterable[str]) -> Any:
            mask = codes < 0 if codes.dtype.kind == "i" and codes is not same else None
            kind = schema.field(name).type.index_type
            return pa.DictionaryArray.from_arrays(
                pa.array(codes, kind, mask=mask), pa.array(list(texts), pa.string())
            )

        def numbers(values: np.ndarray[Any, Any]) -> Any:
            return pa.array(values, mask=values < 0)

        columns = {
            "testbed": named("testbed", same, [place.testbed]),
            "suite": named("suite", same, [place.suite]),
            "test": named("test", same, [place.test]),
            "attempt": numbers(rows.attempt),
            "capture": named("capture", same, [self._capture]),
            "stream": named("stream", code_of[rows.stream], [self._streams[each] for each in ids]),
            "sequence": numbers(rows.sequence),
            "direction": named("direction", rows.direction, DIRECTIONS),
            "port": named("port", rows.port, self._ports),
            "size": numbers(rows.size),
            "sent_ns": numbers(rows.sent),
            "received_ns": numbers(rows.received),
            "event": named("event", rows.event, self._events),
        }
        return pa.table(columns, schema=schema)


_NUMBERS = ("attempt", "sequence", "size", "sent_ns", "received_ns")


def _schema() -> Any:
    import pyarrow as pa

    def text(codes: Any) -> Any:
        return pa.dictionary(codes, pa.string())

    kinds = {"text": text(pa.int8()), "bigint": pa.int64(), "integer": pa.int32()}
    wide = {"stream": text(pa.int32()), "port": text(pa.uint8()), "event": text(pa.int32())}
    return pa.schema(
        [(name, wide.get(name, kinds[kind])) for name, kind in COLUMNS.items() if name != "trial"]
    )
