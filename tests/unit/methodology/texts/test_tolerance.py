# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.measurement.learning import LearningCheck
from TesterLibrary.methodology.learning import (
    CacheResult,
    capacity_above,
)
from TesterLibrary.methodology.verdicts.judging import latency_below, loss_below, throughput_above
from TesterLibrary.methodology.verdicts.tolerance import at_least, at_most
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import NONE, said, trial


def tolerances() -> Iterator[Verdict]:
    """Bounds that pass and fail by 5 %, and their text."""
    five = Ratio.parse("5 %")
    lossless, lossy = trial("20 %"), trial("100 %")
    cache = CacheResult("198.18.0.0/24", (), 1000, 1001, (LearningCheck(1001, 1000, ()),))
    for within in (None, five):
        for rate in ("20.5 %", "300 kpps", "210 Mbps"):
            yield at_least(lambda bound: throughput_above(lossless, bound), Rate.parse(rate), within)
        yield at_most(lambda bound: loss_below([lossy], bound), Ratio.parse("77 %"), within)
        yield at_most(lambda bound: loss_below([lossy], bound), NONE, within)
        yield at_most(lambda bound: latency_below([lossless], bound, 100), Duration(50_000), within)
        yield at_least(lambda bound: capacity_above(cache, bound), 1050, within)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("tolerance", said(tolerances))
