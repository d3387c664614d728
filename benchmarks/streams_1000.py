# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of interleaving many streams on a port by due time."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from TesterLibrary.model.plan.law import even

from .harness.alternate import alternate, paired
from .harness.generation import into_nothing
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders.engine import stream

_STREAMS = 1000
_ONE = "one stream"


@benchmark(unit="Mpps", bound=at_least(0.66))
def streams_1000(settings: Settings) -> Outcome:
    """1,000 streams of 64-byte frames with signature on one port (net_null), one lcore"""

    def frames_of(streams: int) -> float:
        one = replace(stream(signature=True), departures=even(Fraction(1, streams)))
        return into_nothing(settings, *(replace(one, id=number) for number in range(1, streams + 1)))

    sides = {"ours": lambda: frames_of(_STREAMS), _ONE: lambda: frames_of(1)}
    return paired(alternate(sides, settings.runs), _ONE)
