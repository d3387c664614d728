# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a job takes into a switch."""

from __future__ import annotations

import time

from TesterLibrary.model.plan import Plan
from TesterLibrary.targets.tofino.entry import Entry, Masked
from TesterLibrary.targets.tofino.target import TofinoTarget

from .harness.outcome import Outcome, below
from .harness.registry import Settings, benchmark
from .senders.switches import measured

_ROWS = 4000
_EFSM = "InternalIngress.responder.efsm"
_LINK = 255  # of no job


@benchmark(unit="s", bound=below(2, "s"))
def tofino_load(settings: Settings) -> Outcome:
    """A job of 64 streams, and 4,000 rows of a protocol's table, into a switch"""
    return measured(settings, _load)


def _load(target: TofinoTarget, plan: Plan) -> float:
    """Seconds; what was loaded is taken out again after them."""
    rows = [
        Entry(
            f"internal.{_EFSM}.rows",
            {"link": Masked(_LINK, 0xFF), "payload_length": Masked(own, 0xFFFF), "$MATCH_PRIORITY": own},
            f"{_EFSM}.silent",
            {"next": 0, "moves": 0, "write_port": 0},
        )
        for own in range(_ROWS)
    ]
    begin = time.perf_counter()
    target.load(plan)
    target.session.write(rows)
    taken = time.perf_counter() - begin
    target.session.remove(rows)
    target.unload([plan.job])
    return taken
