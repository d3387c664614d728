# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast frames go over a veth cable by AF_XDP."""

from __future__ import annotations

from .harness.delivery import XDP, against_testpmd
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark


@benchmark(unit="Mpps", bound=at_least(1.0))
def veth_xdp_64(settings: Settings) -> Outcome:
    """64-byte frames that arrive over veth by AF_XDP, one lcore"""
    return against_testpmd(settings, XDP)
