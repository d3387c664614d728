# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures how much a capture of all frames slows down the measurement, and how many frames are kept."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from TesterLibrary.model.capture import Capture, Keep

from .harness.alternate import alternate, paired, rate
from .harness.outcome import ANY, Outcome
from .harness.registry import Settings, benchmark
from .senders import engine

_WARM_UP_S = 0.3
_MEGA = 1e6
_NONE = "no capture"
_ALL = Capture("all", keep=Keep.LAST)


@benchmark(unit="Mpps", bound=ANY)
def capture_cost(settings: Settings) -> Outcome:
    """64-byte frames measured over a ring, each captured where it leaves and where it arrives, one lcore"""
    dropped: list[float] = []

    def ours() -> float:
        with engine.looped() as target:
            target.captures.start(_ALL)
            measured = rate(
                lambda: target.snapshot().streams[0].rx_packets, settings.seconds, warm_up=_WARM_UP_S
            )
            (counters,) = target.snapshot().captures
            dropped.append(counters.dropped / counters.matched)
        return measured / _MEGA

    def without() -> float:
        with engine.measuring() as received:
            return rate(received, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    outcome = paired(alternate({"ours": ours, _NONE: without}, settings.runs), _NONE)
    return replace(outcome, note=f"{median(dropped):.1%} of the frames found no room, and were counted")
