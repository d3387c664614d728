# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast packets of a million flows are known again behind a device."""

from __future__ import annotations

import subprocess

from tools import engine

from .harness.machine import UNDISTURBED, load_average
from .harness.outcome import Impossible, Outcome, Run, above
from .harness.registry import Settings, benchmark

_MEGA = 1e6
_PACKETS = 16_000_000
_PROGRAM = "src/stamps_speed"


@benchmark(unit="Mpps", bound=above(5, "Mpps"))
def stamp_flows_1m(settings: Settings) -> Outcome:
    """Packets of a million flows remembered and found again, each flow counted by itself, without ports"""
    if not engine.TARGET.is_file():
        raise Impossible(f"{engine.TARGET} is missing; run: make engine")
    program = str(engine.program(_PROGRAM))

    def measure() -> float:
        command = [*UNDISTURBED, program, "1000000", str(_PACKETS), "match"]
        return float(subprocess.run(command, capture_output=True, check=True, text=True).stdout) / _MEGA

    runs = (Run(measure(), None, load_average()) for _ in range(settings.runs))
    return Outcome(tuple(runs), note="of a CPU's time; each packet is handled twice")
