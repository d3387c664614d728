# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast a path forwards, with a thousand events that wait, beside a testpmd that swaps addresses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from statistics import median

from .harness.alternate import alternate, paired, rate
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import path, testpmd

_WARM_UP_S = 0.3
_MEGA = 1e6
_EVENTS = 1000
_PLAIN, _DELAYED, _TRACED = "no events", "a delay of 10 us", "a trace of all frames"
_PEER = testpmd.name("5tswap")


@benchmark(unit="Mpps", bound=at_least(0.5))
def inline_forward_64(settings: Settings) -> Outcome:
    """64-byte frames forwarded between two rings by a path with 1,000 events, counters on, one lcore"""

    def measured(running: Callable[[], AbstractContextManager[Callable[[], int]]]) -> Callable[[], float]:
        def measure() -> float:
            with running() as forwarded:
                return rate(forwarded, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

        return measure

    sides = {
        "ours": measured(lambda: path.forwarding(path.waiting(_EVENTS))),
        _PLAIN: measured(path.forwarding),
        _DELAYED: measured(lambda: path.forwarding(delay_ns=10_000)),
        _TRACED: measured(lambda: path.forwarding(path.waiting(_EVENTS), traced=True)),
        _PEER: measured(testpmd.swapping),
    }
    rounds = alternate(sides, settings.runs)
    others = ", ".join(
        f"{median(each.values[name] for each in rounds):.2f} Mpps with {name}"
        for name in (_PLAIN, _DELAYED, _TRACED)
    )
    return replace(paired(rounds, _PEER), note=others)
