# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from TesterLibrary.measurement.learning import LearningCheck, LearningTrial
from TesterLibrary.methodology.learning import (
    CacheResult,
    LearningResult,
    all_learned,
    capacity_above,
    learning_rate_above,
)
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, SECOND, said


def neighbours() -> Iterator[Verdict]:
    def learned(count: int, rate: float = 900, **changes: Any) -> LearningResult:
        return LearningResult(
            "198.18.0.0/24", (), LearningTrial(2_000, count, rate, 2 * SECOND.ns, 10, **changes)
        )

    def held(capacity: int, failed: int | None, *objections: str) -> CacheResult:
        checks = () if failed is None else (LearningCheck(failed, capacity, objections),)
        return CacheResult("198.18.0.0/24", (), capacity, failed, checks)

    yield all_learned(learned(2_000))
    yield all_learned(learned(1_999))
    yield all_learned(learned(1_999, objections=LATE))
    yield learning_rate_above(learned(2_000), Frequency.parse("450 entries/s"))
    yield learning_rate_above(learned(2_000), Frequency.parse("2 k entries/s"))
    yield learning_rate_above(learned(20, 5_000), Frequency.parse("450 entries/s"))
    yield learning_rate_above(learned(20, objections=LATE), Frequency.parse("450 entries/s"))
    yield capacity_above(held(1_024, 1_025), 1_000)
    yield capacity_above(held(1_024, 1_025), 4_096)
    yield capacity_above(held(1_024, None), 4_096)
    yield capacity_above(held(1_024, 1_025, *LATE), 4_096)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("neighbours", said(neighbours))
