# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.inline import PathStatistics, statistics_of
from TesterLibrary.measurement.job_counters import JobCounters, PollGaps
from TesterLibrary.measurement.snapshot import (
    PathCounters,
    PathDirectionCounters,
    PathEventCounters,
    PortCounters,
    Snapshot,
)
from tests.counted import port_counters

FIRED = PathEventCounters("one", matched=700, fired=1, first_fired_ns=5, last_fired_ns=5)
THERE = PathDirectionCounters("p1", received=300, forwarded=300)
BACK = PathDirectionCounters("p2", received=700, forwarded=699, dropped=1)
COUNTED = PathCounters("job", "wan", True, (THERE, BACK), (FIRED,), flows=1)


def read(
    counted: PathCounters = COUNTED, *, gap_ns: int = 0, after: dict[str, PortCounters] | None = None
) -> PathStatistics:
    ports = {name: port_counters(name, link_downs=0, link_up=True) for name in ("p1", "p2")}
    job = JobCounters("job", starts=1, started_at_ns=1, polls=(PollGaps("p1", worst_ns=gap_ns),))
    return statistics_of(
        Snapshot(0, tuple(ports.values()), jobs=(JobCounters("job"),)),
        Snapshot(1, tuple((ports | (after or {})).values()), jobs=(job,), paths=(counted,)),
        "job",
        counted,
        EvidenceLimits(),
    )


def test_directions_are_summed() -> None:
    statistics = read()
    assert (statistics.received, statistics.forwarded, statistics.dropped) == (1000, 999, 1)
    assert (statistics.lost, statistics.fired, statistics.flows, statistics.doubt) == (0, 1, 1, "")
    assert str(statistics) == "wan: 999 of 1,000 frames forwarded, 1 dropped, 1 of 1 events fired"


@pytest.mark.parametrize(
    ("event", "doubt"),
    [
        (
            PathEventCounters("late", matched=14),
            "event 'late' did not fire: it saw 14 packets",
        ),
        (
            PathEventCounters("deep", matched=14, missed=2),
            "event 'deep' did not fire: it could not happen to the 2 packets that it selected",
        ),
    ],
)
def test_an_event_that_did_not_fire_is_a_doubt(event: PathEventCounters, doubt: str) -> None:
    statistics = read(replace(COUNTED, events=(FIRED, event)))
    assert statistics.unfired == (event,)
    assert statistics.doubt == doubt
    assert not statistics.objections


@pytest.mark.parametrize(
    ("given", "objection"),
    [
        (
            {"counted": replace(COUNTED, directions=(replace(THERE, lost=3), BACK))},
            "3 frames of path 'wan' were lost in the tester's own rings and interfaces (limit 0)",
        ),
        (
            {"after": {"p2": port_counters("p2", rx_missed=2, link_downs=0, link_up=True)}},
            "2 frames of path 'wan' were lost in the tester's own rings and interfaces (limit 0)",
        ),
        (
            {"after": {"p1": port_counters("p1", link_downs=1, link_up=True)}},
            "the link of p1 was down",
        ),
        (
            {"counted": replace(COUNTED, untracked=9)},
            "9 frames of path 'wan' are of flows for which it has no room",
        ),
        ({"gap_ns": 120_000_000}, "path 'wan' forwarded nothing for 120 ms (limit 100 ms): stacks take that"),
    ],
    ids=["tx ring", "rx ring", "link", "flows", "pause"],
)
def test_the_tester_has_to_do_its_part(given: dict[str, Any], objection: str) -> None:
    (found,) = read(**given).objections
    assert found.startswith(objection)


def test_a_short_pause_is_no_objection() -> None:
    assert read(gap_ns=90_000_000).objections == ()
