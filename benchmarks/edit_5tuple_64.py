# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast frames are made of which each has another five-tuple."""

from __future__ import annotations

from .harness.edited import five_tuple
from .harness.generation import generation
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark


@benchmark(unit="Mpps", bound=at_least(1.5))
def edit_5tuple_64(settings: Settings) -> Outcome:
    """64-byte frames on net_null, each with other addresses and ports, checksums right, one lcore"""
    return generation(settings, five_tuple(), peer="flowgen")
