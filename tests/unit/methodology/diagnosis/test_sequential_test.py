# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import pytest

from TesterLibrary.methodology.diagnosis.sequential_test import SequentialTest, binomial


def test_chance_is_taken_for_a_cause_in_one_of_a_thousand_runs_at_most() -> None:
    """Predictions that chance fulfils with 20 %: a run ends with the first that does not come true."""
    draw, accepted = random.Random(5), 0
    for _ in range(20_000):
        test = SequentialTest()
        while not test.decided and draw.random() < 0.2:
            test.came_true(0.2)
        accepted += test.decided
    assert accepted / 20_000 <= 1e-3


def test_improbable_predictions_decide_sooner() -> None:
    test = SequentialTest()
    test.came_true(1e-4)
    assert test.decided


def test_binomial() -> None:
    assert binomial(10, 0.5, 5, 5) == pytest.approx(252 / 1024)
    assert binomial(10, 0.1, 0, 10) == pytest.approx(1)
