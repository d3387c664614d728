# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How exactly the gaps between frames are those that were asked for, beside the usual senders."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from TesterLibrary.model.plan.law import even

from .harness.alternate import alternate, paired
from .harness.outcome import Outcome, at_most, percentile
from .harness.registry import Settings, benchmark
from .harness.wire import Wire, wire
from .senders import engine, hping3, iperf3, tcpreplay, trafgen

_RATES = (1_000, 10_000, 100_000)
_OURS = "ours"
_SKIP_S = 0.3  # of sending, while a sender warms up
_PATIENCE_S = 5.0
_STARTS = 3  # attempts to start a sender: hping3 sometimes sends nothing at all
_SPARE_S = 4.0  # there is room for arrivals of so much more time
_RUNS_A_ROUND = 3  # of Settings.runs

Sender = Callable[[Wire, int], AbstractContextManager[Any]]  # with frames a second


def _ours(cable: Wire, rate: int) -> AbstractContextManager[Any]:
    return engine.following(f"af_xdp:{cable.interface}", even(Fraction(rate, 10**9)), enter=cable.enter)


def _trafgen(cable: Wire, rate: int) -> AbstractContextManager[Any]:
    return trafgen.sending(cable.interface, gap_us=10**6 // rate, enter=cable.enter)


def _tcpreplay(cable: Wire, rate: int) -> AbstractContextManager[Any]:
    return tcpreplay.sending(cable.interface, rate, enter=cable.enter)


def _hping3(cable: Wire, rate: int) -> AbstractContextManager[Any]:
    return hping3.sending(cable.give_address(), 10**6 // rate, enter=cable.enter)


def _iperf3(cable: Wire, rate: int) -> AbstractContextManager[Any]:
    return iperf3.sending(cable.give_address(), rate, enter=cable.enter, enter_far=cable.enter_far)


_SENDERS: dict[str, Sender] = {
    _OURS: _ours,
    "trafgen": _trafgen,
    "tcpreplay": _tcpreplay,
    "hping3": _hping3,
    "iperf3": _iperf3,
}


class _Errors(NamedTuple):
    """Errors of the gaps of one measurement, in nanoseconds."""

    median: float
    p99: float


@benchmark(unit="ns", bound=at_most(0.5))
def gap_error(settings: Settings) -> Outcome:
    """Median |gap - asked| of arrivals at 1, 10 and 100 kpps, where it compares worst with the best peer"""
    outcomes = [_at(settings, rate) for rate in _RATES]
    worst = max(outcomes, key=lambda outcome: outcome.ratio or 0)
    return Outcome(worst.runs, worst.peer, "; ".join(outcome.note for outcome in outcomes))


def _at(settings: Settings, rate: int) -> Outcome:
    """Ours and the peer that does best at that rate."""
    found: dict[str, list[_Errors]] = {name: [] for name in _SENDERS}

    def measure(name: str) -> float:
        found[name].append(_measured(settings, _SENDERS[name], rate))
        return found[name][-1].median

    sides = {name: (lambda name=name: measure(name)) for name in _SENDERS}
    rounds = alternate(sides, max(1, settings.runs // _RUNS_A_ROUND))
    medians = {name: median(errors.median for errors in found[name]) for name in _SENDERS}
    best = min((name for name in _SENDERS if name != _OURS), key=lambda name: medians[name])
    return paired(rounds, best, ours=_OURS, note=f"{rate // 1000} kpps: {_described(found)}")


def _described(found: dict[str, list[_Errors]]) -> str:
    """Median and p99 of each."""
    return ", ".join(
        f"{name} {median(e.median for e in errors):,.0f} (p99 {median(e.p99 for e in errors):,.0f})"
        for name, errors in found.items()
    )


class _NothingArrived(RuntimeError):
    """The sender is started again."""


def _measured(settings: Settings, sender: Sender, rate: int) -> _Errors:
    for _ in range(_STARTS - 1):
        with suppress(_NothingArrived):
            return _measured_once(settings, sender, rate)
    return _measured_once(settings, sender, rate)


def _measured_once(settings: Settings, sender: Sender, rate: int) -> _Errors:
    seconds = _SKIP_S + settings.seconds
    most = int(rate * (seconds + _SPARE_S))
    with wire() as cable, cable.stamped(most) as arrivals, sender(cable, rate):
        _await_first(cable)
        time.sleep(seconds)
        stamps = arrivals()
    return _errors(_after(stamps, int(_SKIP_S * 1e9)), rate)


def _await_first(cable: Wire) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while cable.arrived() < 10:
        if time.monotonic() > deadline:
            raise _NothingArrived(f"nothing arrived within {_PATIENCE_S} s")
        time.sleep(0.01)


def _after(stamps: Sequence[int], skip_ns: int) -> list[int]:
    return [at for at in stamps if at >= stamps[0] + skip_ns]


def _errors(stamps: Sequence[int], rate: int) -> _Errors:
    """|gap - asked|. A measured value is above 0: equal gaps are a nanosecond beside what was asked."""
    asked_ns = 10**9 / rate
    errors = [max(1.0, abs(after - before - asked_ns)) for before, after in pairwise(stamps)]
    if not errors:
        raise RuntimeError(f"{len(stamps)} frames arrived")
    return _Errors(median(errors), percentile(errors, 99))
