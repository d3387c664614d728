# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to interleave many streams on a port by due time."""

from __future__ import annotations

from .harness.alternate import alternate, paired, rate
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import engine

_STREAMS = 1000
_ONE = "one stream"
_WARM_UP_S = 0.3
_MEGA = 1e6


@benchmark(unit="Mpps", bound=at_least(0.66))
def streams_1000(settings: Settings) -> Outcome:
    """1,000 streams of 64-byte frames with signature on one port (net_null), one lcore"""

    def frames_of(streams: int) -> float:
        with engine.sending("vdev:net_null0", signature=True, streams=streams) as sent:
            return rate(sent, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    sides = {"ours": lambda: frames_of(_STREAMS), _ONE: lambda: frames_of(1)}
    return paired(alternate(sides, settings.runs), _ONE)
