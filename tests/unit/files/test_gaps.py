# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.gaps import load_distribution, load_gaps
from TesterLibrary.model.units.units import Duration


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gaps.csv", "# as measured\n10 us\n\n0.000002 s  # two of them\n1 ms\n"),
        ("gaps.yaml", "- 10 us\n- 2 us\n- 1 ms\n"),
    ],
)
def test_a_list_of_gaps(tmp_path: Path, name: str, text: str) -> None:
    loaded = load_gaps(written(tmp_path, name, text), repeat=False)
    assert [message.pause.ns for message in loaded.messages] == [10_000, 2_000, 1_000_000]
    assert not loaded.repeat


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cdf.csv", "1 us, 0\n5 us, 25 %\n9 us, 1\n"),
        ("cdf.yml", "- [1 us, 0]\n- [5 us, 0.25]\n- [9 us, 1]\n"),
    ],
)
def test_a_distribution(tmp_path: Path, name: str, text: str) -> None:
    assert load_distribution(written(tmp_path, name, text)).points == (
        (Duration(1000), Fraction(0)),
        (Duration(5000), Fraction(1, 4)),
        (Duration(9000), Fraction(1)),
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("gaps.csv", "1 us\n-3 us\n", "gaps.csv:2: '-3 us' is not a time"),
        ("gaps.csv", "# nothing\n\n", "gaps.csv: it is empty; give at least one gap"),
        ("gaps.csv", "1 us\n2 us, 3 us\n", "gaps.csv:2: 2 values; a list of gaps has one on each line"),
        ("gaps.yaml", "a: 1\n", "gaps.yaml:1: no list; give one of gaps"),
        ("gaps.yaml", "- 1 us\n\n- soon\n", "gaps.yaml:3: 'soon' is not a time"),
        ("gaps.yaml", "- 1 us\n- 2\n", "gaps.yaml:2: '2' is not a time: it has no unit; write '2 s'"),
    ],
)
def test_mistakes_in_a_list_have_their_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(PlanError) as error:
        load_gaps(written(tmp_path, name, text))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 us,0\n# later\n9 us,0.5\n5 us,1\n", "cdf.csv:4: the time 5 us is below 9 us before it"),
        ("1 us,0\n2 us,0.5\n5 us,0.2\n", "cdf.csv:3: the probability 0.2 is below 0.5 before it"),
        ("1 us,0\n2 us,0.9\n", "cdf.csv: the CDF ends at 0.9; its last point has to have the probability 1"),
        ("1 us,0\n2 us,1.5\n", "cdf.csv:2: '1.5' is no probability; give 0 to 1"),
        ("1 us\n2 us,1\n", "cdf.csv:1: '1 us' is no point of a CDF; give time and probability"),
        ("1 us,1\n", "cdf.csv: a CDF of 1 points: there are 2 to 65,536"),
        ("0,0\n1 ns,1\n", "cdf.csv: the mean gap of the CDF is below 1 ns"),
    ],
)
def test_mistakes_in_a_distribution_have_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PlanError) as error:
        load_distribution(written(tmp_path, "cdf.csv", text))
    assert message in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"none\.csv: cannot be read: No such file"):
        load_gaps(str(tmp_path / "none.csv"))
