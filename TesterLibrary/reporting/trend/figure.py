# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The figures of one run: each value that a verdict judged, with everything it depends on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from fractions import Fraction
from typing import Any

from ...errors import TesterLibraryError
from ...methodology.regression import better_side, is_comparison
from ...verdict import Outcome
from ..pages.repetitions import combined
from ..pages.value_text import unit_of
from ..record.outcome import overall
from ..record.records import Records, VerdictRecord, device_text

_SIZE = re.compile(r"\b([0-9][0-9,]*) bytes\b")


@dataclass(frozen=True)
class Key:
    """The figure that a value belongs to. Values with different keys are never compared."""

    testbed: str
    device_kind: str  # physical, embedded, simulated
    profile: str  # of durations and repetitions; empty where the run does not say
    suite: str
    test: str
    subject: str
    number: int  # which one of that subject in its test, from 1
    unit: str

    @property
    def size(self) -> int | None:
        """The frame size in bytes that the subject names; None if it names none."""
        found = _SIZE.search(self.subject)
        return int(found[1].replace(",", "")) if found else None


@dataclass(frozen=True)
class Point:
    """A value of a figure in one run."""

    run: str
    at: datetime  # UTC, without a time zone, as the database keeps it
    least: float | None  # the value lies between the two; None where it is no number
    most: float | None
    outcome: str
    reason: str  # why it is INCONCLUSIVE
    device: str
    version: str
    tester: str

    @property
    def fit(self) -> bool:
        """Whether the tester did its part and there is a number: the only values that are judged."""
        return self.outcome != Outcome.INCONCLUSIVE.value and self.least is not None

    @property
    def value(self) -> float | None:
        """The middle of what is known of the value."""
        return None if self.least is None or self.most is None else (self.least + self.most) / 2

    @property
    def uncertainty(self) -> float:
        """By how much the value may differ from the middle."""
        return 0.0 if self.least is None or self.most is None else (self.most - self.least) / 2


@dataclass(frozen=True)
class Figure:
    """A point, the figure it belongs to, and which way is better."""

    key: Key
    point: Point
    higher_is_better: bool | None  # None: the bound has no better side
    at_least: Fraction | None = None  # of a value of which the search or the tester was the limit: no point
    limit: str = ""  # of such a value: see Verdict


@dataclass(frozen=True)
class Run:
    """A run as the database keeps it."""

    id: str
    started_at: datetime
    title: str
    outcome: str
    figures: tuple[Figure, ...]


def run_of(records: Records) -> Run:
    """The figures of a run. A verdict that its suite has caught is none, nor is a comparison with a baseline.

    The values of the repetitions of a campaign are one: their mean.

    Raises:
        TesterLibraryError: the record does not say when it was made, or by whom.
    """
    run = records.run
    try:
        identity, started = str(run["id"]), _utc(run["started_at"])
        testers = {str(tester["testbed"]["name"]): tester for tester in run["testers"]}
    except (KeyError, TypeError, ValueError) as problem:
        raise TesterLibraryError(f"run.json is not that of a run of this library: {problem!r}") from None
    outcomes = records.outcomes()
    return Run(
        identity,
        started,
        records.agenda.title if records.agenda else "Test run",
        overall(outcomes),
        tuple(_figures(records, identity, started, testers)),
    )


def _figures(
    records: Records, identity: str, started: datetime, testers: Mapping[str, Mapping[str, Any]]
) -> Iterator[Figure]:
    times: Counter[tuple[str, str, str, str]] = Counter()
    whole = (records.run.get("profile") or {}).get("name", "")
    for record in combined(records):
        if is_comparison(record.verdict):
            continue
        place, verdict = record.place, record.verdict
        name = (place.testbed, place.suite, place.test, verdict.subject)
        times[name] += 1
        tester = testers.get(place.testbed, {})
        device = (tester.get("testbed") or {}).get("dut") or {}
        key = Key(
            testbed=place.testbed,
            device_kind=str(device.get("kind", "")),
            profile=str(whole or tester.get("profile", "")),
            suite=place.suite,
            test=place.test,
            subject=verdict.subject,
            number=times[name],
            unit=unit_of(verdict),
        )
        yield Figure(
            key,
            _point(record, identity, started, device, tester.get("tester") or {}),
            better_side(verdict),
            verdict.least if verdict.limit else None,
            verdict.limit,
        )


def _point(
    record: VerdictRecord,
    identity: str,
    started: datetime,
    device: Mapping[str, Any],
    tester: Mapping[str, Any],
) -> Point:
    verdict = record.verdict
    known = verdict.least is not None and verdict.most is not None and not verdict.limit
    return Point(
        run=identity,
        at=_utc(record.at) if record.at else started,
        least=float(verdict.least) if known and verdict.least is not None else None,
        most=float(verdict.most) if known and verdict.most is not None else None,
        outcome=verdict.outcome.value,
        reason=verdict.reason
        or (f"only a lower bound: limited by the {verdict.limit}" if verdict.limit else "")
        or ("only an upper bound: " + verdict.measured if verdict.is_below else ""),
        device=device_text(device),
        version=str(device.get("version", "")),
        tester=f"{tester.get('target', '')} {tester.get('version', '')}".strip(),
    )


def _utc(text: str) -> datetime:
    """A time of a record as the database keeps it."""
    time = datetime.fromisoformat(text)
    return time.astimezone(timezone.utc).replace(tzinfo=None)
