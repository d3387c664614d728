# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How well delays are measured that are known, after calibration."""

from __future__ import annotations

from .harness.loop import loop
from .harness.machine import load_average
from .harness.outcome import Outcome, Run, below
from .harness.registry import Settings, benchmark

_KNOWN_NS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
_ALLOWED_NS, _ALLOWED_PART = 200, 0.01
_LEAST = 0.001  # smaller values count as this, because a figure is above 0
_RATE = "100 kpps"


@benchmark(unit="of the allowed error", bound=below(1, "of the allowed error"))
def known_delay_error(settings: Settings) -> Outcome:
    """Median delay through lines of 1 us to 10 ms, less that of a loop; 200 ns + 1 % are allowed"""
    runs, worst = [], ""
    for _ in range(settings.runs):
        offset = _median_ns("loop:x", settings.seconds)
        parts = {}
        for known in _KNOWN_NS:
            error = _median_ns(f"delay:x,{known}", settings.seconds) - offset - known
            parts[known] = abs(error) / (_ALLOWED_NS + _ALLOWED_PART * known)
        known = max(parts, key=lambda ns: parts[ns])
        worst = f"worst at {known / 1000:g} us; the loop itself takes {offset:,.0f} ns"
        runs.append(Run(max(parts[known], _LEAST), None, load_average()))
    return Outcome(tuple(runs), note=worst)


def _median_ns(spec: str, seconds: float) -> float:
    with loop(spec, _RATE) as engine:
        median = engine.latency(seconds).p50
    if median is None:
        raise RuntimeError(f"no frame came through {spec}")
    return median
