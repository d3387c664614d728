# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The cost of counting a million keys."""

from __future__ import annotations

from functools import partial

from .harness.alternate import alternate, paired
from .harness.outcome import Outcome, at_least
from .harness.queried import received
from .harness.registry import Settings, benchmark

_NONE = "no query"


@benchmark(unit="Mpps", bound=at_least(0.75))
def query_reduce_1m(settings: Settings) -> Outcome:
    """64-byte frames measured over a ring, bytes of a million pairs of addresses summed up, one lcore"""
    sides = {
        "ours": partial(received, settings, counted=True),
        _NONE: partial(received, settings, counted=False),
    }
    return paired(alternate(sides, settings.runs), _NONE)
