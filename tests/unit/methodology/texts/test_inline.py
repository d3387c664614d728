# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.measurement.inline import PathStatistics
from TesterLibrary.measurement.snapshot import PathDirectionCounters, PathEventCounters
from TesterLibrary.methodology.verdicts.path import all_events_fired
from TesterLibrary.verdict import Outcome, Verdict
from tests.approval import Approved

from .samples import said

DIRECTIONS = (PathDirectionCounters("p1"), PathDirectionCounters("p2"))
FIRED = PathEventCounters("1: drop packet 20 of flow 1", matched=700, fired=1)
UNSEEN = PathEventCounters("2: drop packet 9 of flow 2")
LATE = PathEventCounters("3: drop packet 900 of flow 1", matched=700)
IMPOSSIBLE = PathEventCounters("4: mark packet 1", matched=700, missed=1)
ALONE = PathEventCounters("5: reorder packet 700", matched=700, fired=1, expired=1)
LOST = ("3 frames of path 'wan' were lost in the tester's own rings and interfaces (limit 0)",)


def path(*events: PathEventCounters, name: str = "wan", objections: tuple[str, ...] = ()) -> PathStatistics:
    return PathStatistics(name, DIRECTIONS, events, objections=objections)


def events() -> Iterator[Verdict]:
    yield all_events_fired([path(FIRED)])
    yield all_events_fired([path(FIRED, UNSEEN)])
    yield all_events_fired([path(FIRED, LATE)])
    yield all_events_fired([path(FIRED, IMPOSSIBLE)])
    yield all_events_fired([path(FIRED, ALONE)])
    yield all_events_fired([path(FIRED), path(UNSEEN, name="lan")])
    yield all_events_fired([path(FIRED, objections=LOST)])


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("inline", said(events))


def test_an_event_never_fails_a_device() -> None:
    assert {verdict.outcome for verdict in events()} == {Outcome.PASS, Outcome.INCONCLUSIVE}


@pytest.mark.parametrize(
    ("paths", "refusal"), [([path()], "path wan has no events to verify"), ([], "there are no events")]
)
def test_there_has_to_be_an_event(paths: list[PathStatistics], refusal: str) -> None:
    with pytest.raises(TesterLibraryError, match=refusal):
        all_events_fired(paths)
