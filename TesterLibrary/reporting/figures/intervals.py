# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss and rate of watched traffic, interval by interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...methodology.monitoring import MonitoringResult
from .. import plots
from ..records import ResultRecord
from ..render import image
from .registry import Figure, draws


@draws(MonitoringResult)
def intervals(records: Sequence[ResultRecord], _: Mapping[str, Any]) -> Iterator[Figure]:
    """A figure for each watched traffic."""
    for result in (record.result for record in records):
        if isinstance(result, MonitoringResult) and result.intervals:
            picture = image(plots.interval_series(result.intervals))
            yield Figure(f"Intervals of {result.title}", picture, str(result))
