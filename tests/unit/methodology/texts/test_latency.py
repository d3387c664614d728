# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.methodology.verdicts.judging import latency_below
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, MILLISECOND, calibrated, said, switched, trial


def latencies() -> Iterator[Verdict]:
    yield latency_below([trial()], Duration(MILLISECOND), 99)
    yield latency_below([trial()], Duration(50_000), 100)
    yield latency_below([trial(capacity=900)], Duration(MILLISECOND), 99)
    yield latency_below([trial(capacity=0)], Duration(MILLISECOND), 50)
    yield latency_below(
        [trial(delay_objections=("the calibration is 9 h old",))], Duration(MILLISECOND), 99.9
    )
    yield latency_below([trial(objections=LATE)], Duration(MILLISECOND), 99.99)
    # 20 and 80 us: as a switch knows them, and as an engine does whose own delay was taken off
    for bound_us in (19, 20, 21, 79, 80, 81):
        yield latency_below([switched()], Duration(bound_us * 1000), 50 if bound_us < 50 else 99)
    yield latency_below([switched()], Duration(80_000), 100)
    for bound_us in (8, 9, 11, 12):
        yield latency_below([calibrated()], Duration(bound_us * 1000), 50)
    yield latency_below([trial(), switched()], Duration(20_500), 50)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("latency", said(latencies))
