# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of counting a million flows each by itself."""

from __future__ import annotations

from .harness.alternate import alternate, paired, rate
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import engine

_WARM_UP_S = 0.5  # every flow has been seen by then
_MEGA = 1e6
_FLOWS = 1_000_000
_ONE = "one flow"


@benchmark(unit="Mpps", bound=at_least(0.6))
def measure_flows_1m(settings: Settings) -> Outcome:
    """A million flows, frames, bytes and latency counted for each: 64-byte frames over a ring, one lcore"""

    def many() -> float:
        return _measured(settings, _FLOWS)

    def one() -> float:
        return _measured(settings, 1)

    return paired(alternate({"ours": many, _ONE: one}, settings.runs), _ONE)


def _measured(settings: Settings, flows: int) -> float:
    with engine.measuring(flows=flows) as received:
        return rate(received, settings.seconds, warm_up=_WARM_UP_S) / _MEGA
