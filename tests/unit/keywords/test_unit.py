# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Expected values as suites write them, and the errors of those that have another unit."""

from __future__ import annotations

from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import UnitError
from TesterLibrary.keywords._session_getter import unit_of
from TesterLibrary.keywords._unit import COUNT, FRAMES_EACH_SECOND

AT_LEAST = AssertionOperator[">="]


@pytest.mark.parametrize(
    ("statistic", "written", "number"),
    [
        ("bytes_received", "1 MB", 10**6),
        ("tcp.bytes_delivered", "1,000", 1000),
        ("bytes_received/s", "10 Mbps", 1_250_000),
        ("bytes_received/s", "1,000", 1000),
        ("established/s", "450/s", 450),
        ("established/s", "0.1", 0.1),  # a float, as what is measured each second
        ("established", "1,000", 1000),
        ("goodput", "10 Mbps", 10**7),
        ("goodput", "0", 0),
        ("goodput", 1e9, 10**9),
        ("time_to_open.p99", "2 s", 2 * 10**9),
    ],
)
def test_a_statistic_is_compared_in_its_unit(statistic: str, written: Any, number: float) -> None:
    assert unit_of(statistic).expected(AT_LEAST, written, subject=statistic) == number


@pytest.mark.parametrize(
    ("statistic", "written", "said"),
    [
        (
            "bytes_received",
            "2 s",
            "'2 s' is not an amount of data; write a whole number of bytes, maybe with",
        ),
        (
            "bytes_received/s",
            "1 MB",
            "'1 MB' is not a rate of this kind; write bytes each second as a number",
        ),
        ("established/s", "10 Mbps", "'10 Mbps' is not a rate of this kind; write a number, maybe with /s"),
        ("established/s", "-1", "'-1' is not a rate of this kind; write a number, maybe with /s"),
        ("established", "5 kB", "'5 kB' has the unit 'kB', and this value has none; write a number without"),
        ("goodput", "1000", "'1000' is not a rate of this kind; write a number with bps, kbps, Mbps"),
        ("goodput", "few", "'few' is not a rate of this kind; write a number with bps, kbps, Mbps"),
    ],
)
def test_another_unit_is_refused_with_what_to_write(statistic: str, written: str, said: str) -> None:
    with pytest.raises(UnitError, match=f"{statistic} of users: {said}"):
        unit_of(statistic).expected(AT_LEAST, written, subject=f"{statistic} of users")


def test_frames_each_second_are_a_number_or_a_rate_of_frames() -> None:
    assert FRAMES_EACH_SECOND.parse("1 kpps") == FRAMES_EACH_SECOND.parse("1,000") == 1000
    with pytest.raises(UnitError, match="'1 kbps' is not a rate of this kind; write frames each second"):
        FRAMES_EACH_SECOND.parse("1 kbps")


@pytest.mark.parametrize("word", ["contains", "starts", "not contains"])
def test_numbers_are_not_compared_as_texts(word: str) -> None:
    with pytest.raises(UnitError, match=rf"count: '{word}' does not compare numbers; write one of ==, !="):
        COUNT.expected(AssertionOperator[word], "1", subject="count")


def test_an_expression_is_left_as_it_is() -> None:
    assert COUNT.expected(AssertionOperator["validate"], "value > 1", subject="count") == "value > 1"
