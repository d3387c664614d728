# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Literal

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.targets.base import Target, part_of
from TesterLibrary.targets.fake import FakeTarget
from TesterLibrary.targets.simulated import SimulatedTarget
from TesterLibrary.testbeds.simulated import SimulatedDevice

SIMULATED = SimulatedTarget(SimulatedDevice.of({}))
PARTS = ("captures", "queries", "flows", "stamps", "frames", "leases")
Part = Literal["captures", "queries", "flows", "stamps", "frames", "leases"]


def test_a_part_that_a_tester_has_is_returned() -> None:
    target = FakeTarget()
    assert part_of(target, "captures") is target.captures
    assert part_of(target, "frames") is target.frames


@pytest.mark.parametrize("target", [FakeTarget(), SIMULATED], ids=["fake", "simulated"])
@pytest.mark.parametrize("part", PARTS)
def test_a_missing_part_is_refused_with_the_kind_of_tester(target: Target, part: Part) -> None:
    if getattr(target, part) is not None:
        assert part_of(target, part) is getattr(target, part)
        return
    with pytest.raises(
        PlanError, match=f"^{target.kind} (captures no|does not|sends no|has no) .+; (use|leave)"
    ):
        part_of(target, part)


def test_what_a_simulated_tester_lacks() -> None:
    assert [part for part in PARTS if getattr(SIMULATED, part) is None] == [
        "captures",
        "queries",
        "flows",
        "stamps",
        "leases",
    ]
