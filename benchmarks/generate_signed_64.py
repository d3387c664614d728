# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of the signature: testpmd always sends the same bytes, we write every frame anew."""

from __future__ import annotations

from .harness.generation import generation
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders.engine import stream


@benchmark(unit="Mpps", bound=at_least(1.0))
def generate_signed_64(settings: Settings) -> Outcome:
    """64-byte frames with sequence number and timestamp on net_null, one lcore"""
    return generation(settings, stream(signature=True))
