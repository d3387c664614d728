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
from TesterLibrary.keywords.measurement import Measurement
from TesterLibrary.keywords.messages import MessageStreams
from TesterLibrary.keywords.monitoring import Monitoring
from TesterLibrary.keywords.traffic import Traffic
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.judging import loss_below
from TesterLibrary.methodology.traffic import TrafficResult
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.units import Duration, Rate, Ratio
from TesterLibrary.session import Session
from TesterLibrary.targets.fake import FakeTarget
from TesterLibrary.verdict import Outcome

from .benches import SECOND, opened, stream

SUITE, FIRST, SECOND_TEST = ["s1"], ["s1", "s1-t1"], ["s1", "s1-t2"]
NOTHING = Ratio(Fraction(0))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    session = opened(tmp_path)
    yield session
    session.close()


def advance(session: Session, duration: Duration = SECOND) -> None:
    assert isinstance(session.bench.target, FakeTarget)
    session.bench.target.advance(duration)


def names(session: Session) -> list[str]:
    return [own.name for own in session.chosen([])]


def test_streams_and_mixes_of_a_test_end_with_it(session: Session) -> None:
    session.scopes.enter(SUITE)
    session.put(stream("base", rate="1 kpps"))
    session.scopes.enter(FIRST)
    session.put(stream("one", rate="1 kpps"), stream("base", rate="5 kpps"))
    session.put_mix("both", {"base": Fraction(1, 2), "one": Fraction(1, 2)}, Rate.parse("2 kpps"))
    assert names(session) == ["base", "one"]
    assert [own.name for own in session.chosen(["both"])] == ["base", "one"]
    with pytest.raises(TesterLibraryError, match="'both' is a mix; give the stream another name"):
        session.put(stream("both"))
    session.scopes.enter(SECOND_TEST)
    assert names(session) == ["base"]
    assert session.stream("base").rate == Rate.parse("1 kpps")
    with pytest.raises(TesterLibraryError, match="there is no stream 'both'; there are base"):
        session.chosen(["both"])


def test_what_a_test_measured_is_judged_in_no_other(session: Session) -> None:
    session.scopes.enter(SUITE)
    session.put(stream("north", rate="1 kpps"))
    session.scopes.enter(FIRST)
    measurer = session.measurer("loss", [])
    measurer.measure(measurer.load, SECOND)
    assert isinstance(session.judged(), Trial)
    session.scopes.enter(SECOND_TEST)
    with pytest.raises(TesterLibraryError, match="nothing was measured in this test yet"):
        session.judged()


def test_traffic_of_a_test_is_stopped_at_its_end_with_a_warning(session: Session) -> None:
    session.scopes.enter(SUITE)
    session.put(stream("base", rate="1 kpps"), stream("changed", tx="p2", rx="p1", rate="1 kpps"))
    Traffic(session).start_traffic("changed")
    session.scopes.enter(FIRST)
    Traffic(session).start_traffic("base")
    session.change("changed", rate=Rate.parse("9 kpps"))
    session.change("changed", rate=Rate.parse("10 kpps"))
    advance(session)
    (told,) = session.scopes.enter(SECOND_TEST)
    assert told == (
        "traffic of base was still running and has been stopped; call Stop Traffic (the end of the test)"
    )
    assert session.recorder.trials[-1].sent > 1000
    (run,) = session.bench.on_air
    assert [own.name for own in run.streams] == ["changed"]
    assert run.streams[0].rate == Rate.parse("1 kpps")  # as the suite has it
    session.scopes.enter(SUITE)
    Traffic(session).stop_traffic()
    assert session.scopes.enter([]) == []


def test_watchers_captures_and_responders_end_with_their_test(session: Session) -> None:
    bench, tester = session.bench, session.tester
    session.put(stream("north", rate="1 kpps"))
    MessageStreams(session).on_result("north", lambda _: None)
    tester.captures.start(Capture("all", ("p1",)))
    tester.ends.start(
        Responder(name="echo", port="p2", protocol="udp-echo", servers=Endpoints.parse("198.18.1.3:7"))
    )
    assert bench.watchers["north"]
    session.scopes.enter(SECOND_TEST)
    assert not bench.watchers["north"]
    assert not bench.target.snapshot().ends
    assert not bench.target.snapshot().captures
    assert list((bench.recorder.directory / "captures").iterdir())
    with pytest.raises(TesterLibraryError, match="which capture"):
        tester.captures.statistics()
    with pytest.raises(TesterLibraryError, match="no responder or clients 'echo'"):
        tester.ends.statistics("echo")


def test_nothing_is_ended_twice_when_the_tester_has_been_closed(session: Session) -> None:
    session.put(stream("north", rate="1 kpps"))
    Traffic(session).start_traffic()
    Monitoring(session).start_monitoring(Duration(3600 * 10**9))
    session.tester.captures.start(Capture("all", ("p1",)))
    session.close()
    assert "monitor" not in {thread.name for thread in threading.enumerate()}
    assert session.scopes.enter(SECOND_TEST) == []


def test_stopped_traffic_is_the_last_measurement_and_each_of_its_trials_is_judged(tmp_path: Path) -> None:
    """A trial without loss, then two handles of which one loses half."""
    session = opened(tmp_path, capacity=1000)
    traffic = Traffic(session)
    session.put(stream("small", rate="100 pps"), stream("big", tx="p2", rx="p1", rate="2 kpps"))
    measurer = session.measurer("loss", ["small"])
    assert measurer.measure(measurer.load, SECOND).lost == 0
    traffic.start_traffic("big")
    advance(session)
    traffic.start_traffic("small")
    advance(session)
    stopped = traffic.stop_traffic()
    assert isinstance(stopped, TrafficResult)
    assert session.judged() is stopped
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
    assert session.judged() is one
    assert traffic.stop_traffic() is None
    assert session.judged() is one


def test_loss_of_several_handles_is_that_of_all_or_of_the_stream_that_is_named(tmp_path: Path) -> None:
    session = opened(tmp_path, capacity=1000)
    traffic, get = Traffic(session), Measurement(session)
    session.put(stream("big", rate="2 kpps"), stream("small", tx="p2", rx="p1", rate="100 pps"))
    traffic.start_traffic("big")
    traffic.start_traffic("small")
    advance(session)
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


def test_intervals_are_judged_while_they_are_monitored_and_monitoring_goes_on(session: Session) -> None:
    session.put(stream("north", rate="1 kpps"))
    monitoring, traffic = Monitoring(session), Traffic(session)
    with pytest.raises(PlanError, match="nothing was monitored in this test"):
        monitoring.verify_interval_loss_below(NOTHING)
    traffic.start_traffic()
    monitoring.start_monitoring(Duration(10**8))
    watched = session.tester.traffic._monitor
    assert watched
    while len(monitoring.get_interval_series()) < 2:
        advance(session, Duration(10**8))
    verdict = monitoring.verify_interval_loss_below(NOTHING)
    assert verdict.outcome is Outcome.PASS
    assert session.tester.traffic._monitor is watched
    traffic.stop_traffic()
    assert monitoring.verify_interval_loss_below(NOTHING).outcome is Outcome.PASS
    session.scopes.enter(SECOND_TEST)
    assert monitoring.get_interval_series() == ()
    with pytest.raises(PlanError, match="nothing was monitored in this test"):
        monitoring.verify_interval_loss_below(NOTHING)


def test_monitoring_that_nobody_stopped_ends_with_its_test(session: Session) -> None:
    session.scopes.enter(SUITE)
    session.put(stream("north", rate="1 kpps"))
    Traffic(session).start_traffic()
    session.scopes.enter(FIRST)
    Monitoring(session).start_monitoring(SECOND)
    assert session.scopes.enter(SECOND_TEST) == []
    assert "monitor" not in {thread.name for thread in threading.enumerate()}
    Monitoring(session).start_monitoring(SECOND)
    assert Monitoring(session).stop_monitoring() is session.judged()


def test_a_tester_that_dies_leaves_no_thread_and_no_traffic(tmp_path: Path) -> None:
    session = opened(tmp_path, dies_after=Duration(3 * 10**9))
    session.put(stream("north", rate="1 kpps"))
    Traffic(session).start_traffic()
    Monitoring(session).start_monitoring(Duration(10**8))
    with pytest.raises(TargetError):
        advance(session, Duration(10 * 10**9))
    with pytest.raises(TargetError, match="died"):
        Traffic(session).stop_traffic()
    assert "monitor" not in {thread.name for thread in threading.enumerate()}
    assert not session.bench.on_air
    assert session.scopes.enter(SECOND_TEST) == []
    session.close()
