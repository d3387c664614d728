# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether the engine of the wheel, which is linked statically, is as fast as that of a checkout."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

from TesterLibrary.targets.engine.program import VARIABLE
from tools.engine import build, static

from .harness.alternate import alternate, paired, rate
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import engine

_DYNAMIC = "dynamic"


@benchmark(unit="Mpps", bound=at_least(0.98))
def static_engine(settings: Settings) -> Outcome:
    """64-byte frames sent, received, timed and ordered over a ring, by the engine that wheels have"""

    def frames(program: Path) -> float:
        with patch.dict(os.environ, {VARIABLE: str(program)}), engine.measuring() as received:
            return rate(received, settings.seconds, warm_up=0.3) / 1e6

    wheel, checkout = static(), build()
    sides = {"ours": lambda: frames(wheel), _DYNAMIC: lambda: frames(checkout)}
    return paired(alternate(sides, settings.runs), _DYNAMIC)
