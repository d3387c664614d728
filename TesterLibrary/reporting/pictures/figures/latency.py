# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Latency by frame size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....methodology.latency import LatencyResult
from ...pages.render import image
from ...record.records import ResultRecord
from .. import plots
from ..figure import Figure
from .registry import Setting, draws, frame_size, series_of


@draws(LatencyResult)
def latency(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """A figure for each series."""
    series = series_of(records)
    for label, results in series.items():
        measured = [(frame_size(r), r.title, r.latency) for r in results if r.latency.count]
        statistics = {
            name: [(size, value) for size, _, latency in measured if (value := latency.percentile(percent))]
            for name, percent in (("max", 100), ("p99", 99), ("p50", 50))
        }
        statistics["min"] = [(size, float(latency.min or 0)) for size, _, latency in measured]
        text = "; ".join(f"{title}: {latency}" for _, title, latency in measured)
        title = "Latency" if len(series) == 1 else f"Latency: {label}"
        yield Figure(title, image(plots.latency_vs_size(statistics)), text or "nothing was received")
