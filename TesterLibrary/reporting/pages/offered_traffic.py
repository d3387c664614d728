# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The traffic that each test offered: a value without its load and duration says little."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...measurement.trial import Trial
from ...model.units.number import counted
from ...model.units.units import Duration
from ...verdict import text_of
from ..record.records import Records, TrialRecord, short_names

_MOST = 4  # names or sizes


@dataclass(frozen=True)
class OfferedTraffic:
    """The trials of one test, by the least and the greatest of each value."""

    suite: str
    test: str
    trials: int
    streams: str
    sizes: str
    loads: str  # of line rate
    rates: str
    durations: str
    sent: int

    def __str__(self) -> str:
        return (
            f"{counted(self.trials, 'trial')} of {self.durations}: {self.streams}, {self.sizes}, "
            f"{self.loads} of line rate ({self.rates})"
        )


def offered_traffic(records: Sequence[TrialRecord]) -> tuple[OfferedTraffic, ...]:
    """A row for each test that has trials, in their order."""
    places: dict[tuple[str, str], list[Trial]] = {}
    for record in records:
        places.setdefault((record.place.suite, record.place.test), []).append(record.trial)
    return tuple(_row(suite, test, trials) for (suite, test), trials in places.items())


def by_test(records: Records) -> Mapping[tuple[str, str], OfferedTraffic]:
    """The traffic of each test, by suite and test."""
    return {(row.suite, row.test): row for row in offered_traffic(records.trials)}


def with_short_names(rows: Sequence[OfferedTraffic]) -> tuple[tuple[str, OfferedTraffic], ...]:
    """Rows behind the shortest name that tells them apart."""
    suites = tuple(dict.fromkeys(row.suite for row in rows))
    short = dict(zip(suites, short_names(suites), strict=True))
    return tuple((" · ".join(filter(None, (short[row.suite], row.test))), row) for row in rows)


def _row(suite: str, test: str, trials: Sequence[Trial]) -> OfferedTraffic:
    streams = [stream for trial in trials for stream in trial.streams]
    return OfferedTraffic(
        suite=suite,
        test=test,
        trials=len(trials),
        streams=_listed(stream.name for stream in streams),
        sizes=f"{_listed(stream.size_text for stream in streams)} bytes",
        loads=_range([trial.load for trial in trials], lambda load: f"{float(load * 100):.4g} %"),
        rates=_range([rate for trial in trials if (rate := trial.offered_rate) is not None], _rate_text),
        durations=_range([trial.duration_ns for trial in trials], lambda ns: str(Duration(int(ns)))),
        sent=sum(trial.sent for trial in trials),
    )


def _rate_text(rate: Fraction | float) -> str:
    return f"{text_of(float(rate))} frames/s"


def _listed(names: Iterable[str]) -> str:
    known = list(dict.fromkeys(names))
    more = f" and {len(known) - _MOST} more" if len(known) > _MOST else ""
    return f"{', '.join(known[:_MOST])}{more}"


def _range(values: Sequence[Fraction | float], text: Callable[[Any], str]) -> str:
    if not values:
        return "too few frames to tell"
    least, most = text(min(values)), text(max(values))
    return least if least == most else f"{least} to {most}"
