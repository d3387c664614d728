# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Throughput by frame size, beside what the line carries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....measurement.trial import Trial
from ....methodology.throughput import ThroughputResult
from ....model.units.units import Bandwidth, RateUnit
from ...pages.render import image
from ...record.records import ResultRecord
from .. import plots
from ..figure import Figure
from .registry import Setting, draws, frame_size, series_of


@draws(ThroughputResult)
def throughput(records: Sequence[ResultRecord], setting: Setting) -> Iterator[Figure]:
    """One figure with a line for each series."""
    series = series_of(records)
    if not series:
        return
    found = {
        label: [(frame_size(r), _forwarded(r.judged[-1])) for r in results if r.judged]
        for label, results in series.items()
    }
    sizes = sorted({frame_size(result) for results in series.values() for result in results})
    speed = min((port["speed"]["bps"] for port in setting.testbed.get("ports", ())), default=0)
    line = [(size, float(Bandwidth(speed).frames_per_second(size))) for size in sizes] if speed else []
    texts = (
        f"{f'{label}: ' if len(series) > 1 else ''}{r.title}: {_text(r)}"
        for label, results in series.items()
        for r in results
    )
    yield Figure("Throughput", image(plots.throughput_vs_size(found, line)), "; ".join(texts))


def _text(result: ThroughputResult) -> str:
    if result.judged:
        return f"{_forwarded(result.judged[-1]):,.0f} frames/s"
    below = result.below(RateUnit.PPS)
    return f"below {float(below):,.0f} frames/s" if below else "unstable" if result.unstable else "not known"


def _forwarded(trial: Trial) -> float:
    """Frames each second that left, as far as they arrived: from the first departure to the last."""
    return trial.achieved_rate * trial.received / trial.sent if trial.sent else 0.0
