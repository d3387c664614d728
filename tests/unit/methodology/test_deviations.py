# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads below the throughput that RFC 2544 asks for are named as deviations."""

from __future__ import annotations

import pytest

from TesterLibrary.methodology.latency import LatencyMeasurement, LatencyResult
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, ResetResult
from TesterLibrary.model.units import Ratio

HALF = Ratio.parse("50 %")


@pytest.mark.parametrize(("part", "is_named"), [("80 %", True), ("100 %", False), (None, False)])
def test_a_part_of_the_throughput_is_named(part: str | None, is_named: bool) -> None:
    given = None if part is None else Ratio.parse(part)
    latency = LatencyResult("north", (), LatencyMeasurement(HALF, part=given))
    reset = ResetResult("north", (), ResetMeasurement(ResetKind.SOFTWARE, HALF, part=given), (), "hook")
    named = (
        ("latency at 80 % of the throughput: RFC 2544 §26.2 asks for all of it",),
        ("a reset at 80 % of the throughput: RFC 2544 §26.6 asks for all of it",),
    )
    assert (latency.shortened, reset.shortened) == (named if is_named else ((), ()))
