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
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.impairment import Impairment, PathDelay, Shaping
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from tests.counted import port_counters

FIRED = PathEventCounters("one", matched=700, fired=1, first_fired_ns=5, last_fired_ns=5)
THERE = PathDirectionCounters("p1", received=300, forwarded=300)
BACK = PathDirectionCounters("p2", received=700, forwarded=699, dropped=1)
COUNTED = PathCounters("job", "wan", True, (THERE, BACK), (FIRED,), flows=1)


def read(
    counted: PathCounters = COUNTED,
    *,
    gap_ns: int = 0,
    after: dict[str, PortCounters] | None = None,
    impairments: tuple[Impairment, ...] = (),
) -> PathStatistics:
    ports = {name: port_counters(name, link_downs=0, link_up=True) for name in ("p1", "p2", "p3")}
    job = JobCounters("job", starts=1, started_at_ns=1, polls=(PollGaps("p1", worst_ns=gap_ns),))
    return statistics_of(
        Snapshot(0, tuple(ports.values()), jobs=(JobCounters("job"),)),
        Snapshot(1, tuple((ports | (after or {})).values()), jobs=(job,), paths=(counted,)),
        "job",
        counted,
        EvidenceLimits(),
        impairments,
        ("p3",),
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
            PathEventCounters("alone", matched=14, fired=2, expired=2),
            "event 'alone' did not fire: too few packets followed the 2 that it held back until their time "
            "limit",
        ),
        (
            PathEventCounters("held", matched=14, fired=3, expired=1, held_back=2),
            "event 'held' did not fire: too few packets have followed the 2 that it still holds back",
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
            {"counted": replace(COUNTED, directions=(replace(THERE, overflowed=3), BACK))},
            "3 frames of path 'wan' were dropped for want of memory to hold them: give it more memory_mib",
        ),
        (
            {"counted": replace(COUNTED, untracked=9)},
            "9 frames of path 'wan' are of flows for which it has no room",
        ),
        (
            {"after": {"p3": port_counters("p3", rx_missed=4, link_downs=0, link_up=True)}},
            "4 frames of path 'wan' were lost in the tester's own rings and interfaces (limit 0)",
        ),
        (
            {"after": {"p3": port_counters("p3", link_downs=1, link_up=True)}},
            "the link of p3 was down",
        ),
        (
            {"after": {"p2": port_counters("p2", tx_packets=700, tx_held=232, link_downs=0, link_up=True)}},
            "port p2 still holds 232 of 700 frames that it took: its interface is slower than",
        ),
        ({"gap_ns": 120_000_000}, "path 'wan' forwarded nothing for 120 ms (limit 100 ms): stacks take that"),
    ],
    ids=["tx ring", "rx ring", "link", "memory", "flows", "rx ring beside", "link beside", "held", "pause"],
)
def test_the_tester_has_to_do_its_part(given: dict[str, Any], objection: str) -> None:
    (found,) = read(**given).objections
    assert found.startswith(objection)


CUT = PathEventCounters(
    "cut", matched=9, fired=2, link_cut=False, link_outages=1, first_down_ns=5, last_up_ns=9
)
DOWN = {"p1": port_counters("p1", link_downs=0, link_up=False)}


def test_a_link_that_is_to_be_down_is_no_doubt() -> None:
    now = replace(CUT, link_cut=True, last_up_ns=0)
    assert read(replace(COUNTED, events=(now,)), after=DOWN).doubt == ""
    assert read(replace(COUNTED, events=(CUT,)), after=DOWN).doubt == "the link of p1 was down"


@pytest.mark.parametrize(
    ("event", "doubt"),
    [
        (replace(CUT, link_fault="not permitted"), "event 'cut': not permitted"),
        (replace(CUT, link_outages=0), "event 'cut' has not taken its links down yet"),
    ],
    ids=["fault", "early"],
)
def test_a_link_that_did_not_go_down_is_a_doubt(event: PathEventCounters, doubt: str) -> None:
    assert read(replace(COUNTED, events=(event,))).doubt == doubt


def test_what_events_sent_is_told() -> None:
    statistics = read(replace(COUNTED, directions=(replace(THERE, injected=2), BACK)))
    assert statistics.injected == 2
    assert "2 injected" in str(statistics)


def test_a_packet_that_was_reordered_in_time_is_enough() -> None:
    event = PathEventCounters("some", matched=14, fired=3, expired=1, held_back=1)
    assert read(replace(COUNTED, events=(event,))).doubt == ""


LOSS = Ratio.parse("1 %")


@pytest.mark.parametrize(
    ("impairment", "counted", "doubt"),
    [
        (Impairment(loss=LOSS), {"loss_drops": 1}, ""),
        (
            Impairment(loss=LOSS),
            {},
            "impairment 'loss 1 %' did not happen: none of 1,000 packets was lost",
        ),
        (
            Impairment(loss=LOSS, heading=Heading.BACKWARD),
            {"loss_drops": 1},
            "impairment 'loss 1 %, backward' did not happen: none of 700 packets was lost",
        ),
        (Impairment(delay=PathDelay(mean=Duration(5))), {}, ""),
        (
            Impairment(delay=PathDelay(mean=Duration(5)), heading=Heading.FORWARD),
            {"received": 0},
            "impairment 'delay 5 ns, forward' did not happen: no packet came",
        ),
        (Impairment(shaping=Shaping(rate=Rate.parse("1 Mbps"), queue_frames=5)), {}, ""),
    ],
)
def test_an_impairment_that_did_nothing_is_a_doubt(
    impairment: Impairment, counted: dict[str, int], doubt: str
) -> None:
    there = replace(THERE, **counted)
    statistics = read(replace(COUNTED, directions=(there, BACK)), impairments=(impairment,))
    assert statistics.doubt == doubt


def test_what_was_held_is_said() -> None:
    there = replace(THERE, forwarded=280, delayed=270, held=5, loss_drops=9, tail_drops=6)
    statistics = read(replace(COUNTED, directions=(there, BACK)))
    assert str(statistics) == (
        "wan: 979 of 1,000 frames forwarded, 1 dropped, 9 lost at random, 6 found the queue full, "
        "270 delayed, 5 held, 1 of 1 events fired"
    )


def test_a_short_pause_is_no_objection() -> None:
    assert read(gap_ns=90_000_000).objections == ()
