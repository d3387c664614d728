# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the counters of streams take out of a switch."""

from __future__ import annotations

import time
from statistics import median

from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.targets.tofino.driver.target import TofinoTarget

from .harness.outcome import Outcome, below
from .harness.registry import Settings, benchmark
from .senders.switches import STREAMS, measured

_TIMES = 25


@benchmark(unit="ms", bound=below(100, "ms"))
def tofino_counters(settings: Settings) -> Outcome:
    """The counters of 64 streams that send out of a switch, latencies included"""
    return measured(settings, _read)


def _read(target: TofinoTarget, plan: Plan) -> float:
    """Milliseconds: the median of many, because a model leaves some of them waiting while it carries packets.

    A fake switch first does what was due since the start, which is not what is measured.
    """
    target.load(plan)
    target.start([plan.job])
    target.snapshot()
    taken = [_once(target) for _ in range(_TIMES)]
    target.unload([plan.job])
    return median(taken) * 1000


def _once(target: TofinoTarget) -> float:
    begin = time.perf_counter()
    counted = target.snapshot().streams
    taken = time.perf_counter() - begin
    if len(counted) != STREAMS or not all(stream.sending for stream in counted):
        raise RuntimeError(f"{len(counted)} of {STREAMS} streams were read, or do not send")
    return taken
