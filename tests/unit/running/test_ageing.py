# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.running.ageing import BridgeAgeing, NeighbourAgeing, neighbours_of
from TesterLibrary.running.announcement import Announcement

from .testers import fake_tester

RATE = Frequency.parse("100/s")


def test_a_tester_that_tells_no_exact_times_is_refused(tmp_path: Path) -> None:
    tester = fake_tester(tmp_path)
    neighbours = neighbours_of(AddressRange.parse("198.18.64.1"), "p1", "p2", RATE, Announcement.REPLY)
    with pytest.raises(PlanError, match="ageing times cannot be measured: they need the exact times of arr"):
        BridgeAgeing(tester, "p1", "p2", None, RATE)
    with pytest.raises(PlanError, match="ageing times cannot be measured"):
        NeighbourAgeing(tester, neighbours)
