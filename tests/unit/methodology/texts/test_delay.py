# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.methodology.verdicts.blind_delay import delay_below
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, MILLISECOND, SECOND, blind, said, trial, unsigned_blind


def delays() -> Iterator[Verdict]:
    yield delay_below([blind(1000, 1000, 2)], Duration(5 * MILLISECOND))
    yield delay_below([blind(1000, 1000, 20)], Duration(5 * MILLISECOND))
    yield delay_below([blind(1000, 681, 2)], Duration(5 * MILLISECOND))
    yield delay_below([blind(1000, 681, 2)], SECOND)
    yield delay_below([unsigned_blind()], SECOND)
    yield delay_below([trial()], SECOND)
    yield delay_below([trial(objections=LATE)], SECOND)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("delay", said(delays))
