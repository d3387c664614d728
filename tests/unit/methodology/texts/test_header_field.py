# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from TesterLibrary.measurement.snapshot import FieldCounters, FieldExampleCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.header_field import (
    CapturedField,
    judge_all_frames,
    judge_header_field,
)
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.expected_field import ExpectedField, FieldRelation
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, said, trial


def fields() -> Iterator[Verdict]:
    less = ExpectedField.of(FieldPath("IP", "ttl"), "==", "sent - 1")
    judge_less = partial(judge_header_field, expected=less, relation=FieldRelation.read(less, int))
    subject = "IP.ttl of north"
    right = [CapturedField(n, 63, 64) for n in range(1000)]
    twice = [*right, CapturedField(1000, 62, 64), CapturedField(1001, None, 64)]
    yield judge_less(right, subject=subject)
    yield judge_less(right, subject=subject, missing=52)
    yield judge_less([*right, CapturedField(1000, 63)], subject=subject)
    yield judge_less(twice, subject=subject)
    yield judge_less([], subject=subject)
    yield judge_less([CapturedField(0, 63)], subject=subject)
    several = [CapturedField(n, n) for n in range(9)]
    tos = ExpectedField.of(FieldPath("IP", "tos"), "==", "64 or 65")
    yield judge_header_field(several, tos, FieldRelation.read(tos, int), subject="IP.tos of north")


def all_frames() -> Iterator[Verdict]:
    path = FieldPath("IP", "ttl")
    less = ExpectedField.of(path, "==", "sent - 1")
    judge = partial(judge_all_frames, stream="north", expected=less)
    right = FieldCounters(str(less), compared=1_000_000)
    twice = FieldExampleCounters(3, 62, 64)
    yield judge([counting(right)])
    yield judge([counting(replace(right, wrong=3, first_sequence=1_007, examples=(twice,)))])
    lost = FieldExampleCounters(2, None, 64)
    many = replace(right, wrong=9, absent=2, examples=(twice, lost, FieldExampleCounters(1, 0, None)))
    yield judge([counting(right), counting(many)])
    yield judge([counting(replace(right, unknown=12))])
    yield judge([counting(replace(right, compared=0, unknown=12))])
    yield judge([counting(replace(right, compared=0))])
    yield judge([counting()])
    yield judge([])
    yield judge([counting(right, objections=LATE)])
    yield judge([counting(many, objections=LATE)])


def counting(*fields: FieldCounters, objections: tuple[str, ...] = ()) -> Trial:
    return trial(counters={"fields": fields}, objections=objections)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("header_field", said(fields, all_frames))
