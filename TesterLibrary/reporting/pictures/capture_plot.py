# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames of a capture over time: the shape of bursts as they left and as they arrived, and losses."""

from __future__ import annotations

from collections.abc import Sequence

from ...measurement.captured_frames import CapturedFrames
from ..captures.excerpts import Excerpt
from .time_plots import burst_shape

_BINS = 200
_FEWEST = 20  # frames of which there is a shape


def capture_plot(frames: Sequence[CapturedFrames], excerpt: Excerpt | None) -> str:
    """The plot as SVG; empty if there are too few frames, or all of one time."""
    import numpy as np

    if sum(map(len, frames)) < _FEWEST:
        return ""
    times = np.concatenate([batch.facts["time"] for batch in frames])
    left = np.concatenate([batch.facts["transmitted"] for batch in frames])
    begin, end = int(times.min()), int(times.max())
    if begin == end:
        return ""
    edges = np.linspace(begin, end, _BINS + 1)
    width_s = (end - begin) / _BINS / 1e9
    rates = {
        label: (np.histogram(times[rows], edges)[0] / width_s).tolist()
        for label, rows in (("sent", left), ("received", ~left))
        if rows.any()
    }
    lost = [
        (row.sent.time_ns - begin) / 1e9
        for loss in (excerpt.losses if excerpt else ())
        for row in loss.rows
        if row.is_lost and row.sent
    ]
    return burst_shape(((edges - begin) / 1e9).tolist(), rates, lost)
