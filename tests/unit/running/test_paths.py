# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths of a tester that does not forward: what is said of them, and that nothing stays behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as File

import pytest

from TesterLibrary.errors import (
    Inconclusive,
    PlanError,
    TargetError,
    TestbedError,
    TesterLibraryError,
    VerdictFailed,
)
from TesterLibrary.measurement.inline import PathStatistics
from TesterLibrary.measurement.snapshot import PathDirectionCounters, PathEventCounters
from TesterLibrary.measurement.traces.trace import PathTrace
from TesterLibrary.model.inline import Drop, Event, Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.running.suite import Suite
from TesterLibrary.verdict import EQUAL, Outcome, Verdict, assess

from .testers import opened

WAN = Path("wan", ("p1", "p2"))


@pytest.fixture
def suite(tmp_path: File) -> Suite:
    return opened(tmp_path)


def test_a_tester_that_does_not_forward_refuses_by_name(suite: Suite) -> None:
    suite.paths.create(WAN)
    with pytest.raises(PlanError, match="path 'wan': a fake tester does not forward frames"):
        suite.paths.start(["wan"])
    assert suite.tester.target.snapshot().jobs == ()
    with pytest.raises(PlanError, match="path 'wan': it has not been started; call Start Path first"):
        suite.paths.statistics("wan")


def test_a_path_is_checked_when_it_is_described(suite: Suite) -> None:
    with pytest.raises(PlanError, match="there is no port 'p9'"):
        suite.paths.create(Path("wan", ("p1", "p9")))
    with pytest.raises(TesterLibraryError, match="there is no path 'wan'; call Create Path first"):
        suite.paths.add("wan", Event(action=Drop(), every=1))


def test_events_are_named_by_what_they_do_unless_their_author_names_them(suite: Suite) -> None:
    suite.paths.create(WAN)
    assert suite.paths.add("wan", Event(action=Drop(), number=3)) == "1: drop packet 3"
    assert suite.paths.add("wan", Event(action=Drop(), number=4, name="mine")) == "mine"
    with pytest.raises(PlanError, match="more than one event 'mine'"):
        suite.paths.add("wan", Event(action=Drop(), number=5, name="mine"))
    assert suite.paths.add("wan", Event(action=Drop(), number=6)) == "3: drop packet 6"


def test_events_of_paths_that_nobody_started_are_refused_by_name(suite: Suite) -> None:
    suite.paths.refuse_unstarted()
    suite.paths.create(WAN)
    with pytest.raises(TesterLibraryError, match="path wan was not started; call Start Path first"):
        suite.paths.refuse_unstarted()


def test_a_trace_that_goes_on_is_no_trace_yet(suite: Suite) -> None:
    suite.paths.create(WAN)
    suite.paths.trace("wan", every=1, frames=1, snap_length=64, file=None)
    for names in ((), ("wan",)):
        with pytest.raises(TesterLibraryError, match="'wan' is still being taken; call Stop Trace first"):
            suite.paths.traces.stopped(names)


def test_a_trace_of_a_path_that_was_not_started_begins_with_the_next_start(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two paths was refused, when the first one's trace had begun."""
    done: list[str] = []
    for call in ("load", "unload"):
        monkeypatch.setattr(suite.tester.target, call, lambda _, call=call: done.append(call))
    for call in ("start", "stop", "forget"):
        capture = f"{call} capture"
        monkeypatch.setattr(
            suite.tester.target.captures, call, lambda _, capture=capture: done.append(capture)
        )
    monkeypatch.setattr(suite.tester.target, "snapshot", lambda _: None)

    def refuse(_: object) -> None:
        raise PlanError("no")

    monkeypatch.setattr(suite.tester.target, "start", refuse)
    suite.paths.create(WAN)
    suite.paths.trace("wan", every=1, frames=1, snap_length=64, file=None)
    for _ in range(2):
        done.clear()
        with pytest.raises(PlanError, match="no"):
            suite.paths.start(["wan"])
        assert done == ["load", "start capture", "stop capture", "forget capture", "unload"]


def test_a_trace_that_a_lost_tester_has_not_ended_ends_with_its_test(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(_: object) -> None:
        raise TargetError("testerd is gone")

    suite.paths.create(WAN)
    monkeypatch.setattr(suite.tester.target.captures, "start", lambda _: None)
    monkeypatch.setattr(suite.tester.target.captures, "stop", lost)
    suite.paths.trace("wan", every=1, frames=1, snap_length=64, file=None)
    planned = compile_job(Job("path wan", paths=(WAN,)), ports=suite.tester.ports, gateways={}, max_streams=1)
    suite.paths.traces.begin(planned.paths[0], planned.job, from_start=True)
    assert "testerd is gone" in str(suite.scopes.enter(["s1"]))
    suite.paths.create(WAN)
    suite.paths.trace("wan", every=1, frames=1, snap_length=64, file=None)


def test_a_path_ends_with_its_test(suite: Suite) -> None:
    suite.paths.create(WAN)
    assert suite.scopes.enter(["s1"]) == []
    with pytest.raises(TesterLibraryError, match="there is no path 'wan'"):
        suite.paths.start(["wan"])


def test_what_was_not_started_is_in_no_verdict(suite: Suite) -> None:
    suite.paths.create(WAN)
    suite.paths.add("wan", Event(action=Drop(), number=3))
    assert (suite.paths.started(), suite.paths.doubts) == ([], ())
    suite.paths.stop()


UNFIRED = PathStatistics(
    "wan",
    (PathDirectionCounters("p1", received=5), PathDirectionCounters("p2")),
    (PathEventCounters("late", matched=5),),
)


def started(suite: Suite, monkeypatch: pytest.MonkeyPatch, *found: PathStatistics) -> None:
    """Has the paths of a suite be these, as a tester that forwards would tell."""
    monkeypatch.setattr(suite.paths, "started", lambda: list(found))


@pytest.mark.parametrize("value", [1, 2])
def test_an_event_that_did_not_fire_makes_every_verdict_inconclusive(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, value: int
) -> None:
    started(suite, monkeypatch, UNFIRED)
    with pytest.raises(Inconclusive, match="frame loss: event 'late' did not fire: it saw 5 packets"):
        suite.conclude(assess(value, EQUAL, 1, subject="frame loss"))


def test_events_that_fired_leave_verdicts_as_they_are(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    started(suite, monkeypatch, replace(UNFIRED, events=(PathEventCounters("now", matched=5, fired=1),)))
    assert suite.conclude(assess(1, EQUAL, 1, subject="frame loss")).outcome is Outcome.PASS
    with pytest.raises(VerdictFailed):
        suite.conclude(assess(2, EQUAL, 1, subject="frame loss"))


def test_what_a_lost_tester_did_is_a_doubt(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost() -> list[PathStatistics]:
        raise TargetError("testerd is gone")

    monkeypatch.setattr(suite.paths, "started", lost)
    with pytest.raises(Inconclusive, match=r"whether the events .* have fired: testerd is gone"):
        suite.conclude(assess(1, EQUAL, 1, subject="frame loss"))


@pytest.mark.parametrize(
    ("event", "received", "traced", "why"),
    [
        (
            PathEventCounters("cut", fired=1, link_outages=1),
            5,
            PathTrace("wan", (), 5, 0, 0),
            "links of the path",
        ),
        (
            PathEventCounters("drop", fired=1),
            7,
            PathTrace("wan", (), 5, 0, 0),
            "2 packets have passed path 'wan'",
        ),
        (PathEventCounters("drop", fired=1), 5, PathTrace("wan", (), 5, 0, 0), ""),
        (
            PathEventCounters("drop", fired=1),
            5,
            PathTrace("wan", (), 5, 0, 0, from_start=False),
            "does not begin with the last start",
        ),
    ],
    ids=["link down", "later packets", "all traced", "earlier start"],
)
def test_a_counter_may_have_what_no_trace_has(
    suite: Suite,
    monkeypatch: pytest.MonkeyPatch,
    event: PathEventCounters,
    received: int,
    traced: PathTrace,
    why: str,
) -> None:
    statistics = replace(
        UNFIRED, directions=(PathDirectionCounters("p1", received=received),), events=(event,)
    )
    monkeypatch.setattr(suite.paths, "statistics", lambda _: statistics)
    monkeypatch.setattr(suite.hosts, "counter", lambda *_: 3)

    def judged(value: int | str, doubt: str) -> Verdict:
        return assess(value, EQUAL, 2, subject="TcpRetransSegs of server", doubt=doubt)

    verdict = suite.paths.counted(traced, "server", "nstat", "TcpRetransSegs", judged)
    assert verdict.outcome is (Outcome.INCONCLUSIVE if why else Outcome.FAIL)
    assert why in verdict.reason


def test_a_testbed_without_hosts_runs_nothing(suite: Suite) -> None:
    assert suite.hosts.names == ()
    with pytest.raises(TestbedError, match="there is no host 'client': the testbed has none"):
        suite.hosts.run("client", "true", status=0, timeout=Duration(10**9))


def test_a_start_says_which_ports_get_unfinished_packets(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    tester = suite.tester
    ports = [
        replace(tester.capabilities.port("p1"), gets_unfinished="d1, the other end"),
        *tester.capabilities.ports[1:],
    ]
    monkeypatch.setattr(tester, "capabilities", replace(tester.capabilities, ports=tuple(ports)))
    for call in ("load", "unload", "start", "stop", "snapshot"):
        monkeypatch.setattr(tester.target, call, lambda _: None)
    suite.paths.create(WAN)
    assert suite.paths.start(["wan"]) == ("port p1: d1, the other end",)
