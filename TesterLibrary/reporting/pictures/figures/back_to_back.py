# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Longest burst by frame size, with the table of RFC 9004 §6 as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....methodology.back_to_back import BurstResult
from ...pages.render import image
from ...record.records import ResultRecord
from .. import plots
from ..figure import Figure
from .registry import Setting, draws, frame_size, series_of


@draws(BurstResult)
def back_to_back(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """A figure for each series."""
    series = series_of(records)
    for label, results in series.items():
        found = [r for r in results if r.bursts]
        statistics = {
            "longest": [(frame_size(r), float(r.max)) for r in found],
            "average": [(frame_size(r), float(r.average)) for r in found],
            "shortest": [(frame_size(r), float(r.min)) for r in found],
        }
        title = "Longest burst" if len(series) == 1 else f"Longest burst: {label}"
        yield Figure(title, image(plots.bursts_vs_size(statistics)), "; ".join(map(str, results)))
