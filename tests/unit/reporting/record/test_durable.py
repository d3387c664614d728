# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A file keeps what it held before a write that does not fit on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from TesterLibrary.reporting.record.durable import RecordError, append_line, make_directory

ROOT = Path(__file__).parents[4]


def limited(octets: int, program: str) -> str:
    """Runs a program whose files cannot grow beyond so many bytes; returns what it printed."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({octets}, {octets}))\n"
    head = "from pathlib import Path\nfrom TesterLibrary.reporting.record.durable import *\n"
    done = subprocess.run(
        [sys.executable, "-c", limit + head + program],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_of_a_line_that_does_not_fit_nothing_stays(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    said = limited(
        100,
        f"path = Path({str(path)!r})\nappend_line(path, 'a' * 60)\n"
        "try: append_line(path, 'b' * 60)\nexcept RecordError as error: print(error)\n"
        "append_line(path, 'c' * 20)",
    )
    assert path.read_text() == "a" * 60 + "\n" + "c" * 20 + "\n"
    assert said.startswith(f"{path} could not be written: File too large. Nothing of this record was kept")


def test_of_a_file_that_does_not_fit_the_older_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    limited(
        100,
        f"path = Path({str(path)!r})\nwrite_file(path, 'a' * 60)\n"
        "try: write_file(path, 'b' * 160)\nexcept RecordError: pass\nelse: raise SystemExit(1)",
    )
    assert path.read_text() == "a" * 60
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_device_is_named() -> None:
    with pytest.raises(RecordError, match="/dev/full could not be written: No space left on device"):
        append_line(Path("/dev/full"), "line")


def test_a_place_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RecordError, match="file/lines could not be written: Not a directory"):
        append_line(tmp_path / "file" / "lines", "line")
    with pytest.raises(RecordError, match="file/below could not be written: Not a directory"):
        make_directory(tmp_path / "file" / "below")
