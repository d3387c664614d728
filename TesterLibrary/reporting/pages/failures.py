# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""All that is known of a test that did not pass: values and bounds, plot, trials, frames and evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from ...measurement.trial import Trial
from ...verdict import Verdict
from ..pictures.canvas import missing
from ..pictures.plots import of_trials
from ..record.outcome import PASS
from ..record.record_place import EVIDENCE, RecordPlace
from ..record.records import Records, TestRecord
from .render import trials_html

_MOST_DRAWN = 20  # tests with a plot and a table: a device that fails everything is seen in the first ones
_MOST_TRIALS = 20  # of one test, the last ones
_FILES = ("verdicts.jsonl", "trials.jsonl")


@dataclass(frozen=True)
class Failure:
    """A test that did not pass."""

    anchor: str  # empty for a test that did not pass again
    test: TestRecord
    verdicts: tuple[Verdict, ...]
    trials: int
    shown: Markup  # the last of its trials as a table, with a plot; empty if there are none
    files: tuple[str, ...]  # captures, rows of frames and records, from the page


def anchor_of(suite: str, test: str) -> str:
    """The name by which a page is linked to at a test."""
    return f"test-{hashlib.sha256(f'{suite}.{test}'.encode()).hexdigest()[:12]}"


def failures(records: Records) -> tuple[Failure, ...]:
    """Those of a run in their order."""
    trials: dict[tuple[str, str], list[Trial]] = {}
    for record in records.trials:
        trials.setdefault((record.place.suite, record.place.test), []).append(record.trial)
    found = [test for test in records.tests if test.outcome != PASS]
    places = [(test.suite, test.test) for test in found]
    return tuple(
        Failure(
            anchor_of(*places[number]) if places.index(places[number]) == number else "",
            test,
            records.verdicts_of(test),
            len(known := trials.get((test.suite, test.test), [])),
            _shown(known[-_MOST_TRIALS:]) if number < _MOST_DRAWN else Markup(""),
            tuple(_files(records, test)),
        )
        for number, test in enumerate(found)
    )


def _shown(trials: list[Trial]) -> Markup:
    if not trials:
        return Markup("")
    plot, text = ("", "") if missing() else of_trials(trials)
    return Markup(trials_html(trials, plot, text))


def _files(records: Records, test: TestRecord) -> Iterator[str]:
    """The captures of the test, and the records of the run."""
    for event in records.events:
        if _is_of(event.place, test):
            for key in ("file", "losses"):
                if event.event in ("capture", "trace") and (name := event.facts.get(key)):
                    yield f"{EVIDENCE}/{name}"
            for each in event.facts.get("frames", ()):
                yield f"{EVIDENCE}/{each['file']}"
    yield from (f"{EVIDENCE}/{name}" for name in _FILES)


def _is_of(place: RecordPlace, test: TestRecord) -> bool:
    return (place.suite, place.test) == (test.suite, test.test)
