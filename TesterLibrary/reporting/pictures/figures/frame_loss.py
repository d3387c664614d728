# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frame loss by load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....methodology.frame_loss import FrameLossResult
from ....model.units.number import percent
from ...pages.render import image
from ...record.records import ResultRecord
from .. import plots
from ..figure import Figure
from .registry import Setting, draws, series_of


@draws(FrameLossResult)
def frame_loss(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """A figure for each series."""
    series = series_of(records)
    for label, results in series.items():
        lines = {result.title: result.trials for result in results}
        worst = {
            name: max(
                (ratio for t in trials if t.valid and (ratio := t.loss_ratio) is not None), default=None
            )
            for name, trials in lines.items()
        }
        text = "; ".join(
            f"{name}: {'not measured' if loss is None else f'{percent(loss, 3)} at most'}"
            for name, loss in worst.items()
        )
        title = "Frame loss" if len(series) == 1 else f"Frame loss: {label}"
        yield Figure(title, image(plots.loss_vs_load(lines)), text)
