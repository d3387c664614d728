# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether frames of a million flows are made as fast as those of one."""

from __future__ import annotations

from .harness.alternate import alternate, paired
from .harness.edited import flows
from .harness.generation import into_nothing
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark

_ONE = "one flow"


@benchmark(unit="Mpps", bound=at_least(0.9))
def flows_1m(settings: Settings) -> Outcome:
    """A million flows of 64-byte frames on net_null, one lcore, by the same editors as one flow"""
    sides = {
        "ours": lambda: into_nothing(settings, flows(1_000_000)),
        _ONE: lambda: into_nothing(settings, flows(1)),
    }
    return paired(alternate(sides, settings.runs), _ONE)
