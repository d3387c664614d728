# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How much faster than the usual tool without DPDK."""

from __future__ import annotations

from .harness.delivery import against_trafgen
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark


@benchmark(unit="Mpps", bound=at_least(2.0))
def veth_vs_trafgen(settings: Settings) -> Outcome:
    """64-byte frames that arrive over veth, from one CPU"""
    return against_trafgen(settings)
