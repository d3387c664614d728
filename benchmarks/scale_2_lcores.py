# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether two lcores do twice the work of one, each with ports of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from .harness.alternate import Measure, alternate, paired, rate
from .harness.machine import control_cpu, sending_cpu
from .harness.outcome import Impossible, Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import connections, engine, path
from .senders.engine import stream

_WARM_UP_S = 0.5
_MEGA = 1e6
_OPEN = 1000
_ONE = "one lcore"

# Runs as much as the lcores of these CPUs can do; counts what they have done.
Work = Callable[[Sequence[int]], AbstractContextManager[Callable[[], int]]]


@contextmanager
def _generated(cpus: Sequence[int]) -> Iterator[Callable[[], int]]:
    specs = [f"vdev:net_null{number}" for number in range(len(cpus))]
    with engine.on_each(specs, stream(), cpus) as target:
        yield lambda: sum(port.tx_packets for port in target.snapshot().ports)


@contextmanager
def _measured(cpus: Sequence[int]) -> Iterator[Callable[[], int]]:
    with engine.on_each([f"loop:{cpu}" for cpu in cpus], stream(signature=True), cpus) as target:
        yield lambda: sum(counted.rx_packets for counted in target.snapshot().streams)


@contextmanager
def _transacted(cpus: Sequence[int]) -> Iterator[Callable[[], int]]:
    with connections.http(_OPEN, cpus=cpus) as target:
        yield lambda: connections.ended(target)


_WORK: dict[str, Work] = {
    "frames generated": _generated,
    "frames sent and measured": _measured,
    "frames forwarded by paths": path.forwarding_by_each,
    "HTTP transactions": _transacted,
}


@benchmark(unit="M/s", bound=at_least(1.8))
def scale_2_lcores(settings: Settings) -> Outcome:
    """Frames generated, measured or forwarded and HTTP transactions by two lcores, where it scales worst"""
    two = sorted({control_cpu(), sending_cpu()})
    if len(two) < 2:
        raise Impossible("two lcores need two CPUs; this process may use one")

    def measure(work: Work, cpus: Sequence[int]) -> Measure:
        def measured() -> float:
            with work(cpus) as done:
                return rate(done, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

        return measured

    outcomes = {
        name: paired(
            alternate({"ours": measure(work, two), _ONE: measure(work, two[1:])}, settings.runs), _ONE
        )
        for name, work in _WORK.items()
    }
    worst = min(outcomes.values(), key=lambda outcome: outcome.ratio or 0)
    note = "; ".join(f"{name} {outcome.ratio or 0:.2f} x" for name, outcome in outcomes.items())
    return replace(worst, note=note)
