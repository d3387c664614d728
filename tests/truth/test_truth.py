# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The short form: another seed each time."""

from __future__ import annotations

import secrets

import pytest

from . import simulated, table


def test_no_verdict_is_false() -> None:
    seed = secrets.randbelow(10**9)
    cases = list(simulated.cases(seed, 330))
    print(f"seed {seed}\n{table.text(cases)}")
    wrong = [case for case in cases if case.false_pass or case.false_fail]
    again = [f"{case}\n    python -m tests.truth --seed {seed} --case {case.number}" for case in wrong]
    assert not again, "\n".join(again)
    assert table.met(cases), f"seed {seed}\n{table.text(cases)}"


@pytest.mark.parametrize(("found", "of", "most"), [(0, 1000, 0.00299), (1, 100, 0.0466), (5, 5, 1.0)])
def test_the_bound_is_that_of_clopper_and_pearson(found: int, of: int, most: float) -> None:
    assert table.upper_bound(found, of) == pytest.approx(most, rel=0.01)
