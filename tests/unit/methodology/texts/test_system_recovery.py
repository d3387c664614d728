# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from TesterLibrary.methodology.system_recovery import (
    RecoveryMeasurement,
    RecoveryResult,
    measure_system_recovery,
)
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from ..steps import Steps
from .samples import LATE, MILLISECOND, SECOND, said


def recoveries() -> Iterator[Verdict]:
    def measured(**device: Any) -> RecoveryResult:
        measurement = RecoveryMeasurement(
            Ratio.parse("80 %"), overload_duration=SECOND, relief_duration=SECOND
        )
        return measure_system_recovery(Steps(**device), measurement)

    yield measured(recovery_ns=100 * MILLISECOND).verdict_below(SECOND)
    yield measured(recovery_ns=100 * MILLISECOND).verdict_below(Duration(50 * MILLISECOND))
    yield measured(recovery_ns=100 * MILLISECOND).verdict_below(Duration(100 * MILLISECOND))
    yield measured(lost=frozenset({870})).verdict_below(Duration(0))
    yield measured(lost=frozenset({5})).verdict_below(Duration(0))
    yield measured(recovery_ns=MILLISECOND, always=3).verdict_below(SECOND)
    yield measured(recovery_ns=990 * MILLISECOND).verdict_below(Duration(MILLISECOND))
    yield measured(recovery_ns=990 * MILLISECOND).verdict_below(Duration(10 * SECOND.ns))
    yield measured().verdict_below(SECOND)
    yield measured(recovery_ns=MILLISECOND, counts=False).verdict_below(SECOND)
    yield measured(lost=frozenset(range(10))).verdict_below(SECOND)
    yield measured(recovery_ns=MILLISECOND, objections=LATE).verdict_below(SECOND)
    early, late = frozenset(range(100, 300)), frozenset(range(10, 870))
    yield measured(lost=early, reordered=1, overtaken=frozenset({870})).verdict_below(SECOND)
    yield measured(lost=late, reordered=1, overtaken=frozenset({1300})).verdict_below(SECOND)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("system_recovery", said(recoveries))
