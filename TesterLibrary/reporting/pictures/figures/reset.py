# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reset times, a bar for each reset; RFC 2544 §26.6 asks for a statement on each, which is the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....methodology.reset import ResetResult
from ...pages.render import image
from ...record.records import ResultRecord
from .. import plots
from ..figure import Figure
from .registry import Setting, draws


@draws(ResetResult, in_log=True)
def reset(records: Sequence[ResultRecord], _: Setting) -> Iterator[Figure]:
    """One figure; a device that never came back is in its text only."""
    results = [record.result for record in records if isinstance(record.result, ResetResult)]
    found = [(r.measurement.kind.value, r.reset_ns) for r in results if r.reset_ns is not None]
    yield Figure("Reset", image(plots.reset_times(found)), "; ".join(map(str, results)))
