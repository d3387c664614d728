# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""System recovery by frame size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....methodology.system_recovery import RecoveryResult
from ...pages.render import image
from ...record.records import ResultRecord
from .. import plots
from ..figure import Figure
from .registry import Setting, draws, frame_size, series_of


@draws(RecoveryResult, in_log=True)
def system_recovery(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """One figure with a line for each series; what is not known, or not over, is in its text only."""
    series = series_of(records)
    if not series:
        return
    found = {
        label: [(frame_size(r), r.recovery_ns) for r in results if r.recovery_ns is not None]
        for label, results in series.items()
    }
    text = "; ".join(str(result) for results in series.values() for result in results)
    yield Figure("System recovery", image(plots.recovery_vs_size(found)), text)
