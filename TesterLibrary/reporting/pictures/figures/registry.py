# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a certificate: each kind of result registers what draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....methodology.result import Result
from ...record.marks import Mark
from ...record.records import ResultRecord, short_names
from ..figure import Figure


@dataclass(frozen=True)
class Setting:
    """Where results were found: the testbed as it was recorded, and the events that suites marked there."""

    testbed: Mapping[str, Any]
    marks: tuple[Mark, ...] = ()


Maker = Callable[[Sequence[ResultRecord], Setting], Iterator[Figure]]
"""Draws all results of one kind on a testbed."""

MAKERS: dict[type[Result], Maker] = {}
IN_LOG: set[type[Result]] = set()
"""The kinds that are shown in the log of their test, too: those of which a plot of its trials says less."""


def draws(kind: type[Result], *, in_log: bool = False) -> Callable[[Maker], Maker]:
    """Decorator of the function that draws results of this kind."""

    def register(make: Maker) -> Maker:
        MAKERS[kind] = make
        if in_log:
            IN_LOG.add(kind)
        return make

    return register


def series_of(records: Sequence[ResultRecord]) -> dict[str, list[Any]]:
    """Results of one procedure that have trials, by ascending frame size, in series with names.

    Each series has one result for each frame size: what was found again is in a series of its own. What tells
    series apart is in their names.
    """
    records = [record for record in records if record.result.trials]
    suites = tuple(dict.fromkeys(record.place.suite for record in records))
    short = dict(zip(suites, short_names(suites), strict=True))
    several_streams = len({_streams(record.result) for record in records}) > 1
    series: dict[str, dict[str, Result]] = {}
    for record in sorted(records, key=lambda record: frame_size(record.result)):
        parts = [_streams(record.result)] if several_streams else []
        parts += [short[record.place.suite]] if len(suites) > 1 else []
        name, number = ", ".join(parts) or "measured", 1
        label = name
        while record.result.title in series.get(label, {}):
            number += 1
            label = f"{name} ({number})"
        series.setdefault(label, {})[record.result.title] = record.result
    return {label: list(results.values()) for label, results in series.items()}


def _streams(result: Result) -> str:
    return " + ".join(stream.name for stream in result.trials[0].streams)


def frame_size(result: Result) -> int:
    """Frame size of the first stream, in bytes; of a mix the average."""
    return result.trials[0].streams[0].frame_size
