# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace

import pytest

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.job_counters import JobCounters, PollGaps

MS = 1_000_000
SECOND = 1000 * MS
STARTED = JobCounters("job", starts=1, started_at_ns=SECOND)
NAMES = {1: "north", 2: "south"}


def polled(*gaps_ms: int) -> JobCounters:
    buckets = {index_of(gap * MS): gaps_ms.count(gap) for gap in gaps_ms if gap > 1}
    worst = max(gaps_ms, default=0) * MS
    return replace(STARTED, polls=(PollGaps("p1", worst, len(buckets), buckets), PollGaps("p2", 10)))


def test_the_worst_gap_is_since_the_start_or_since_a_reading() -> None:
    assert polled(60, 3).worst_gap_ns(None) == 60 * MS
    assert polled(60, 3).worst_gap_ns(STARTED) == 60 * MS
    assert polled(60, 3).worst_gap_ns(polled(3)) == 60 * MS
    assert polled(60, 3).worst_gap_ns(polled(60)) == pytest.approx(3 * MS, rel=0.002)
    assert polled(60, 60).worst_gap_ns(polled(60)) == 60 * MS
    assert polled(60).worst_gap_ns(polled(60)) == MS, "none that is longer is new"
    assert polled(60).worst_gap_ns(replace(polled(60), started_at_ns=1)) == 60 * MS, "of an earlier start"
    assert STARTED.worst_gap_ns(None) == 0


STOPPED = replace(STARTED, stopped_at_ns=6 * SECOND, stopped_streams=(1, 2))


@pytest.mark.parametrize(
    ("job", "objection"),
    [
        (
            replace(STOPPED, asked_duration_ns=12 * SECOND, stopped_by="bob"),
            "north and south were stopped after 5 s of 12 s by bob (somebody else)",
        ),
        (
            replace(STOPPED, asked_duration_ns=12 * SECOND),
            "north and south were stopped after 5 s of 12 s by this session",
        ),
        (replace(STOPPED, asked_packets=9), "north and south were stopped after 5 s by this session"),
        (
            replace(STOPPED, stopped_by="bob", stopped_streams=()),
            "job 'job' was stopped after 5 s by bob (somebody else)",
        ),
        (replace(STARTED, started_by="bob"), "job 'job' was started anew by bob (somebody else)"),
        (
            replace(STARTED, updates=1, updated_by="bob"),
            "a stream of job 'job' was changed while it was sending by bob (somebody else)",
        ),
    ],
)
def test_what_others_did_is_named(job: JobCounters, objection: str) -> None:
    assert list(job.meddling(None, NAMES)) == [objection]


@pytest.mark.parametrize(
    "job",
    [
        STARTED,
        STOPPED,  # open-ended, by this session: that is its end
        replace(STOPPED, asked_duration_ns=5 * SECOND),  # it had sent all
        replace(STARTED, updates=3),  # by this session
    ],
)
def test_what_was_asked_for_is_no_objection(job: JobCounters) -> None:
    assert list(job.meddling(None, NAMES)) == []


def test_what_was_known_before_is_no_news() -> None:
    job = replace(STARTED, started_by="bob", updates=1, updated_by="bob")
    assert list(job.meddling(job, NAMES)) == []
