# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of measuring, against a testpmd that makes and frees its frames as we do."""

from __future__ import annotations

from .harness.outcome import Outcome, at_least
from .harness.reception import measured_beside
from .harness.registry import Settings, benchmark
from .senders import testpmd

_MODE = "flowgen"


@benchmark(unit="Mpps", bound=at_least(0.5))
def receive_measure_64_flowgen(settings: Settings) -> Outcome:
    """64-byte frames sent, received, told apart, timed and ordered over a ring, one lcore"""
    note = "testpmd makes and frees frames, and looks at nothing that comes in"
    return measured_beside(
        testpmd.name(_MODE), lambda: testpmd.sending("net_ring0", mode=_MODE), settings, note
    )
