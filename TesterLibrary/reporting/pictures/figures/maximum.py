# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The knee of a connection rate, or of concurrent connections: what was reached over what was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....measurement.session_trial import SessionTrial
from ....methodology.maximum import MaximumResult, Quantity
from ...pages.render import image
from ...record.records import ResultRecord
from ..figure import Figure
from ..level_plots import Level, knee
from .registry import Setting, draws


@draws(MaximumResult, in_log=True)
def maximum(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """A figure for each search."""
    for record in records:
        result = record.result
        if isinstance(result, MaximumResult):
            quantity = result.search.quantity
            known = zip(result.levels, result.measured, strict=True)
            levels = [
                Level(asked, reached, result.search.passes(asked, trial))
                for asked, trial in known
                if (reached := _reached(quantity, trial)) is not None
            ]
            unit = "/s" if quantity is Quantity.RATE else " at once"
            labels = f"Asked for, connections{unit}", f"Reached, connections{unit}"
            picture = image(knee(*labels, levels, result.maximum)) if levels else ""
            yield Figure(f"{quantity.value.capitalize()} of {result.title}", picture, str(result))


def _reached(quantity: Quantity, trial: SessionTrial) -> float | None:
    """None where it was not counted."""
    if quantity is Quantity.RATE:
        return trial.connection_rate
    counted = trial.statistics
    if counted.established is None or counted.ended is None:
        return None
    return float(counted.established - counted.ended)
