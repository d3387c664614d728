# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import TargetError

from .fake_library import library_on_fake


@pytest.fixture
def tester(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TesterLibrary:
    library = library_on_fake(monkeypatch, tmp_path)
    library.open_tester()
    library.create_stream("north", rate="1 kpps")
    library.start_capture("all")
    library.start_traffic("north")
    return library


def running(tester: TesterLibrary) -> list[bool]:
    """Whether traffic, and a capture, run."""
    opened = tester.suite.open_testbed
    return [bool(opened.traffic._runs), bool(opened.captures._running)]


def test_everything_is_stopped(tester: TesterLibrary, tmp_path: Path) -> None:
    tester.stop_everything()
    assert running(tester) == [False, False]
    assert (tmp_path / "captures" / "all.pcapng").exists()
    assert tester.suite.stream("north").name == "north"
    tester.stop_everything()  # of nothing is no error


def test_what_cannot_be_stopped_does_not_keep_the_rest(
    tester: TesterLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TargetError("gone")

    monkeypatch.setattr(tester.suite.tester.target, "stop", broken)
    with pytest.raises(TargetError, match="gone"):
        tester.stop_everything()
    assert running(tester) == [False, False]


def test_nothing_is_to_be_stopped_where_no_tester_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    TesterLibrary().stop_everything()


@pytest.mark.parametrize("percentile", [99, "99", "p99", 99.0])
def test_a_percentile_is_written_in_each_way_everywhere(tester: TesterLibrary, percentile: object) -> None:
    tester.stop_everything()
    tester.create_stream("south", rate="1 kpps")
    result = tester.measure_latency("south", duration="100 ms")
    tester.verify_latency_below("1 s", result, percentile=percentile)
    assert tester.get_latency(str(percentile)) == result.latency.p99
