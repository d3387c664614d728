# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import house

SOURCE = '''\
"""So many things of which nobody knows."""
from typing import Any

class Step: ...

class Machine:
    class Step: ...

@keyword(tags=["x"])
def verify_it(value: Any) -> None:
    """A docstring is no statement."""
    a = 1
    b = 2
    c = 3
    d = 4
    if value and a or b:
        e = 5
        f = 6

def wait(target: object) -> None:
    assert target
    for one in range(3):
        while True:
            self._sleep(1)
    found = isinstance(target, EngineTarget)  # type: ignore
'''


@pytest.fixture
def counted(tmp_path: Path) -> dict[str, int]:
    file = tmp_path / "source.py"
    file.write_text(SOURCE)
    return house.figures([house.Source(file)])


@pytest.mark.parametrize(
    ("figure", "count"),
    [
        ("files below 40 lines", 1),
        ("files above 400 lines", 0),
        ("functions with more than 15 paths", 0),
        ("keywords with more than 6 statements", 1),
        ("public class names of two classes", 1),
        ("vague names", 2),
        ("riddles in docstrings", 3),
        ("asserts", 1),
        ("Any", 1),
        ("type: ignore", 1),
        ("loops with a sleep", 2),
        ("isinstance of a target", 1),
    ],
)
def test_a_figure_counts_what_its_name_says(counted: dict[str, int], figure: str, count: int) -> None:
    assert counted[figure] == count


def test_a_function_with_many_branches_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "source.py"
    file.write_text("def pick(a):\n" + "    if a:\n        pass\n" * 15)
    assert house.figures([house.Source(file)])["functions with more than 15 paths"] == 1


@pytest.mark.parametrize(("name", "count"), [("running/sending.py", 1), ("running/clock.py", 0), ("a.py", 0)])
def test_time_is_imported_where_there_is_no_clock_of_the_tester(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, count: int
) -> None:
    monkeypatch.setattr(house, "LIBRARY", tmp_path)
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("import time\n")
    assert house.figures([house.Source(file)])["imports of time beside the tester's clock"] == count


@pytest.mark.parametrize(("change", "status"), [(0, 0), (-1, 1), (1, 0)])
def test_a_figure_that_is_worse_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: dict[str, int], change: int, status: int
) -> None:
    committed = tmp_path / "house.json"
    committed.write_text(json.dumps({**counted, "vague names": counted["vague names"] + change}))
    monkeypatch.setattr(house, "COMMITTED", committed)
    monkeypatch.setattr(house, "LIBRARY", tmp_path)
    monkeypatch.setattr(house, "sources", lambda: [house.Source(tmp_path / "source.py")])
    assert house.main([]) == status
