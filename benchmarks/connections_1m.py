# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a million open connections cost more than ten thousand."""

from __future__ import annotations

import time

from .harness.alternate import alternate, paired
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import connections

_MANY = 1_000_000
_FEW = 10_000
_PEER = "10,000 connections"
_PATIENCE_S = 120.0


@benchmark(unit="connections/s", bound=at_least(0.7))
def connections_1m(settings: Settings) -> Outcome:
    """Connections opened each second until a million are open at once, both ends on one lcore"""
    sides = {"ours": lambda: _opened(_MANY), _PEER: lambda: _opened(_FEW)}
    return paired(alternate(sides, settings.runs), _PEER)


def _opened(number: int) -> float:
    """How fast so many have been opened, by the engine's clock."""
    with connections.http(number, hold=True) as target:
        first = target.snapshot()
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            now = target.snapshot()
            open_now = connections.users(target).flows or 0
            if open_now >= number:
                break
            if time.monotonic() > deadline:
                raise RuntimeError(f"{open_now:,} of {number:,} connections are open after {_PATIENCE_S} s")
            time.sleep(0.002)
        return number / ((now.taken_at_ns - first.taken_at_ns) / 1e9)
