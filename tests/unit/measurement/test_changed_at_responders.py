# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A device that changes bytes on the way to the tester's own responder has failed connections."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.methodology.sessions import failures_below
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import session_statistics


@pytest.mark.parametrize(
    ("bound", "outcome"),
    [("0 %", Outcome.FAIL), ("1 %", Outcome.FAIL), ("3 %", Outcome.INCONCLUSIVE), ("20 %", Outcome.PASS)],
)
def test_at_least_one_and_at_most_each_changed_byte_is_a_failed_connection(
    bound: str, outcome: Outcome
) -> None:
    """40 connections, 8 changed bytes: 1 to 8 connections have failed."""
    counted = session_statistics("c", 10**9, {}, {}, openings=40, ended=40, opens=True)
    verdict = failures_below([SessionTrial(counted, changed_at={"s": 8})], Ratio.parse(bound))
    assert verdict.outcome is outcome
    assert "8 bytes arrived changed at s" in str(verdict)


def test_without_a_changed_byte_the_part_is_exact() -> None:
    counted = session_statistics("c", 10**9, {}, {}, openings=40, ended=40, opens=True)
    assert failures_below([SessionTrial(counted)], Ratio.parse("0 %")).outcome is Outcome.PASS
