# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a certificate: each kind of result registers its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from TesterLibrary.methodology.result import Result
from TesterLibrary.reporting.pictures.figures import Figure, Setting, figures
from TesterLibrary.reporting.pictures.figures.registry import MAKERS, draws
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.records import ResultRecord


@dataclass(frozen=True)
class Colours(Result):
    """A result with a figure."""


@dataclass(frozen=True)
class Sounds(Result):
    """A result that registers later."""


def record(kind: type[Result], title: str) -> ResultRecord:
    return ResultRecord(RecordPlace(suite="Suite", test="Test", testbed="bed"), "colours", kind(title, ()))


@pytest.fixture(autouse=True)
def _forget_afterwards() -> Iterator[None]:
    yield
    for kind in (Colours, Sounds):
        MAKERS.pop(kind, None)


def test_a_kind_of_result_is_drawn_by_what_registered_for_it() -> None:
    @draws(Colours)
    def colours(records: Any, setting: Any) -> Iterator[Figure]:
        yield Figure(
            f"Colours on {setting.testbed['name']}", "", ", ".join(found.result.title for found in records)
        )

    found = [record(Colours, "red"), record(Sounds, "loud"), record(Colours, "blue")]
    assert list(figures(found, Setting({"name": "bed"}))) == [Figure("Colours on bed", "", "red, blue")]


def test_figures_come_in_the_order_in_which_procedures_ran() -> None:
    draws(Colours)(lambda _records, _testbed: iter([Figure("Colours", "", "")]))
    draws(Sounds)(lambda _records, _testbed: iter([Figure("Sounds", "", "")]))
    found = [record(Sounds, "loud"), record(Colours, "red"), record(Sounds, "soft")]
    assert [figure.title for figure in figures(found, Setting({}))] == ["Sounds", "Colours"]
