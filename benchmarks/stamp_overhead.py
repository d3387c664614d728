# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast frames are forwarded around a device while they are stamped, beside the same without stamps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from statistics import median

from TesterLibrary.model.heading import Heading
from TesterLibrary.model.plan.planned_stamps import PlannedStamps, Tunnel

from .harness.alternate import alternate, rate
from .harness.outcome import Outcome, Run, above
from .harness.registry import Settings, benchmark
from .senders import path

_WARM_UP_S = 0.3
_MEGA = 1e6
_PLAIN, _WATCHED, _MATCHED = "no stamps", "an event that waits", "matched"


def _stamps(kept: int = 0) -> PlannedStamps:
    return PlannedStamps(
        name="stamps",
        paths=path.AROUND,
        heading=Heading.BOTH,
        matches=(),
        data_only=False,
        tunnel=Tunnel.NONE,
        remove=True,
        mtu=1500,
        kept=kept,
        timeout_ns=10**9,
        flows=1000,
        under_way=1 << 16,
        interval_ns=10**8,
        intervals=36_000,
    )


@benchmark(unit="Mpps", bound=above(13.4, "Mpps"))
def stamp_overhead(settings: Settings) -> Outcome:
    """64-byte frames forwarded by two paths around a cable, stamped and freed of their stamps, one lcore"""

    def measured(running: Callable[[], AbstractContextManager[Callable[[], int]]]) -> Callable[[], float]:
        def measure() -> float:
            with running() as forwarded:
                return rate(forwarded, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

        return measure

    sides = {
        "ours": measured(lambda: path.stamping(_stamps())),
        _MATCHED: measured(lambda: path.stamping(_stamps(kept=255))),
        _WATCHED: measured(lambda: path.stamping(events=path.waiting(1))),
        _PLAIN: measured(path.stamping),
    }
    rounds = alternate(sides, settings.runs)
    others = ", ".join(
        f"{median(each.values[name] for each in rounds):.2f} Mpps {name}"
        for name in (_MATCHED, _WATCHED, _PLAIN)
    )
    return Outcome(tuple(Run(each.values["ours"], None, each.load_average) for each in rounds), note=others)
