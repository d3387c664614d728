# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of measuring, against a testpmd that only passes frames on."""

from __future__ import annotations

from .harness.outcome import Outcome, at_least
from .harness.reception import measured_beside
from .harness.registry import Settings, benchmark
from .senders import testpmd


@benchmark(unit="Mpps", bound=at_least(0.5))
def receive_measure_64(settings: Settings) -> Outcome:
    """64-byte frames sent, received, told apart, timed and ordered over a ring, one lcore"""
    note = "testpmd hands on the same pointers again and again: no frame is made, freed or touched"
    return measured_beside(testpmd.FORWARDING, testpmd.forwarding, settings, note)
