# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.calibration import (
    FOLDER_VARIABLE,
    calibration_path,
    read_calibration,
    store_calibration,
    stored_calibration,
)
from TesterLibrary.measurement.calibration import CalibratedSize, Calibration

MADE = Calibration(
    testbed="lab/rack 7",
    over="p1 and p2",
    made_at="2026-01-31T12:00:00+00:00",
    tester="engine 1",
    drivers=("net_ice", "net_ice"),
    sizes=(CalibratedSize(64, 1000, 50, 10_000_000), CalibratedSize(1064, 3000, 150, 1_000_000)),
)


@pytest.mark.parametrize(
    ("frame_size", "offset_and_spread"),
    [(64, (1000, 50)), (564, (2000, 100)), (1064, (3000, 150)), (60, (1000, 50)), (9000, (3000, 150))],
)
def test_between_two_sizes_it_is_on_the_line(frame_size: int, offset_and_spread: tuple[int, int]) -> None:
    assert MADE.at(frame_size) == offset_and_spread
    assert replace(MADE, sizes=MADE.sizes[:1]).at(frame_size) == (1000, 50)


@given(st.integers(64, 9216))
def test_it_never_leaves_what_was_measured(frame_size: int) -> None:
    assert 1000 <= MADE.at(frame_size)[0] <= 3000


def test_its_age() -> None:
    now = datetime.fromisoformat("2026-02-01T13:30:00+01:30")
    assert MADE.age(now) == timedelta(days=1)


def test_it_is_kept_for_its_testbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "kept"))
    assert stored_calibration("lab/rack 7") is None
    assert store_calibration(MADE) == tmp_path / "kept" / "lab-rack-7.yaml"
    assert stored_calibration("lab/rack 7") == MADE
    path = store_calibration(MADE, tmp_path / "mine.yaml")
    assert read_calibration(path) == MADE


def test_without_a_folder_of_its_own_it_is_in_the_users_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert calibration_path("lab") == Path("/somewhere/testerlibrary/calibration/lab.yaml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("version: 1", "version: 2"), "version: 2 is not allowed; give 1"),
        (("offset_ns: 1000", "offset_ns: -5"), "sizes[0].offset_ns: -5 is not allowed"),
        (("frame_size: 1064", "frame_size: 64"), "frame sizes have to ascend"),
        (("+00:00", ""), "made_at: '2026-01-31T12:00:00' is not allowed; give a time with its zone"),
        (("spread_ns", "spred_ns"), "there is no such key (did you mean 'spread_ns'?)"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = store_calibration(MADE, tmp_path / "mine.yaml")
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(TesterLibraryError, match=re.escape(message)):
        read_calibration(path)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TesterLibraryError, match="cannot be written"):
        store_calibration(MADE, tmp_path / "file" / "mine.yaml")
