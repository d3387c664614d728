# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.regression import Baseline, no_regression
from TesterLibrary.methodology.verdicts.value import judge_value
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.verdict import AT_LEAST, AT_MOST, Below, Between, Verdict, assess
from tests.approval import Approved

from .samples import said

WITHIN = Ratio.parse("3 %")


def value(measured: object, operator: AssertionOperator = AT_LEAST, bound: str = "90 %") -> Verdict:
    return judge_value(measured, operator, bound, subject="share")


def known(least: str, most: str | None = None) -> Baseline:
    low, high = Fraction(least), Fraction(most or least)
    text = f"{float((low + high) / 2):.0%}".replace("%", " %")
    return Baseline(low, high, text, "run of 2026-03-01 02:00")


def regressions() -> Iterator[Verdict]:
    yield no_regression(value("97 %"), known("1"), WITHIN)
    yield no_regression(value("96.9 %"), known("1"), WITHIN)
    yield no_regression(value("103 %", AT_MOST, "110 %"), known("1"), WITHIN)
    yield no_regression(value("104 %", AT_MOST, "110 %"), known("1"), WITHIN)
    yield no_regression(value("98 %", AssertionOperator["=="], "98 %"), known("1"), WITHIN)
    yield no_regression(value("104 %", AssertionOperator["=="], "104 %"), known("1"), WITHIN)
    yield no_regression(value("0 %", AT_MOST, "1 %"), known("0"), WITHIN)
    yield no_regression(value("0.001 %", AT_MOST, "1 %"), known("0"), WITHIN)
    yield no_regression(value("97 %"), known("99/100", "101/100"), WITHIN)
    yield no_regression(value("97 %"), None, WITHIN, doubt="the baseline has no share of the test 'A'")
    doubt = "the device of the baseline is embedded, that of this run physical"
    yield no_regression(value("50 %"), known("1"), WITHIN, doubt=doubt)
    yield no_regression(assess("up", AssertionOperator["=="], "up", subject="link"), known("1"), WITHIN)
    between = assess(
        Between(Fraction(96, 100), Fraction(98, 100)), AT_LEAST, Fraction(9, 10), subject="share"
    )
    yield no_regression(between, known("1"), WITHIN)
    for limit, was in (("search", known("1")), ("", replace(known("55/100"), limit="search"))):
        for measured in ("40 %", "55 %", "60 %"):
            yield no_regression(replace(value(measured, bound="30 %"), limit=limit), was, WITHIN)
    both = replace(value("55 %", bound="30 %"), limit="search")
    yield no_regression(both, replace(known("55/100"), limit="search"), WITHIN)
    yield no_regression(both, replace(known("60/100"), limit="search"), WITHIN)
    below = assess(Below(Fraction(7, 10)), AT_LEAST, Fraction(9, 10), subject="share", measured="below 70 %")
    for was in ("1", "7/10"):
        yield no_regression(below, known(was), WITHIN)
    yield no_regression(value("50 %").doubted("the tester sent 1 of 2 frames"), known("1"), WITHIN)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("regression", said(regressions))


def test_a_tolerance_of_everything_is_refused() -> None:
    with pytest.raises(PlanError, match="it must be below 100 %"):
        no_regression(value("97 %"), known("1"), Ratio.parse("100 %"))
