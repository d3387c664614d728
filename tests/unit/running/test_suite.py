# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A test is an island: what it made ends with it. Keywords are called as Robot calls them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError, TargetError, TesterLibraryError
from TesterLibrary.keywords.traffic.messages import MessageStreams
from TesterLibrary.keywords.traffic.traffic import Traffic
from TesterLibrary.keywords.trials.loss import Loss
from TesterLibrary.keywords.trials.monitoring import Monitoring
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.traffic import TrafficResult
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.running.suite import Suite
from TesterLibrary.targets.fake import FakeTarget
from TesterLibrary.verdict import Outcome

from .testers import SECOND, opened, stream

SUITE, FIRST, SECOND_TEST = ["s1"], ["s1", "s1-t1"], ["s1", "s1-t2"]
NOTHING = Ratio(Fraction(0))


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[Suite]:
    suite = opened(tmp_path)
    yield suite
    suite.close()


def advance(suite: Suite, duration: Duration = SECOND) -> None:
    assert isinstance(suite.tester.target, FakeTarget)
    suite.tester.target.advance(duration)


def names(suite: Suite) -> list[str]:
    return [stream.name for stream in suite.chosen([])]


def test_streams_and_mixes_of_a_test_end_with_it(suite: Suite) -> None:
    suite.scopes.enter(SUITE)
    suite.put(stream("base", rate="1 kpps"))
    suite.scopes.enter(FIRST)
    suite.put(stream("one", rate="1 kpps"), stream("base", rate="5 kpps"))
    suite.put_mix("both", {"base": Fraction(1, 2), "one": Fraction(1, 2)}, Rate.parse("2 kpps"))
    assert names(suite) == ["base", "one"]
    assert [stream.name for stream in suite.chosen(["both"])] == ["base", "one"]
    with pytest.raises(TesterLibraryError, match="'both' is a mix; give the stream another name"):
        suite.put(stream("both"))
    suite.scopes.enter(SECOND_TEST)
    assert names(suite) == ["base"]
    assert suite.stream("base").rate == Rate.parse("1 kpps")
    with pytest.raises(TesterLibraryError, match="there is no stream 'both'; there are base"):
        suite.chosen(["both"])


def test_what_a_test_measured_is_judged_in_no_other(suite: Suite) -> None:
    suite.scopes.enter(SUITE)
    suite.put(stream("north", rate="1 kpps"))
    suite.scopes.enter(FIRST)
    measurer = suite.measurer("loss", [])
    measurer.measure(measurer.load, SECOND)
    assert isinstance(suite.judged(), Trial)
    suite.scopes.enter(SECOND_TEST)
    with pytest.raises(TesterLibraryError, match="nothing was measured in this test yet"):
        suite.judged()


def test_traffic_of_a_test_is_stopped_at_its_end_with_a_warning(suite: Suite) -> None:
    suite.scopes.enter(SUITE)
    suite.put(stream("base", rate="1 kpps"), stream("changed", tx="p2", rx="p1", rate="1 kpps"))
    Traffic(suite).start_traffic("changed")
    suite.scopes.enter(FIRST)
    Traffic(suite).start_traffic("base")
    suite.change("changed", rate=Rate.parse("9 kpps"))
    suite.change("changed", rate=Rate.parse("10 kpps"))
    advance(suite)
    (told,) = suite.scopes.enter(SECOND_TEST)
    assert told == (
        "traffic of base was still running and has been stopped; call Stop Traffic (the end of the test)"
    )
    assert suite.recorder.trials[-1].sent > 1000
    (run,) = suite.tester.air.runs
    assert [stream.name for stream in run.streams] == ["changed"]
    assert run.streams[0].rate == Rate.parse("1 kpps")  # as the suite has it
    suite.scopes.enter(SUITE)
    Traffic(suite).stop_traffic()
    assert suite.scopes.enter([]) == []


def test_watchers_captures_and_responders_end_with_their_test(suite: Suite) -> None:
    opened, tester = suite.open_testbed, suite.tester
    suite.put(stream("north", rate="1 kpps"))
    MessageStreams(suite).set_callback("north", lambda _: None)
    opened.captures.start(Capture("all", ("p1",)))
    opened.connections.start(
        Responder(name="echo", port="p2", protocol="udp-echo", servers=Endpoints.parse("198.18.1.3:7"))
    )
    assert tester.air.watchers["north"]
    suite.scopes.enter(SECOND_TEST)
    assert not tester.air.watchers["north"]
    assert not tester.target.snapshot().ends
    assert not tester.target.snapshot().captures
    assert list((tester.recorder.directory / "captures").iterdir())
    with pytest.raises(TesterLibraryError, match="there is no running capture; call Start Capture first"):
        opened.captures.statistics()
    with pytest.raises(TesterLibraryError, match="no responder or clients 'echo'"):
        opened.connections.statistics("echo")


def test_nothing_is_ended_twice_when_the_tester_has_been_closed(suite: Suite) -> None:
    suite.put(stream("north", rate="1 kpps"))
    Traffic(suite).start_traffic()
    Monitoring(suite).start_monitoring(Duration(3600 * 10**9))
    suite.captures.start(Capture("all", ("p1",)))
    suite.close()
    assert "monitor" not in {thread.name for thread in threading.enumerate()}
    assert suite.scopes.enter(SECOND_TEST) == []


def test_stopped_traffic_is_the_last_measurement_and_each_of_its_trials_is_judged(tmp_path: Path) -> None:
    """A trial without loss, then two handles of which one loses half."""
    suite = opened(tmp_path, capacity=1000)
    traffic = Traffic(suite)
    suite.put(stream("small", rate="100 pps"), stream("big", tx="p2", rx="p1", rate="2 kpps"))
    measurer = suite.measurer("loss", ["small"])
    assert measurer.measure(measurer.load, SECOND).lost == 0
    traffic.start_traffic("big")
    advance(suite)
    traffic.start_traffic("small")
    advance(suite)
    stopped = traffic.stop_traffic()
    assert isinstance(stopped, TrafficResult)
    assert suite.judged() is stopped
    assert len(stopped.trials) == 2
    assert stopped.lost is not None
    assert stopped.lost > 1000
    assert stopped.sent == sum(trial.sent for trial in stopped.trials)
    assert loss_below(stopped.judged, NOTHING).outcome is Outcome.FAIL
    assert "big" in str(stopped)
    assert "small" in stopped.title
    traffic.start_traffic("small")
    one = traffic.stop_traffic("small")
    assert isinstance(one, Trial)
    assert suite.judged() is one
    assert traffic.stop_traffic() is None
    assert suite.judged() is one


def test_loss_of_several_handles_is_that_of_all_or_of_the_stream_that_is_named(tmp_path: Path) -> None:
    suite = opened(tmp_path, capacity=1000)
    traffic, get = Traffic(suite), Loss(suite)
    suite.put(stream("big", rate="2 kpps"), stream("small", tx="p2", rx="p1", rate="100 pps"))
    traffic.start_traffic("big")
    traffic.start_traffic("small")
    advance(suite)
    stopped = traffic.stop_traffic()
    assert isinstance(stopped, TrafficResult)
    assert stopped.lost
    assert (get.get_frame_loss(), get.get_frame_loss("big"), get.get_frame_loss("small")) == (
        stopped.lost,
        stopped.lost,
        0,
    )
    assert get.get_frame_loss("small", "==", 0) == 0
    assert get.get_loss_ratio() == stopped.lost / stopped.sent
    assert get.get_loss_ratio("big") == stopped.lost / stopped.trials[0].sent
    with pytest.raises(AssertionError, match=f"frame loss is {stopped.lost:,}, required <= 0"):
        get.get_frame_loss("<=", 0)
    with pytest.raises(AssertionError, match=f"frame loss of big is {stopped.lost:,}, required <= 0"):
        get.get_frame_loss("big", "<=", 0)
    with pytest.raises(TesterLibraryError, match="the trial has no stream 'huge'; it has big, small"):
        get.get_frame_loss("huge")


def test_intervals_are_judged_while_they_are_monitored_and_monitoring_goes_on(suite: Suite) -> None:
    suite.put(stream("north", rate="1 kpps"))
    monitoring, traffic = Monitoring(suite), Traffic(suite)
    with pytest.raises(PlanError, match="nothing was monitored in this test"):
        monitoring.verify_interval_loss_below(NOTHING)
    traffic.start_traffic()
    monitoring.start_monitoring(Duration(10**8))
    watched = suite.traffic._monitor
    assert watched
    while len(monitoring.get_interval_series()) < 2:
        advance(suite, Duration(10**8))
    verdict = monitoring.verify_interval_loss_below(NOTHING)
    assert verdict.outcome is Outcome.PASS
    assert suite.traffic._monitor is watched
    traffic.stop_traffic()
    assert monitoring.verify_interval_loss_below(NOTHING).outcome is Outcome.PASS
    suite.scopes.enter(SECOND_TEST)
    assert monitoring.get_interval_series() == ()
    with pytest.raises(PlanError, match="nothing was monitored in this test"):
        monitoring.verify_interval_loss_below(NOTHING)


def test_monitoring_that_nobody_stopped_ends_with_its_test(suite: Suite) -> None:
    suite.scopes.enter(SUITE)
    suite.put(stream("north", rate="1 kpps"))
    Traffic(suite).start_traffic()
    suite.scopes.enter(FIRST)
    Monitoring(suite).start_monitoring(SECOND)
    assert suite.scopes.enter(SECOND_TEST) == []
    assert "monitor" not in {thread.name for thread in threading.enumerate()}
    Monitoring(suite).start_monitoring(SECOND)
    assert Monitoring(suite).stop_monitoring() is suite.judged()


def test_a_tester_that_dies_leaves_no_thread_and_no_traffic(tmp_path: Path) -> None:
    suite = opened(tmp_path, dies_after=Duration(3 * 10**9))
    suite.put(stream("north", rate="1 kpps"))
    Traffic(suite).start_traffic()
    Monitoring(suite).start_monitoring(Duration(10**8))
    with pytest.raises(TargetError):
        advance(suite, Duration(10 * 10**9))
    with pytest.raises(TargetError, match="died"):
        Traffic(suite).stop_traffic()
    assert "monitor" not in {thread.name for thread in threading.enumerate()}
    assert not suite.tester.air.runs
    assert suite.scopes.enter(SECOND_TEST) == []
    suite.close()


def test_what_is_found_once_more_is_recorded_once(suite: Suite) -> None:
    suite.scopes.enter(FIRST)
    found = TrafficResult("traffic", ())
    assert suite.found(found) is suite.found(found) is found
    assert suite.tester.recorder.results == [found]
    suite.scopes.enter(SECOND_TEST)
    suite.found(found)
    assert suite.tester.recorder.results == [found, found]
