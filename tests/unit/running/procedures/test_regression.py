# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The value of a test that is compared with a baseline; the comparison itself is no value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.methodology.verdicts.value import judge_value
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import RUN_VARIABLE, Recorder
from TesterLibrary.reporting.record.records import read_verdicts
from TesterLibrary.reporting.trend.figure import run_of
from TesterLibrary.running.procedures.regression import beside_baseline
from TesterLibrary.running.suite import Suite
from TesterLibrary.verdict import AT_LEAST, Outcome, Verdict

Begin = Callable[[str], Suite]
WITHIN = Ratio.parse("3 %")


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Begins a run of this name with a test, in the folder of that name."""

    def begin(name: str) -> Suite:
        monkeypatch.setenv(RUN_VARIABLE, name)
        suite = Suite("fake", 1, Recorder(tmp_path / name), Console())
        suite.recorder.begin_test("Suite", "Test")
        return suite

    return begin


def share(suite: Suite, measured: str) -> Verdict:
    return suite.conclude(judge_value(measured, AT_LEAST, "10 %", subject="share"))


def compare(suite: Suite, baseline: Path, verdict: Verdict | None = None) -> Verdict:
    return suite.conclude(beside_baseline(suite, verdict, str(baseline), WITHIN))


def test_equal_values_of_one_name_have_baselines_of_their_own(begin: Begin, tmp_path: Path) -> None:
    before = begin("before")
    share(before, "60 %")
    share(before, "80 %")
    after = begin("after")
    first, second = share(after, "60 %"), share(after, "60 %")
    assert beside_baseline(after, first, str(tmp_path / "before"), WITHIN).outcome is Outcome.PASS
    for last in (second, None):
        assert beside_baseline(after, last, str(tmp_path / "before"), WITHIN).outcome is Outcome.FAIL


def test_a_value_is_compared_with_two_baselines(begin: Begin, tmp_path: Path) -> None:
    for name in ("one", "two"):
        share(begin(name), "60 %")
    after = begin("after")
    share(after, "60 %")
    for name in ("one", "two"):
        assert compare(after, tmp_path / name).subject == "share, beside the baseline"


def test_a_comparison_is_no_figure_of_a_trend(begin: Begin, tmp_path: Path) -> None:
    share(begin("before"), "60 %")
    after = begin("after")
    share(after, "60 %")
    compare(after, tmp_path / "before")
    records = read_verdicts(tmp_path / "after")
    assert len(records.verdicts) == 2
    assert [figure.key.subject for figure in run_of(records).figures] == ["share"]


def test_without_a_verdict_or_a_baseline_it_is_an_error(begin: Begin, tmp_path: Path) -> None:
    suite = begin("run")
    with pytest.raises(TesterLibraryError, match="nothing was judged in this test yet"):
        compare(suite, tmp_path)
    share(suite, "60 %")
    with pytest.raises(TesterLibraryError, match="there is no baseline"):
        compare(suite, tmp_path / "none")
    with pytest.raises(TesterLibraryError, match="is the run that is going on"):
        compare(suite, tmp_path / "run")
