# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from TesterLibrary.methodology.sessions import even_shares
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.verdict import Outcome


@pytest.mark.parametrize(
    ("shares", "outcome", "measured"),
    [
        ((100, 100, 100, 100), Outcome.PASS, "0 % off"),
        ((110, 90), Outcome.PASS, "10 % off"),
        ((111, 89), Outcome.FAIL, "11 % off"),
        ((200, 200, 0), Outcome.FAIL, "100 % off an even share (200 of a, 200 of b, 0 of c)"),
        ((0, 0), Outcome.INCONCLUSIVE, "0 % off"),
    ],
)
def test_shares_are_even_within_a_bound(shares: tuple[int, ...], outcome: Outcome, measured: str) -> None:
    verdict = even_shares(dict(zip("abcd", shares, strict=False)), Ratio.parse("10 %"))
    assert verdict.outcome is outcome
    assert verdict.measured.startswith(measured)
