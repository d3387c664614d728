# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that judge: their arguments, their table, and the result that they find."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.keywords._verifies import verifies
from TesterLibrary.methodology.result import Result
from TesterLibrary.methodology.soak import SoakResult
from TesterLibrary.methodology.verdicts.tolerance import at_least, at_most
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import AT_MOST, Verdict, assess

from .fake_library import library_on_fake


def verdict(bound: Duration) -> Verdict:
    return assess(105, AT_MOST, bound.ns, subject="time", measured="105 ns", bound=f"<= {bound}")


class Component:
    def __init__(self, suite: Any) -> None:
        self._suite = suite

    @verifies(Result, at_most, before="timeout")
    def verify_time_below(
        self, result: Result, name: str, bound: Duration, part: int = 1, timeout: Duration | None = None
    ) -> Verdict:
        """Passes if the time is at most the bound.

        | ``bound`` | the longest time |

        It says why.
        """
        self.judged = (result, name, bound, part, timeout)
        return verdict(bound)

    @verifies(SoakResult, at_least, source="Measure Soak or Find Soak", only=True)
    def verify_soak_above(self, result: SoakResult, bound: int) -> Verdict:
        """Passes."""
        raise AssertionError(f"{result} {bound}")

    @verifies(SoakResult, source="Measure Soak")
    def verify_soak(self, result: SoakResult) -> Verdict:
        """Passes."""
        raise AssertionError(str(result))


def arguments(name: str) -> list[str]:
    return list(inspect.signature(getattr(Component, name)).parameters)


def test_measured_stands_behind_the_bound_and_within_last_or_where_it_is_told_to() -> None:
    assert arguments("verify_time_below") == [
        "self",
        "name",
        "bound",
        "measured",
        "part",
        "within",
        "timeout",
    ]
    assert arguments("verify_soak_above") == ["self", "bound", "measured", "within"]
    assert arguments("verify_soak") == ["self", "measured"]


def test_the_type_of_measured_is_any_measurement_or_one_class() -> None:
    hints = {name: getattr(Component, name).__annotations__["measured"] for name in ("verify_soak_above",)}
    assert hints == {"verify_soak_above": SoakResult | None}
    assert "Trial" in str(Component.verify_soak.__annotations__["measured"])


def test_the_table_says_what_is_judged() -> None:
    lines = (Component.verify_time_below.__doc__ or "").split("\n")
    assert lines[2:5] == [
        "| =Argument= | =Meaning= |",
        "| ``bound`` | the longest time |",
        "| ``measured`` | a trial or a result; by default the last one of the test |",
    ]
    assert lines[-1] == "It says why."
    assert "| a result of `Measure Soak` or `Find Soak`; by" in (Component.verify_soak_above.__doc__ or "")


def test_the_bound_is_moved_and_the_verdict_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = library_on_fake(monkeypatch, tmp_path)
    library.open_tester()
    library.create_stream("north", rate="1 kpps")
    trial = library.measure_loss("north", duration="100 ms")
    keywords = Component(library.suite)
    passed = keywords.verify_time_below("x", Duration(100), within=Ratio.parse("10 %"), timeout=Duration(7))
    assert passed.bound == "<= 100 ns within 10 % (110 ns)"
    result, *more = keywords.judged
    assert result.trials == (trial,)
    assert more == ["x", Duration(110), 1, Duration(7)]
    assert passed in library.suite.recorder.judgements.standing


def test_a_result_of_another_kind_is_refused_with_the_keyword_that_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = library_on_fake(monkeypatch, tmp_path)
    library.open_tester()
    library.create_stream("north", rate="1 kpps")
    library.measure_loss("north", duration="100 ms")
    with pytest.raises(TesterLibraryError, match=r"^this is no result of Measure Soak: north"):
        Component(library.suite).verify_soak()
