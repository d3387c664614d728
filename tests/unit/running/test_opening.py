# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a tester is opened on its testbed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.running.opening import limits_of
from TesterLibrary.testbeds.testbed import SwitchSpec, TesterSpec


@pytest.mark.parametrize(
    "tester",
    [
        TesterSpec(),
        TesterSpec(address="grpc+tls:tester:50051"),
        TesterSpec(switch=SwitchSpec("fake")),
        TesterSpec(switch=SwitchSpec("switch:50052")),
    ],
)
def test_a_tester_has_to_keep_its_rates(tester: TesterSpec) -> None:
    assert limits_of(tester) == EvidenceLimits()


def test_a_model_of_a_chip_is_asked_for_counts_only() -> None:
    """Its meters run by another clock than its stamps, and that says nothing of the device."""
    found = limits_of(TesterSpec(switch=SwitchSpec("model", model=True)))
    assert found == replace(EvidenceLimits(), max_rate_error=Fraction(1, 2))
