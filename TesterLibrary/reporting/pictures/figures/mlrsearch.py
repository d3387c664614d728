# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditional throughput of each goal by frame size, beside what the line carries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....methodology.mlrsearch.result import MultipleLossRatioResult
from ....model.units.units import Bandwidth
from ...pages.render import image
from ...record.records import ResultRecord
from .. import plots
from ..figure import Figure
from .registry import Setting, draws, frame_size, series_of


@draws(MultipleLossRatioResult)
def conditional_throughput(records: Sequence[ResultRecord], setting: Setting) -> Iterator[Figure]:
    """One figure with a line for each goal of each series, and the attributes of all goals."""
    series = series_of(records)
    if not series:
        return
    lines: dict[str, list[tuple[int, float]]] = {}
    for label, results in series.items():
        for result in results:
            for found in result.found:
                name = found.goal.name if len(series) == 1 else f"{found.goal.name}, {label}"
                if (rate := result.rate(found.goal.name)) is not None:
                    lines.setdefault(name, []).append((frame_size(result), rate))
    everything = [result for results in series.values() for result in results]
    sizes = sorted({frame_size(result) for result in everything})
    speed = min((port["speed"]["bps"] for port in setting.testbed.get("ports", ())), default=0)
    line = [(size, float(Bandwidth(speed).frames_per_second(size))) for size in sizes] if speed else []
    searches = dict.fromkeys(f"Searched was {result.search}" for result in everything)
    text = "; ".join((*map(str, everything), *searches))
    yield Figure("Conditional throughput", image(plots.throughput_vs_size(lines, line)), text)
