# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss and rate of watched traffic, interval by interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....methodology.monitoring import MonitoringResult
from ...pages.render import image
from ...record.records import ResultRecord
from ..figure import Figure
from ..time_plots import interval_series
from .registry import Setting, draws


@draws(MonitoringResult, in_log=True)
def intervals(records: Sequence[ResultRecord], setting: Setting) -> Iterator[Figure]:
    """A figure for each watched traffic, with the events that were marked while it ran."""
    for record in records:
        result = record.result
        if isinstance(result, MonitoringResult) and result.intervals:
            begin, end = result.intervals[0].start_ns, result.intervals[-1].end_ns
            marks = [
                ((mark.tester_ns - begin) / 1e9, mark.name)
                for mark in setting.marks
                if mark.is_of(record.place) and begin <= mark.tester_ns <= end
            ]
            picture = image(interval_series(result.intervals, marks))
            marked = (f"{name} at {seconds:.4g} s" for seconds, name in marks)
            yield Figure(f"Intervals of {result.title}", picture, "; ".join((str(result), *marked)))
