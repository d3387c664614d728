# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.field_values import draw, field_values


def test_values_are_given_or_read(tmp_path: Path) -> None:
    file = tmp_path / "values.txt"
    file.write_text("# addresses\n10.0.0.1\n\n 10.0.0.2  # the second\n")
    assert field_values(("1", "2")).values == ("1", "2")
    assert field_values((), str(file)).values == ("10.0.0.1", "10.0.0.2")
    with pytest.raises(PlanError, match="give one or the other"):
        field_values(("1",), str(file))
    with pytest.raises(PlanError, match=r"none.txt' of values cannot be read: .*No such file"):
        field_values((), str(tmp_path / "none.txt"))


def test_shares_are_percents_or_weights() -> None:
    assert draw({"0": "70 %", "1": "30%"}).cumulative == (Fraction(7, 10), Fraction(1))
    assert draw({"0": "1", "1": "2", "2": "7"}).cumulative == (Fraction(1, 10), Fraction(3, 10), Fraction(1))
    assert draw({"0": "70 %", "1": "20 %"}).cumulative[-1] == Fraction(9, 10)  # the planner refuses it
    for shares, message in (
        ({"0": "70 %", "1": "3"}, "give all of them in one way"),
        ({"0": "many"}, "0=many: a share is a number"),
        ({"0": "-1"}, "0=-1: a share is a number"),
    ):
        with pytest.raises(PlanError, match=message):
            draw(shares)


def test_a_distribution_function_is_read(tmp_path: Path) -> None:
    file = tmp_path / "cdf.csv"
    file.write_text("53, 0.25\n80, 1\n")
    read = draw({}, str(file))
    assert (read.values, read.cumulative) == (("53", "80"), (Fraction(1, 4), Fraction(1)))
    file.write_text("53, 0.25\n\n80 1\n")
    with pytest.raises(PlanError, match=r"cdf.csv:3: no comma, '80 1' is not a value"):
        draw({}, str(file))
    with pytest.raises(PlanError, match="give one or the other"):
        draw({"1": "1"}, str(file))
