# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from ..test_ageing import SECOND, SimulatedTable, measured
from .samples import LATE, said

FIVE, LONG = Duration(5 * SECOND), Duration(1000 * SECOND)


def verdicts() -> Iterator[Verdict]:
    for table in (
        SimulatedTable([4 * SECOND, 6 * SECOND]),
        SimulatedTable([5 * SECOND, 5 * SECOND + 1]),
        SimulatedTable([4 * SECOND, 900 * SECOND]),
        SimulatedTable([4 * SECOND] * 2, learns=False),
        SimulatedTable([4 * SECOND] * 2, objections=LATE),
    ):
        result = measured(table, 2)
        for bound in (FIVE, LONG):
            yield result.verdict_above(bound)
            yield result.verdict_below(bound)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("ageing", said(verdicts))
