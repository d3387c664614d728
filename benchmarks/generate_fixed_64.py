# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast frames are made, when a driver takes them that does nothing."""

from __future__ import annotations

from .harness.generation import generation
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders.engine import stream


@benchmark(unit="Mpps", bound=at_least(1.0))
def generate_fixed_64(settings: Settings) -> Outcome:
    """Fixed 64-byte frames on net_null, one lcore"""
    return generation(settings, stream())
