# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Outages as bands in the time in which each stream was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....methodology.outage import OutageResult
from ...pages.render import image
from ...record.records import ResultRecord
from ..figure import Figure
from ..time_plots import Band, outages
from .registry import Setting, draws


@draws(OutageResult, in_log=True)
def outage(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """A figure for each measurement in which frames left."""
    for record in records:
        result = record.result
        streams = [s for trial in result.trials for s in trial.streams if s.counters.tx_packets]
        if not streams:
            continue
        begin = min(stream.counters.first_tx_ns for stream in streams)

        def seconds(first_ns: float, last_ns: float, begin: int = begin) -> Band:
            return (first_ns - begin) / 1e9, (last_ns - begin) / 1e9

        sending = {s.name: seconds(s.counters.first_tx_ns, s.counters.last_tx_ns) for s in streams}
        silent = {
            s.name: [seconds(o.start_ns, o.start_ns + o.by_time_ns) for o in s.outages or ()] for s in streams
        }
        yield Figure(f"Outage of {result.title}", image(outages(sending, silent)), str(result))
