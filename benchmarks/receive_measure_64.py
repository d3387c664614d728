# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What measuring costs: testpmd passes frames on and looks at nothing, we make, know and time each one."""

from __future__ import annotations

from .harness.alternate import alternate, paired, rate
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import engine, testpmd

_WARM_UP_S = 0.3
_MEGA = 1e6


@benchmark(unit="Mpps", bound=at_least(0.5))
def receive_measure_64(settings: Settings) -> Outcome:
    """64-byte frames sent, received, told apart, timed and ordered over a ring, one lcore"""

    def ours() -> float:
        with engine.measuring() as received:
            return rate(received, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    def theirs() -> float:
        with testpmd.forwarding() as passed_on:
            return rate(passed_on, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    rounds = alternate({"ours": ours, testpmd.FORWARDING: theirs}, settings.runs)
    return paired(rounds, testpmd.FORWARDING, note="testpmd hands on pointers: it touches no byte of a frame")
