# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How many HTTP transactions one lcore does, as client and as server."""

from __future__ import annotations

from dataclasses import replace

from .harness.alternate import alternate, paired, rate
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import connections, wrk

_WARM_UP_S = 0.5
_OPEN = 1000
_DPDK_PERF = 2_000_000  # connections each second and core, as dperf's authors publish


@benchmark(unit="transactions/s", bound=at_least(20.0))
def http_transactions(settings: Settings) -> Outcome:
    """HTTP transactions, SYN to FIN with a body of 1 KB: both ends in the engine over a ring, one lcore"""

    def ours() -> float:
        with connections.http(_OPEN) as target:
            return rate(
                lambda: connections.users(target).flows_ended or 0, settings.seconds, warm_up=_WARM_UP_S
            )

    sides = {"ours": ours, wrk.NAME: lambda: wrk.transactions(settings.seconds, body=connections.BODY)}
    found = paired(alternate(sides, settings.runs), wrk.NAME)
    share = found.value / _DPDK_PERF
    return replace(found, note=f"one lcore is both ends; of dperf's published 2 M/s a core it is {share:.1%}")
