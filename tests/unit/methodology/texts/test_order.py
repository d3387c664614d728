# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.methodology.order import reordering_below
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved
from tests.counted import order_counters

from .samples import LATE, NONE, said, trial, unsigned


def orders() -> Iterator[Verdict]:
    yield reordering_below([trial()], NONE)
    mixed = {"rx_out_of_order": 12, "order": order_counters(duplicated=3, late=1, extent_max=7)}
    yield reordering_below([trial(counters=mixed)], NONE)
    yield reordering_below([trial(counters=mixed)], Ratio.parse("77 ppm"))
    yield reordering_below([trial(capacity=0)], NONE)
    yield reordering_below([trial(counts=False)], NONE)
    yield reordering_below([unsigned()], NONE)
    yield reordering_below([trial(objections=LATE)], NONE)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("order", said(orders))
