# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from assertionengine import AssertionOperator

from TesterLibrary.methodology.header_field import CapturedField, ExpectedField, judge_header_field
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import said


def fields() -> Iterator[Verdict]:
    equal = AssertionOperator["=="]
    less = ExpectedField.parse("sent - 1", int)
    subject = "IP.ttl of north"
    right = [CapturedField(n, 63, 64) for n in range(1000)]
    twice = [*right, CapturedField(1000, 62, 64), CapturedField(1001, None, 64)]
    yield judge_header_field(right, equal, less, subject=subject)
    yield judge_header_field(right, equal, less, subject=subject, missing=52)
    yield judge_header_field([*right, CapturedField(1000, 63)], equal, less, subject=subject)
    yield judge_header_field(twice, equal, less, subject=subject)
    yield judge_header_field([], equal, less, subject=subject)
    yield judge_header_field([CapturedField(0, 63)], equal, less, subject=subject)
    several = [CapturedField(n, n) for n in range(9)]
    yield judge_header_field(several, equal, ExpectedField.parse("64", int), subject="IP.tos of north")


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("header_field", said(fields))
