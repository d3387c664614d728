# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a job takes into a switch."""

from __future__ import annotations

import time
from itertools import islice

from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.planning.switch.match_action import match_action
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.entries.rows import row_entries

from .harness.outcome import Outcome, below
from .harness.registry import Settings, benchmark
from .senders.switches import measured

_ROWS = 2000  # a program holds 2,048
_PROTOCOL = "http-get"
_LAST_LINK = 255  # counted down from 255; streams have none of these


@benchmark(unit="s", bound=below(2, "s"))
def tofino_load(settings: Settings) -> Outcome:
    """A job of 64 streams, and 2,000 rows of a protocol's table, into a switch"""
    return measured(settings, _load)


def _load(target: TofinoTarget, plan: Plan) -> float:
    """Seconds; what was loaded is taken out again after them.

    The rows are those of as many responders as it takes; like a job's own they go in before templates loop.
    """
    program = match_action(load_protocol(_PROTOCOL))
    links = range(_LAST_LINK, 0, -1)
    rows = list(islice((row for link in links for row in row_entries(program, link)), _ROWS))
    begin = time.perf_counter()
    target.session.write(rows)
    target.load(plan)
    taken = time.perf_counter() - begin
    target.unload([plan.job])
    target.session.remove(rows)
    if len(rows) != _ROWS:
        raise RuntimeError(f"{len(rows)} of {_ROWS} rows were written")
    return taken
