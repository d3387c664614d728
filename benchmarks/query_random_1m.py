# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The cost of counting a million keys that come in random order."""

from __future__ import annotations

from functools import partial

from .harness.alternate import alternate, paired
from .harness.outcome import ANY, Outcome
from .harness.queried import received
from .harness.registry import Settings, benchmark

_NONE = "no query"


@benchmark(unit="Mpps", bound=ANY)
def query_random_1m(settings: Settings) -> Outcome:
    """query_reduce_1m with addresses drawn at random: each packet looks for its key anywhere in 31 MiB"""
    sides = {
        "ours": partial(received, settings, counted=True, in_order=False),
        _NONE: partial(received, settings, counted=False, in_order=False),
    }
    return paired(alternate(sides, settings.runs), _NONE)
