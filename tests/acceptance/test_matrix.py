# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/matrix.md is up to date: the suites come to the same on the tester that needs no hardware."""

from __future__ import annotations

import pytest

from tests.matrix.outcome import Kind, folders, load
from tests.matrix.target import FAKE_SWITCH

_HASTE = "still sending after"  # what a fake switch says on a machine that is too busy for it


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("folder", folders())
def test_the_matrix_is_up_to_date(folder: str) -> None:
    known = load()[FAKE_SWITCH.name]
    ran = FAKE_SWITCH.run(folder)
    assert set(ran) == {suite for suite in known if suite.startswith(f"{folder}/")}
    for suite, tests in ran.items():
        found = {test: one.alike for test, one in tests.items()}
        busy = [t for t, one in tests.items() if one.kind is Kind.UNKNOWN and _HASTE in one.reason]
        expected = {test: one.alike for test, one in known[suite].items()}
        assert {t: found[t] for t in found if t not in busy} == {
            t: expected[t] for t in expected if t not in busy
        }, f"{suite}; if that is right: make matrix"
